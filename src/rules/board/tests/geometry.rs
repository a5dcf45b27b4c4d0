//! Boards with coordinates: compares every table with arithmetic on columns, rows and levels.

use std::collections::BTreeSet;

use super::*;

fn set(cells: impl IntoIterator<Item = u32>) -> Vec<u32> {
    cells.into_iter().collect::<BTreeSet<u32>>().into_iter().collect()
}

#[test]
fn cells_and_coordinates() {
    for p in boards() {
        assert_eq!(p.board.len(), p.cells.len());
        for c in p.numbers() {
            let (x, y, z) = p.cells[c as usize];
            assert_eq!((p.board.col(c), p.board.row(c)), (Some(x), Some(y)));
            assert_eq!(p.board.level(c), (p.shape == BoardShape::Cube).then_some(z));
            assert_eq!(p.board.index(c), i64::from(c) + 1);
            assert_eq!(p.board.at_level(x, y, z), Some(c));
            assert_eq!(p.board.find(p.board.cell_name(c)), Some(c));
            let swapped = p.cells.iter().position(|&other| other == (y, x, z)).map(|i| i as u32);
            assert_eq!(p.board.transpose(c), swapped);
        }
        let mut by_reading: Vec<u32> = p.numbers().collect();
        by_reading.sort_by_key(|&c| {
            let (x, y, z) = p.cells[c as usize];
            (-z, -y, x)
        });
        for (i, &c) in by_reading.iter().enumerate() {
            assert_eq!(p.board.reading(c), i as i64 + 1);
        }
        let rows = p.board.reading_rows();
        assert_eq!(rows.len() as i64, p.size.1 * p.size.2);
        assert!(rows.iter().all(|row| row.len() as i64 == p.size.0));
        assert_eq!(rows.into_iter().flatten().flatten().collect::<Vec<_>>(), by_reading);
    }
}

#[test]
fn steps_and_neighbourhoods() {
    for p in boards() {
        let known: Vec<Dir> = p.dirs.iter().map(|&(d, _)| d).collect();
        assert_eq!(p.board.directions(), known);
        let slanted = |(x, y, _): (i64, i64, i64)| x != 0 && y != 0 && p.shape != BoardShape::Hex;
        let (diagonal, orthogonal): (Vec<_>, Vec<_>) = p.dirs.iter().partition(|(_, delta)| slanted(*delta));
        assert_eq!(p.board.diagonal(), diagonal.iter().map(|&(d, _)| d).collect::<Vec<_>>());
        assert_eq!(p.board.orthogonal(), orthogonal.iter().map(|&(d, _)| d).collect::<Vec<_>>());
        for c in p.numbers() {
            let (x, y, z) = p.cells[c as usize];
            let to = |(dx, dy, dz): (i64, i64, i64)| p.at(x + dx, y + dy, z + dz);
            for d in Dir::ALL {
                let delta = p.dirs.iter().find(|(known, _)| *known == d).map(|(_, delta)| *delta);
                assert_eq!(p.board.step(c, d), delta.and_then(to), "{:?} {} {}", p.shape, c, d.name());
            }
            let near =
                |dirs: &[DirDelta]| set(dirs.iter().filter_map(|&(_, delta)| to(delta)).filter(|&n| n != c));
            assert_eq!(p.board.neighbors(c), near(&orthogonal));
            assert_eq!(p.board.diagonals(c), near(&diagonal));
            assert_eq!(p.board.around(c), near(&p.dirs));
            for (i, j) in [(1, 2), (2, 1), (1, 1), (0, 1), (-1, 2), (3, 0)] {
                let offsets = [(i, j), (j, i)].into_iter().flat_map(|(i, j): (i64, i64)| {
                    [(i, j), (-i, j), (i, -j), (-i, -j)].map(|(i, j)| (i, j, 0))
                });
                assert_eq!(p.board.leap(c, i, j), set(offsets.filter_map(to)));
            }
        }
    }
}

#[test]
fn rays_are_repeated_steps() {
    for p in boards() {
        for c in p.numbers() {
            for &(d, delta) in &p.dirs {
                let met: Vec<u32> = p.far().map_while(|n| p.straight(c, delta, n)).collect();
                assert_eq!(p.board.ray(c, d), met);
            }
            let foreign = Dir::ALL.into_iter().filter(|d| p.dirs.iter().all(|(known, _)| known != d));
            for d in foreign {
                assert!(p.board.ray(c, d).is_empty());
            }
        }
    }
}

/// The least number of steps from a to b and all directions in which this number suffices.
fn shortest(p: &ReferenceBoard, a: u32, b: u32) -> Option<(i64, Vec<DirDelta>)> {
    let reaches = |delta, n| p.straight(a, delta, n) == Some(b);
    let n = p.far().find(|&n| p.dirs.iter().any(|&(_, delta)| reaches(delta, n)))?;
    Some((n, p.dirs.iter().copied().filter(|&(_, delta)| reaches(delta, n)).collect()))
}

#[test]
fn alignment() {
    for p in boards() {
        for (a, b) in p.numbers().flat_map(|a| p.numbers().map(move |b| (a, b))) {
            let found = shortest(&p, a, b);
            let slanted = |(x, y, _): (i64, i64, i64)| x != 0 && y != 0 && p.shape != BoardShape::Hex;
            let any = |want: bool| {
                found.as_ref().is_some_and(|(_, dirs)| dirs.iter().any(|&(_, delta)| slanted(delta) == want))
            };
            assert_eq!(p.board.aligned(a, b), found.is_some());
            assert_eq!(p.board.diagonal_pair(a, b), any(true));
            assert_eq!(p.board.orthogonal_pair(a, b), any(false));
            let only = found.as_ref().filter(|(_, dirs)| dirs.len() == 1).map(|(n, dirs)| (*n, dirs[0]));
            assert_eq!(p.board.dir(a, b), only.map(|(_, (d, _))| d));
            let inner = only.map(|(n, (_, delta))| set((1..n).filter_map(|i| p.straight(a, delta, i))));
            assert_eq!(p.board.between(a, b), inner);
            assert_eq!(p.board.between(a, b), p.board.between(b, a));
            let after = only.and_then(|(_, (_, (x, y, z)))| {
                let (bx, by, bz) = p.cells[b as usize];
                p.at(bx + x, by + y, bz + z)
            });
            assert_eq!(p.board.beyond(a, b), after);
        }
    }
}

/// Every run of k different cells in a direction, in the order of the steps.
fn runs(p: &ReferenceBoard, k: i64) -> Vec<(u32, Dir, Vec<u32>)> {
    let mut runs = Vec::new();
    for c in p.numbers() {
        for &(d, delta) in &p.dirs {
            let rest: Option<Vec<u32>> = (1..k).map(|n| p.straight(c, delta, n)).collect();
            if let Some(rest) = rest {
                runs.push((c, d, std::iter::once(c).chain(rest).collect()));
            }
        }
    }
    runs
}

#[test]
fn lines_are_all_windows_once() {
    for p in boards() {
        assert!(p.board.lines(0).is_empty());
        for k in 1..=(p.cells.len().min(10) + 1) {
            let runs = runs(&p, k as i64);
            let expected: BTreeSet<Vec<u32>> = runs.iter().map(|(_, _, run)| set(run.clone())).collect();
            let lines = p.board.lines(k);
            let found: BTreeSet<Vec<u32>> = lines.iter().map(|line| set(line.clone())).collect();
            assert_eq!(found, expected, "{:?} {:?} {k}", p.shape, p.size);
            assert_eq!(lines.len(), expected.len(), "each once");
            let keys: Vec<(u32, Dir)> = lines
                .iter()
                .map(|line| {
                    let same = runs.iter().filter(|(_, _, run)| run == line);
                    same.map(|&(c, d, _)| (c, d)).min().expect("a line is a run")
                })
                .collect();
            assert!(keys.is_sorted(), "by first cell, then direction");
        }
    }
}

#[test]
fn maximal_lines() {
    for p in boards() {
        let mut expected: BTreeSet<Vec<u32>> = BTreeSet::new();
        for k in p.far().skip(1) {
            for (c, d, run) in runs(&p, k) {
                let delta = p.dirs.iter().find(|(known, _)| *known == d).expect("known").1;
                let step = |from: u32, sign: i64| {
                    let (x, y, z) = p.cells[from as usize];
                    p.at(x + sign * delta.0, y + sign * delta.1, z + sign * delta.2)
                };
                // The run is maximal: past both ends there is no cell, or a cell of the run.
                let outside = |end: Option<u32>| end.is_none_or(|e| run.contains(&e));
                if outside(step(c, -1)) && outside(step(run[run.len() - 1], 1)) {
                    expected.insert(set(run));
                }
            }
        }
        let lines = p.board.all_lines();
        assert_eq!(lines.len(), expected.len());
        assert_eq!(lines.into_iter().map(set).collect::<BTreeSet<_>>(), expected);
    }
}

#[test]
fn floods() {
    for p in boards() {
        let masks: [fn(u32) -> bool; 4] = [|_| true, |_| false, |c| c % 3 != 1, |c| c % 5 < 3];
        for within in masks {
            for from in [vec![], vec![0], p.numbers().step_by(7).collect(), vec![9999]] {
                let mut reached: BTreeSet<u32> =
                    p.numbers().filter(|&c| from.contains(&c) && within(c)).collect();
                loop {
                    let joins = |c: u32| p.board.neighbors(c).iter().any(|n| reached.contains(n));
                    let more: Vec<u32> =
                        p.numbers().filter(|&c| within(c) && !reached.contains(&c) && joins(c)).collect();
                    if more.is_empty() {
                        break;
                    }
                    reached.extend(more);
                }
                assert_eq!(p.board.flood(&from, &within), set(reached));
            }
        }
    }
}

#[test]
fn sides_are_borders_of_boxes() {
    for p in boards() {
        if matches!(p.shape, BoardShape::Hex | BoardShape::Cube) {
            assert!(p.board.side_names().is_empty());
            continue;
        }
        // A side is a unit segment, represented by twice the coordinates of its middle, modulo the size where the board
        // wraps.
        let middle = |c: u32, letter: char| {
            let (x, y, _) = p.cells[c as usize];
            let (mx, my) = match letter {
                's' => (2 * x, 2 * y - 1),
                'w' => (2 * x - 1, 2 * y),
                'e' => (2 * x + 1, 2 * y),
                _ => (2 * x, 2 * y + 1),
            };
            let round = |v: i64, size: i64, wraps: bool| if wraps { v.rem_euclid(2 * size) } else { v };
            (round(mx, p.size.0, p.wraps.0), round(my, p.size.1, p.wraps.1))
        };
        let mut middles = Vec::new();
        let mut side_names = Vec::new();
        for c in p.numbers() {
            for letter in ['s', 'w', 'e', 'n'] {
                if !middles.contains(&middle(c, letter)) {
                    middles.push(middle(c, letter));
                    side_names.push(format!("{}{letter}", p.board.cell_name(c)));
                }
            }
        }
        assert_eq!(p.board.side_names(), side_names);
        let has = |c: u32, side: usize| ['s', 'w', 'e', 'n'].iter().any(|&l| middle(c, l) == middles[side]);
        for c in p.numbers() {
            let own = (0..middles.len()).filter(|&s| has(c, s)).map(|s| s as u32);
            assert_eq!(p.board.sides_of(c), set(own));
        }
        for side in 0..middles.len() {
            assert_eq!(p.board.boxes_of(side as u32), set(p.numbers().filter(|&c| has(c, side))));
        }
    }
}

#[test]
fn edges_are_pairs_of_neighbours() {
    for p in boards() {
        let mut expected = Vec::new();
        for (a, b) in p.numbers().flat_map(|a| p.numbers().map(move |b| (a, b))) {
            if a < b && p.board.neighbors(a).contains(&b) {
                expected.push([a, b]);
            }
        }
        assert_eq!(p.board.edge_names().len(), expected.len());
        for (e, &[a, b]) in expected.iter().enumerate() {
            assert_eq!(p.board.ends_of(e as u32), [a, b]);
            let name = format!("{}_{}", p.board.cell_name(a), p.board.cell_name(b));
            assert_eq!(p.board.edge_names()[e], name);
        }
        for c in p.numbers() {
            let own = (0..expected.len()).filter(|&e| expected[e].contains(&c)).map(|e| e as u32);
            assert_eq!(p.board.edges_of(c), set(own));
        }
    }
}
