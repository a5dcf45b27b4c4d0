//! Places of points on a circle, for graphs whose points have no coordinates.

use std::f64::consts::TAU;

/// The least distance of two points on the circle, in cells.
const MIN_DISTANCE: f64 = 1.3;
/// The growth of a radius at which a point would lie on a line, in cells.
const STEP: f64 = 0.5;
/// The maximal number of points that are compared with all lines.
const MAX_COMPARED_POINTS: usize = 60;

/// Returns places for this many points, the first at the top and the others clockwise, each as its distance from the
/// left in half cells and from the top in cells. The circle is so large that no line between two points passes through
/// a third, unless its radius would be more than half a cell for each point, or there are too many points to compare.
pub fn places(count: usize, links: &[(u32, u32)]) -> Vec<(i64, i64)> {
    let most = count as f64;
    let mut radius = (most * MIN_DISTANCE / TAU).max(1.0);
    loop {
        let at = |point: usize| {
            let angle = point as f64 / most * TAU;
            let (right, up) = (radius * angle.sin(), radius * angle.cos());
            ((2.0 * (radius + right)).round() as i64, (radius - up).round() as i64)
        };
        let places: Vec<(i64, i64)> = (0..count).map(at).collect();
        let is_widest = count > MAX_COMPARED_POINTS || radius + STEP > most / 2.0;
        if is_widest || !links.iter().any(|&link| is_crossed(&places, link)) {
            return places;
        }
        radius += STEP;
    }
}

/// Returns true if a third point lies on the line between two.
fn is_crossed(places: &[(i64, i64)], link: (u32, u32)) -> bool {
    let (a, b) = (link.0 as usize, link.1 as usize);
    let (from, to) = (places[a], places[b]);
    let (across, down) = (to.0 - from.0, to.1 - from.1);
    places.iter().enumerate().any(|(c, place)| {
        let (x, y) = (place.0 - from.0, place.1 - from.1);
        let along = x * across + y * down;
        let is_between = (0..=across * across + down * down).contains(&along);
        c != a && c != b && x * down == y * across && is_between
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_points_are_a_pentagon() {
        assert_eq!(places(5, &[(0, 2)]), [(2, 0), (4, 1), (3, 2), (1, 2), (0, 1)]);
    }

    #[test]
    fn no_line_passes_through_a_third_point() {
        for count in 4..18u32 {
            let links: Vec<(u32, u32)> = (0..count).flat_map(|a| (0..a).map(move |b| (b, a))).collect();
            let found = places(count as usize, &links);
            assert!(!links.iter().any(|&link| is_crossed(&found, link)), "{count}: {found:?}");
        }
    }
}
