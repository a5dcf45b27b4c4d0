//! Random games on boards of every kind: rules of the shapes that closed strategies rely on, mostly with a clause too
//! many, so that a strategy that reads too little of the rules would show.

use super::maker::Choices;

/// A game under construction, as the parts of its text.
struct Draft<'c> {
    choices: &'c mut Choices,
    board: &'static str,
    cells: u64,
    /// True if the board has directions.
    directed: bool,
    alone: bool,
    fields: Vec<String>,
    items: Vec<String>,
    /// The heads of moves, and the statements of each.
    moves: Vec<(String, Vec<String>)>,
    ends: Vec<String>,
    /// The set of cells that a move changes once, as a term, if there is one.
    taken: Option<String>,
    cyclic: bool,
}

/// Boards with their numbers of cells, and whether they have directions.
const BOARDS: [(&str, u64, bool); 22] = [
    ("grid(3, 2)", 6, true),
    ("grid(2, 3)", 6, true),
    ("grid(2, 2)", 4, true),
    ("grid(3, 3) where col != 2 or row != 2", 8, true),
    ("grid(3, 3) where (col + row) mod 2 = 0", 5, true),
    ("grid(3, 2) where col != 1 or row != 2", 5, true),
    ("hex(2, 2)", 4, true),
    ("hex(3, 2)", 6, true),
    ("hex(2, 3) where col != 1 or row != 1", 5, true),
    ("torus(2, 2)", 4, true),
    ("torus(3, 2)", 6, true),
    ("torus(1, 3)", 3, true),
    ("ring(2)", 2, true),
    ("ring(5)", 5, true),
    ("ring(6)", 6, true),
    ("strip(4)", 4, true),
    ("strip(6)", 6, true),
    ("cube(2, 1, 2)", 4, true),
    ("cube(3, 1, 2)", 6, true),
    ("graph { line p - q - r; line s - q - t; p -> s; t - u; }", 6, false),
    ("graph { line p - q - r - p; s - t; s -> r; }", 5, false),
    ("graph { line a1 - d1 - g1; a1 - a4; line a4 - d4 - g4; d1 -> d4; }", 6, false),
];

/// Returns the text of a random game.
pub fn game(choices: &mut Choices) -> String {
    let (board, cells, directed) = BOARDS[choices.below(BOARDS.len() as u64) as usize];
    let mut draft = Draft {
        choices,
        board,
        cells,
        directed,
        alone: false,
        fields: Vec::new(),
        items: Vec::new(),
        moves: Vec::new(),
        ends: Vec::new(),
        taken: None,
        cyclic: false,
    };
    match draft.choices.below(12) {
        0..=2 => draft.fill(),
        3 | 4 => draft.claim(),
        5 => draft.trail(),
        6 => draft.walk(),
        7 => draft.heaps(),
        8 => draft.colour(),
        9 => draft.boxes(),
        10 => draft.puzzle(),
        _ => draft.pieces(),
    }
    let mut twists: Vec<u64> = (0..draft.choices.below(4)).map(|_| draft.choices.below(20)).collect();
    twists.sort_unstable();
    twists.dedup();
    twists.into_iter().for_each(|twist| draft.twist(twist));
    draft.text()
}

fn one_of<'t>(choices: &mut Choices, options: &[&'t str]) -> &'t str {
    options[choices.below(options.len() as u64) as usize]
}

impl Draft<'_> {
    fn number(&mut self, most: u64) -> u64 {
        1 + self.choices.below(most)
    }

    /// Returns a set of a few cells, by their numbers.
    fn some_cells(&mut self, most: u64) -> String {
        let count = 1 + self.choices.below(most);
        let numbers: Vec<String> = (0..count).map(|_| self.number(self.cells).to_string()).collect();
        format!("{{ c in Cell where c.index in {{ {} }} }}", numbers.join(", "))
    }

    fn one_cell(&mut self) -> String {
        let number = self.number(self.cells);
        format!("(one c in Cell: c.index = {number})")
    }

    /// Returns a condition on a cell that is not about the state, or on the player.
    fn fixed_condition(&mut self, cell: &str) -> String {
        let number = self.number(self.cells);
        match self.choices.below(5) {
            0 => format!("me = {}", if self.alone { "A" } else { one_of(self.choices, &["A", "B"]) }),
            1 => format!("(me = A or {cell}.index != {number})"),
            2 => format!("{cell}.index mod 2 = {}", number % 2),
            3 => format!("{cell}.index <= {number}"),
            _ => format!("#{cell}.neighbors > 1"),
        }
    }

    fn ends_of_play(&mut self) {
        let end = match self.choices.below(8) {
            0..=3 => "play normal",
            4 | 5 => "play misere",
            6 => one_of(self.choices, &["when stuck => draw", "when stuck => A wins"]),
            _ => "when stuck => mover loses",
        };
        self.ends.push(end.into());
    }

    /// A set of cells that only grows: blocks, closed neighbourhoods, rays, regions.
    fn fill(&mut self) {
        let holes = if self.choices.percent(30) { self.some_cells(2) } else { "{}".into() };
        self.fields.push(format!("full: set of Cell = {holes};"));
        self.taken = Some("full".into());
        let mut body: Vec<String> = Vec::new();
        let parameters = match self.choices.below(if self.directed { 10 } else { 6 }) {
            0 => {
                body.extend(["when c not in full;", "full |= { c };"].map(String::from));
                "c: Cell"
            }
            1 => {
                body.extend(["when c not in full;", "full |= { c } | c.neighbors;"].map(String::from));
                "c: Cell"
            }
            2 => {
                self.items.push("type Edge = edges(Cell);".into());
                body.extend(
                    ["when e.ends & full = {};", "let c = min(e.ends);", "full |= e.ends;"].map(String::from),
                );
                "e: Edge"
            }
            3 => {
                body.extend(["when c not in full;", "full |= flood({ c }, Cell - full);"].map(String::from));
                "c: Cell"
            }
            4 => {
                let bar =
                    one_of(self.choices, &["c < e", "c != e", "aligned(c, e)", "e in c.neighbors and c < e"]);
                body.push(format!("when {bar} and {{ c, e }} & full = {{}};"));
                body.push("full |= { c, e };".into());
                "c: Cell, e: Cell"
            }
            5 => {
                // A line that is whole makes its cells useless.
                self.items.push("def dead(c: Cell) = some l in lines(Cell): c in l and l in full;".into());
                body.extend(["when c not in full and not dead(c);", "full |= { c };"].map(String::from));
                "c: Cell"
            }
            6 => {
                self.items.push("const way[p: Player]: Dir = match p { A => E, B => E };".into());
                if !self.board.starts_with("strip")
                    && !self.board.starts_with("ring")
                    && self.choices.percent(70)
                {
                    self.items.pop();
                    self.items.push("const way[p: Player]: Dir = match p { A => N, B => E };".into());
                }
                body.extend(
                    ["let block = { c, c + way[me] };", "when block & full = {};", "full |= block;"]
                        .map(String::from),
                );
                "c: Cell"
            }
            7 => {
                body.extend(["when c not in full;", "full |= { c } | ray(c, d);"].map(String::from));
                "c: Cell, d: Dir"
            }
            _ => {
                let block = one_of(
                    self.choices,
                    &["{ c, c + d }", "{ c, c + d, c + d + d }", "{ c, c + d } | between(c, c + d)"],
                );
                body.push(format!("let block = {block};"));
                body.extend(["when block & full = {};", "full |= block;"].map(String::from));
                "c: Cell, d: Dir"
            }
        };
        self.moves.push((format!("put({parameters})"), body));
        self.ends_of_play();
    }

    /// Cells that players claim, and goals.
    fn claim(&mut self) {
        self.fields.push("at[c: Cell]: Player? = none;".into());
        self.taken = Some("{ x in Cell where at[x] != none }".into());
        self.moves.push(("claim(c: Cell)".into(), vec!["when at[c] = none;".into(), "at[c] := me;".into()]));
        let (one, two) = (self.some_cells(2), self.some_cells(2));
        let length = 2 + self.choices.below(2);
        let goal = match self.choices.below(7) {
            0 => format!("some l in lines(Cell, {length}): all c in l: at[c] = p"),
            1 => "some l in lines(Cell): all c in l: at[c] = p".into(),
            2 => {
                self.items.push(format!("const near = {one};\nconst far = {two};"));
                "flood(near, { c in Cell where at[c] = p }) & far != {}".into()
            }
            3 => {
                self.items.push(format!("const far = {two};"));
                self.items.push(
                    "inductive joined(p: Player, c: Cell) = at[c] = p and (c in far or some x in c.neighbors: \
                     joined(p, x));"
                        .into(),
                );
                "some c in Cell: c.index <= 2 and joined(p, c)".into()
            }
            4 => {
                let of: Vec<String> = (0..1 + self.choices.below(3)).map(|_| self.some_cells(3)).collect();
                self.items.push(format!("const goals = {{ {} }};", of.join(", ")));
                "some g in goals: all c in g: at[c] = p".into()
            }
            5 => format!("(count c in Cell: at[c] = p and some x in c.neighbors: at[x] = p) >= {length}"),
            _ => format!(
                "(max c in Cell where at[c] = p: c.index) >= 3 and (count c in Cell: at[c] = p) >= {length}"
            ),
        };
        self.items.push(format!("def goal(p: Player): bool = {goal};"));
        self.ends.push(
            one_of(
                self.choices,
                &[
                    "for p in Player when goal(p) => p wins",
                    "for p in Player when goal(p) => p wins",
                    "for p in Player when goal(p) => p loses",
                    "when goal(A) => A wins",
                    "when goal(opponent_of_mover) => mover loses",
                ],
            )
            .replace("opponent_of_mover", "other(mover)"),
        );
        if self.choices.percent(25) {
            self.items.push("def got(p: Player) = count c in Cell: at[c] = p and c.index != 1;".into());
            self.ends.push("when stuck => highest got".into());
            return;
        }
        self.ends.push(
            one_of(
                self.choices,
                &[
                    "when all c in Cell: at[c] != none => draw",
                    "when all c in Cell: at[c] != none => B wins",
                    "when stuck => draw",
                    "when stuck => mover loses",
                ],
            )
            .into(),
        );
    }

    /// A token, or one of each player, that never returns to a cell.
    fn trail(&mut self) {
        let start = self.one_cell();
        let near = if self.directed {
            one_of(
                self.choices,
                &["here.neighbors", "here.around", "ray(here, d)", "here.leap(1, 2)", "here.neighbors"],
            )
        } else {
            "here.neighbors"
        };
        let slide = near.starts_with("ray");
        let own = self.choices.percent(25);
        let (field, here) = if own { ("here[p: Player]", "here[me]") } else { ("here", "here") };
        self.fields.push(format!("{field}: Cell = {start};"));
        self.fields.push(format!(
            "been: set of Cell = {};",
            if self.choices.percent(75) { format!("{{ {start} }}") } else { "{}".into() }
        ));
        self.taken = Some("been".into());
        let parameters = if slide { "c: Cell, d: Dir" } else { "c: Cell" };
        let body = [
            format!("when c in {} and c not in been;", near.replace("here", here)),
            format!("{here} := c;"),
            format!("been |= {};", one_of(self.choices, &["{ c }", "{ c }", "{ c }", "{ c } | c.neighbors"])),
        ];
        self.moves.push((format!("go({parameters})"), body.to_vec()));
        self.ends_of_play();
    }

    /// Tokens that walk and may return.
    fn walk(&mut self) {
        self.cyclic = true;
        let (a, b, goal) = (self.one_cell(), self.one_cell(), self.one_cell());
        self.fields.push(format!("here[p: Player]: Cell = if p = A then {a} else {b};"));
        let mut body = vec![format!(
            "when c in here[me].{};",
            one_of(self.choices, &["neighbors", "neighbors", "around"])
        )];
        if !self.directed {
            body = vec!["when c in here[me].neighbors;".into()];
        }
        if self.choices.percent(60) {
            body.push("when c != here[opponent];".into());
        }
        body.push("here[me] := c;".into());
        self.moves.push(("go(c: Cell)".into(), body));
        self.items.push(format!("const goal = {goal};"));
        self.ends.push(
            one_of(
                self.choices,
                &[
                    "for p in Player when here[p] = goal => p wins",
                    "when here[A] = goal => A wins",
                    "when here[A] = here[B] => other(mover) wins",
                    "when here[A] in here[B].neighbors and mover = B => B wins",
                ],
            )
            .into(),
        );
        self.ends.push(one_of(self.choices, &["when stuck => mover loses", "when stuck => draw"]).into());
    }

    /// Heaps with keys of two kinds.
    fn heaps(&mut self) {
        let (rows, most) = (self.number(2), self.number(3));
        self.fields.push(format!(
            "size[r: 1..{rows}, k: Kind]: 0..{most} = if k = man then {} else {};",
            self.choices.below(most + 1),
            self.choices.below(most + 1)
        ));
        self.items.push("enum Kind { man, king }".into());
        let step = one_of(
            self.choices,
            &[
                "size[r, k] -= n;",
                "size[r, k] -= n;",
                "size[r, k] -= n; if k = king { size[r, man] -= min(n, size[r, man]); }",
                "size[r, k] -= n; if n = 2 and size[1, man] = 0 { size[1, man] += 1; }",
            ],
        );
        let body = vec![
            format!(
                "when n <= size[r, k]{};",
                one_of(self.choices, &["", " and n != 2", " and (n = 1 or k = king)", ""])
            ),
            step.into(),
        ];
        self.moves.push((format!("take(r: 1..{rows}, k: Kind, n: 1..{most})"), body));
        if self.choices.percent(25) {
            self.moves.push((
                format!("both(r: 1..{rows}, n: 1..{most})"),
                vec![
                    "when n <= size[r, man] and n <= size[r, king];".into(),
                    "for k in Kind { size[r, k] -= n; }".into(),
                ],
            ));
        }
        self.ends_of_play();
    }

    /// Cells that players colour, beside their own or not.
    fn colour(&mut self) {
        self.fields.push("at[c: Cell]: Player? = none;".into());
        self.taken = Some("{ x in Cell where at[x] != none }".into());
        let whose = one_of(self.choices, &["me", "opponent", "me", "opponent", "A"]);
        let near = if self.directed {
            one_of(self.choices, &["neighbors", "neighbors", "around"])
        } else {
            "neighbors"
        };
        let body = [
            "when at[c] = none;".into(),
            format!("when no x in c.{near}: at[x] = {whose};"),
            "at[c] := me;".into(),
        ];
        self.moves.push(("paint(c: Cell)".into(), body.to_vec()));
        self.ends_of_play();
    }

    /// Edges that players draw: who closes a cell has its point.
    fn boxes(&mut self) {
        (self.board, self.cells) = [("grid(2, 1)", 2), ("ring(4)", 4), ("grid(2, 2)", 4), ("hex(2, 2)", 4)]
            [self.choices.below(4) as usize];
        self.directed = true;
        self.items.push("type Edge = edges(Cell);".into());
        self.fields.push("drawn: set of Edge = {};".into());
        self.fields.push("score[p: Player]: 0..8 = 0;".into());
        let more = one_of(self.choices, &["again;", "again;", "", "next A;"]);
        let points = one_of(self.choices, &["#closed", "#closed", "min(1, #closed)", "#closed * #closed"]);
        let body = [
            "when e not in drawn;".into(),
            "drawn |= { e };".into(),
            "let closed = { c in e.ends where c.edges in drawn | { e } };".into(),
            format!("if closed != {{}} {{ score[me] += {points}; {more} }}"),
        ];
        self.moves.push(("draw_edge(e: Edge)".into(), body.to_vec()));
        self.ends.push(
            one_of(
                self.choices,
                &[
                    "when stuck => highest score",
                    "when stuck => lowest score",
                    "when stuck => payoff p: score[p] - score[other(p)]",
                    "when stuck => payoff p: score[p]",
                ],
            )
            .into(),
        );
    }

    /// Puzzles of one player: lights, pegs, sliding tiles.
    fn puzzle(&mut self) {
        self.alone = true;
        self.cyclic = true;
        let first = self.some_cells(3);
        match self.choices.below(3) {
            0 => {
                self.fields.push(format!("lit: set of Cell = {first};"));
                let flipped = one_of(
                    self.choices,
                    &["{ c } | c.neighbors", "c.neighbors", "{ c } | { c + E }", "{ c } | flood({ c }, lit)"],
                );
                let flipped = if self.directed { flipped } else { "{ c } | c.neighbors" };
                let body = [format!("let flip = {flipped};"), "lit := (lit | flip) - (lit & flip);".into()];
                self.moves.push(("press(c: Cell)".into(), body.to_vec()));
                let goal = self.some_cells(2);
                self.ends.push(match self.choices.below(3) {
                    0 => format!("when lit = {goal} => win"),
                    1 => "when lit = Cell => win".into(),
                    _ => "when lit = {} => win".into(),
                });
            }
            1 => {
                self.fields.push(format!("pegs: set of Cell = Cell - {first};"));
                let body = [
                    "let over = between(a, b);",
                    "when a in pegs and b not in pegs and #over = 1 and over in pegs;",
                    "pegs := (pegs - over - { a }) | { b };",
                ];
                self.moves.push(("jump(a: Cell, b: Cell)".into(), body.map(String::from).to_vec()));
                self.ends
                    .push(one_of(self.choices, &["when #pegs = 1 => win", "when #pegs <= 2 => win"]).into());
                self.ends.push("when stuck => lose".into());
            }
            _ => {
                let most = self.cells.min(4);
                (self.board, self.cells) = [
                    ("grid(2, 2)", 4),
                    ("ring(4)", 4),
                    ("strip(4)", 4),
                    ("hex(2, 2)", 4),
                    ("torus(2, 2)", 4),
                ][self.choices.below(5) as usize];
                self.directed = true;
                let swap = self.choices.percent(50);
                self.fields.push(format!(
                    "at[c: Cell]: 0..3 = {};",
                    if swap {
                        "match c.index { 1 => 2, 2 => 1, 3 => 3, _ => 0 }"
                    } else {
                        "(c.index * 3) mod 4"
                    }
                ));
                let body = [
                    "let hole = one x in Cell: at[x] = 0;".into(),
                    format!(
                        "when c in hole.{};",
                        one_of(self.choices, &["neighbors", "neighbors", "around"])
                    ),
                    "at[hole] := at[c];".into(),
                    "at[c] := 0;".into(),
                ];
                self.moves.push(("slide(c: Cell)".into(), body.to_vec()));
                self.ends.push(match self.choices.below(2) {
                    0 => "when all c in Cell: at[c] = c.index mod 4 => win".into(),
                    _ => format!("when all c in Cell: c.index = 4 or at[c] = {most} - c.index => win"),
                });
            }
        }
    }

    /// Pieces of two kinds, which step, slide and capture.
    fn pieces(&mut self) {
        self.cyclic = true;
        self.items.push("enum Kind { man, king }\nrecord Piece(owner: Player, kind: Kind);".into());
        let (a, b) = (self.number(self.cells), self.number(self.cells));
        let kind = one_of(self.choices, &["man", "king"]);
        self.fields.push(format!(
            "at[c: Cell]: Piece? = if c.index = {a} then Piece(A, man) else if c.index = {b} then Piece(B, {kind}) else \
             none;"
        ));
        let far = if self.directed { "ray(from, dir(from, to))" } else { "from.neighbors" };
        let body = [
            "when at[from].owner = me and from != to and not at[to].owner = me;".into(),
            format!("let reach = match at[from].kind {{ man => from.neighbors, king => {far} }};"),
            format!(
                "when to in reach{};",
                one_of(self.choices, &["", " and no x in between(from, to): at[x] != none", ""])
            ),
            "at[to] <- at[from];".into(),
            one_of(
                self.choices,
                &["", "if to.index = 1 { at[to].kind := king; }", "if at[to] != none { again; }"],
            )
            .into(),
        ];
        self.moves.push(("step(from: Cell, to: Cell)".into(), body.to_vec()));
        self.ends.push("for p in Player when no c in Cell: at[c].owner = p => p loses".into());
        self.ends.push(one_of(self.choices, &["when stuck => mover loses", "when stuck => draw"]).into());
    }

    /// Adds a clause that closed strategies must not overlook.
    fn twist(&mut self, which: u64) {
        let cell = if self.moves[0].0.contains("c: Cell")
            || self.moves[0].0.contains("e: Edge") && self.moves[0].1[0].contains("full")
        {
            Some("c")
        } else {
            None
        };
        let taken = self.taken.clone();
        let limit = 1 + self.choices.below(5);
        match which {
            // A turn more, or one less.
            0 => {
                let condition = match (cell, &taken) {
                    (Some(c), _) if self.choices.percent(50) => self.fixed_condition(c),
                    (_, Some(taken)) => format!("#({taken}) = {limit}"),
                    _ => "me = A".into(),
                };
                let word =
                    if self.alone { "again" } else { one_of(self.choices, &["again", "again", "next A"]) };
                self.moves[0].1.push(format!(
                    "then {{ if {} {{ {word}; }} }}",
                    condition.replace("me = A", "mover = A")
                ));
                self.cyclic |= taken.is_none();
            }
            // A move that only passes, once for each player.
            1 if !self.alone => {
                self.fields.push("tempo[p: Player]: bool = p = A;".into());
                self.moves
                    .push(("hold()".into(), vec!["when tempo[me];".into(), "tempo[me] := false;".into()]));
            }
            2 if !self.alone => {
                self.fields.push("spare: 0..2 = 1;".into());
                self.moves.push(("wait()".into(), vec!["when spare > 0;".into(), "spare -= 1;".into()]));
            }
            3 if !self.alone => {
                let pass = match (&taken, self.choices.below(2)) {
                    (Some(taken), 0) => format!("pass when #({taken}) = {limit};"),
                    _ => "pass when stuck;".into(),
                };
                self.items.push(pass);
                self.cyclic = true;
            }
            // A limit of plies.
            4 => {
                self.fields.push(format!("tick: 0..{} = 0;", limit + 1));
                self.items.push("every move { then { tick += 1; } }".into());
                let result = if self.alone {
                    one_of(self.choices, &["lose", "win"])
                } else {
                    one_of(self.choices, &["draw", "mover wins", "A wins", "mover loses"])
                };
                self.ends.insert(0, format!("when tick >= {} => {result}", limit + 1));
            }
            // Another end.
            5 | 6 => {
                let result = if self.alone {
                    "lose"
                } else {
                    one_of(self.choices, &["draw", "mover wins", "B wins", "mover loses"])
                };
                let condition = match &taken {
                    Some(taken) if self.choices.percent(50) => format!("#({taken}) = {limit}"),
                    Some(taken) => format!("{} in {taken}", self.some_cells(3)),
                    None => return,
                };
                let place = self.choices.below(self.ends.len() as u64 + 1) as usize;
                self.ends.insert(place, format!("when {condition} => {result}"));
            }
            // A move that some cells or one player lack.
            7 | 8 => {
                if let Some(c) = cell {
                    let condition = self.fixed_condition(c);
                    if !(self.alone && condition.contains("me =")) {
                        self.moves[0].1.push(format!("when {condition};"));
                    }
                }
            }
            9 => {
                if let Some(taken) = taken {
                    let condition =
                        one_of(self.choices, &["mod 2 = 0 or me = A", "!= 3", "mod 2 = 1 or me = A", "< 4"]);
                    let condition = if self.alone { "< 4" } else { condition };
                    self.moves[0].1.push(format!("when #({taken}) {condition};"));
                }
            }
            // The cell of the last move counts.
            10 => {
                if cell.is_some() {
                    self.fields
                        .push(format!("{}last: Cell? = none;", one_of(self.choices, &["", "transient "])));
                    let far = one_of(
                        self.choices,
                        &[
                            "c not in last.neighbors",
                            "c != last",
                            "last = none or c in last.neighbors",
                            "c > last or last = none",
                        ],
                    );
                    let far = if far.starts_with("c not") {
                        "(last = none or c not in last.neighbors)"
                    } else {
                        far
                    };
                    self.moves[0].1.push(format!("when {far};"));
                    self.moves[0].1.push("last := c;".into());
                }
            }
            // History.
            11 => {
                self.ends.push(if self.alone {
                    "repeat 2 => lose".into()
                } else {
                    format!(
                        "repeat {} => {}",
                        2 + self.choices.below(2),
                        one_of(self.choices, &["draw", "mover wins", "A wins"])
                    )
                });
            }
            12 => {
                self.items.push(one_of(self.choices, &["forbid repeat;", "forbid repeat within 3;"]).into())
            }
            // Claims and pictures that change nothing.
            13 => {
                self.items
                    .push(one_of(self.choices, &["symmetry Cell;", "invariant mover in Player;"]).into());
            }
            14 => {
                if let Some(c) = cell {
                    let word = one_of(self.choices, &["mandatory ", ""]);
                    let (head, mut body) = self.moves[0].clone();
                    let head = head
                        .replace("put", "must")
                        .replace("claim", "must")
                        .replace("go", "must")
                        .replace("paint", "must");
                    if head != self.moves[0].0 {
                        let condition = self.fixed_condition(c);
                        if self.alone && condition.contains("me =") {
                            return;
                        }
                        body.push(format!("when {condition};"));
                        self.moves.push((format!("{word}|{head}"), body));
                    }
                }
            }
            15 => {
                if self.moves[0].0.contains("c: Cell") {
                    self.moves[0].0 += &format!(
                        " prefer max {}",
                        one_of(self.choices, &["c.index", "#c.neighbors", "-c.index"])
                    );
                }
            }
            // The other player acts where the position says so.
            16 if !self.alone => {
                if let Some(taken) = taken {
                    let by = format!("if #({taken}) mod 3 = 2 then A else mover");
                    self.items.push(format!("phases {{ turn by {by}; }}"));
                }
            }
            17 if !self.alone => {
                let who = one_of(self.choices, &["{ A }", "{ A, B }", "if mover = A then B else A"]);
                self.moves[0].0 += &format!(" by {who}");
            }
            18 => {
                if let (Some(_), Some(taken)) = (cell, taken) {
                    self.moves[0].1.push(format!("then {{ ensure #({taken}) != {limit}; }}"));
                }
            }
            _ => {
                // A cell twice: the condition that it is free goes.
                self.moves[0].1.retain(|line| {
                    !(line.starts_with("when c not in full;") || line.starts_with("when at[c] = none;"))
                });
                self.cyclic = true;
            }
        }
    }

    fn text(&mut self) -> String {
        let head = if self.alone { "player A" } else { "players A, B" };
        let mut text = format!("game \"Boards\";\n{head};\nboard Cell = {};\n", self.board);
        for item in &self.items {
            text += &format!("{item}\n");
        }
        text += &format!("state {{\n  {}\n}}\n", self.fields.join("\n  "));
        for (head, body) in &self.moves {
            let (word, head) = head.split_once('|').unwrap_or(("", head));
            text += &format!("{word}move {head} {{\n  {}\n}}\n", body.join("\n  "));
        }
        let convention = self.ends.iter().find(|end| end.starts_with("play")).cloned();
        match convention {
            // `play` stands for an end rule of its own.
            Some(play) if self.ends.len() == 1 && !self.cyclic => text += &format!("{play};\n"),
            _ => {
                let word = |end: &String| match end.as_str() {
                    "play normal" => "when stuck => mover loses".to_owned(),
                    "play misere" => "when stuck => mover wins".to_owned(),
                    _ => end.clone(),
                };
                let mut ends: Vec<String> = self.ends.iter().map(word).collect();
                if self.cyclic && !self.alone {
                    let endless = one_of(self.choices, &["draw", "draw", "draw", "A wins", "B wins"]);
                    ends.push(format!("repeat => {endless}"));
                }
                text += &format!("end {{\n  {};\n}}\n", ends.join(";\n  "));
            }
        }
        text
    }
}
