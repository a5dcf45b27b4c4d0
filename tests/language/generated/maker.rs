//! Generates sources of small games by a typed grammar: the output is well typed, whether or not the rules make sense.

/// A sequence of choices, given in advance so that a failing source can be shrunk; 0, the simplest, when the sequence
/// is exhausted.
pub struct ChoiceSequence {
    given: Vec<u32>,
    at: usize,
}

impl ChoiceSequence {
    pub fn new(given: Vec<u32>) -> ChoiceSequence {
        ChoiceSequence { given, at: 0 }
    }

    fn below(&mut self, n: usize) -> usize {
        self.at += 1;
        self.given.get(self.at - 1).map_or(0, |&given| given as usize % n.max(1))
    }

    /// Returns true once in `n` times; never when the choices are exhausted.
    fn once_in(&mut self, n: usize) -> bool {
        self.below(n) + 1 == n
    }

    fn of<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())].clone()
    }
}

/// The type of a variable or of a value in a field.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ty {
    Cell,
    Player,
    Dir,
    Kind,
    Piece,
    /// A number from 0 to this.
    Int(usize),
    Bool,
    /// A set of cells.
    Set,
    /// A set of kinds.
    Kinds,
    /// A kind and a number from 0 to 2.
    Pair,
    /// A pair of neighbours.
    Edge,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum BoardKind {
    Grid,
    Hex,
    Torus,
    Row,
    Cube,
    Graph,
}

/// The phases of a game.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PhaseScheme {
    None,
    /// `turn` and `more`: both are the mover's.
    Turns,
    /// In `more` chance acts.
    Chance,
    /// In `turn` all players move simultaneously.
    Each,
}

#[derive(Clone)]
struct FieldDef {
    name: String,
    keys: Vec<Ty>,
    ty: Ty,
    optional: bool,
}

/// A definition: its parameters and the type of its result.
#[derive(Clone)]
struct Def {
    name: String,
    params: Vec<Ty>,
    ty: Ty,
    /// True if the definition uses `me`.
    uses_me: bool,
}

/// A source under construction.
pub struct SourceGenerator {
    dice: ChoiceSequence,
    text: String,
    shape: BoardKind,
    /// True if the board has edges.
    edges: bool,
    cells: Vec<String>,
    players: Vec<&'static str>,
    phases: PhaseScheme,
    fields: Vec<FieldDef>,
    defs: Vec<Def>,
    effects: Vec<String>,
    scope: Vec<(String, Ty)>,
    names: usize,
    /// True if `me` has a meaning here.
    has_me: bool,
    /// The number of open binders: each multiplies the work.
    open: usize,
}

/// Returns the source of a game, by these choices.
pub fn game(dice: ChoiceSequence) -> String {
    let mut maker = SourceGenerator {
        dice,
        text: String::from("game \"Generated\";\n"),
        shape: BoardKind::Grid,
        edges: false,
        cells: Vec::new(),
        players: vec!["Ann", "Bob"],
        phases: PhaseScheme::None,
        fields: Vec::new(),
        defs: Vec::new(),
        effects: Vec::new(),
        scope: Vec::new(),
        names: 0,
        has_me: false,
        open: 0,
    };
    maker.header();
    maker.state();
    maker.definitions();
    maker.moves();
    maker.endings();
    maker.text
}

impl SourceGenerator {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// Returns a new variable. No cell has such a name: cell names begin with a letter of a to h, or are one of p to u.
    fn fresh(&mut self) -> String {
        self.names += 1;
        format!("x{}", self.names)
    }

    // ---- declarations

    fn header(&mut self) {
        self.players = self.dice.of(&[
            vec!["Ann", "Bob"],
            vec!["Ann", "Bob"],
            vec!["Ann", "Bob"],
            vec!["Ann", "Bob"],
            vec!["Ann", "Bob", "Cy"],
            vec!["Ann"],
        ]);
        let head = if self.players.len() == 1 { "player" } else { "players" };
        self.line(&format!("{head} {};", self.players.join(", ")));
        self.line("enum Kind { man, king }");
        self.line("record Piece(owner: Player, kind: Kind);");
        let named = |w: usize, h: usize, there: &dyn Fn(usize, usize) -> bool| -> Vec<String> {
            let all = (1..=h).flat_map(|row| (1..=w).map(move |col| (col, row)));
            let there = all.filter(|&(col, row)| there(col, row));
            there.map(|(col, row)| format!("{}{row}", (b'a' + col as u8 - 1) as char)).collect()
        };
        let (w, h) = (2 + self.dice.below(3), 2 + self.dice.below(2));
        let n = 3 + self.dice.below(5);
        let points = |names: &[&str]| -> Vec<String> { names.iter().map(|name| name.to_string()).collect() };
        let (board, shape, cells) = match self.dice.below(15) {
            0 | 1 => ("grid(3, 3)".into(), BoardKind::Grid, named(3, 3, &|_, _| true)),
            2 | 3 => (format!("grid({w}, {h})"), BoardKind::Grid, named(w, h, &|_, _| true)),
            4 => (
                format!("grid({w}, 4) where (col + row) mod 2 = 0"),
                BoardKind::Grid,
                named(w, 4, &|col, row| (col + row) % 2 == 0),
            ),
            5 => (
                format!("grid(3, {h}) where col != 2 or row = 1"),
                BoardKind::Grid,
                named(3, h, &|col, row| col != 2 || row == 1),
            ),
            6 => (format!("hex({w}, {h})"), BoardKind::Hex, named(w, h, &|_, _| true)),
            7 => (format!("torus({}, 3)", w + 1), BoardKind::Torus, named(w + 1, 3, &|_, _| true)),
            8 => (format!("strip({n})"), BoardKind::Row, named(n, 1, &|_, _| true)),
            9 => (format!("ring({n})"), BoardKind::Row, named(n, 1, &|_, _| true)),
            10 => {
                let points = points(&["p", "q", "r", "s", "t", "u"]);
                ("graph { line p - q - r; line s - q - t; p -> s; t - u; }".into(), BoardKind::Graph, points)
            }
            11 => {
                let points = points(&["p", "q", "r", "s", "t"]);
                ("graph { line p - q - r - p; s -> q; r -> t; t -> s; }".into(), BoardKind::Graph, points)
            }
            12 => {
                let points = points(&["p", "q", "r", "s"]);
                ("graph { p -> q; q -> r; s -> q; r -> p; }".into(), BoardKind::Graph, points)
            }
            13 => {
                let cells = (1..=2).flat_map(|level| ["a", "b", "c"].map(|col| format!("{col}1_{level}")));
                ("cube(3, 1, 2)".into(), BoardKind::Cube, cells.collect())
            }
            _ => ("torus(2, 2)".into(), BoardKind::Torus, named(2, 2, &|_, _| true)),
        };
        self.edges = !board.contains("mod 2");
        (self.shape, self.cells) = (shape, cells);
        self.line(&format!("board Cell = {board};"));
        if self.edges {
            self.line("type Edge = edges(Cell);");
        }
        self.phases = match self.dice.below(12) {
            9 => PhaseScheme::Turns,
            10 => PhaseScheme::Chance,
            11 => PhaseScheme::Each,
            _ => PhaseScheme::None,
        };
        match self.phases {
            PhaseScheme::None => {}
            PhaseScheme::Turns => self.line("phases { turn; more; }"),
            PhaseScheme::Chance => self.line("phases { turn; more by chance; }"),
            PhaseScheme::Each => self.line("phases { turn by each; more; }"),
        }
    }

    fn dirs(&self) -> &'static [&'static str] {
        match self.shape {
            BoardKind::Grid | BoardKind::Torus => &["N", "E", "NE", "SW", "W", "S", "NW", "SE"],
            BoardKind::Hex => &["N", "NE", "E", "S", "SW", "W"],
            BoardKind::Row => &["E", "W"],
            BoardKind::Cube => &["N", "E", "S", "W", "U", "D"],
            BoardKind::Graph => &[],
        }
    }

    fn named(&self, ty: Ty) -> String {
        match ty {
            Ty::Cell => "Cell".into(),
            Ty::Player => "Player".into(),
            Ty::Dir => "Dir".into(),
            Ty::Kind => "Kind".into(),
            Ty::Piece => "Piece".into(),
            Ty::Int(most) => format!("0..{most}"),
            Ty::Bool => "bool".into(),
            Ty::Set => "set of Cell".into(),
            Ty::Kinds => "set of Kind".into(),
            Ty::Pair => "(Kind, 0..2)".into(),
            Ty::Edge => "Edge".into(),
        }
    }

    fn field(&mut self, keys: Vec<Ty>, ty: Ty, optional: bool) {
        let name = format!("v{}", self.fields.len());
        let depth = self.scope.len();
        let keyed: Vec<String> = keys
            .iter()
            .map(|&key| {
                let x = self.fresh();
                self.scope.push((x.clone(), key));
                format!("{x}: {}", self.named(key))
            })
            .collect();
        let (keyed, kind) = match keyed.is_empty() {
            true => (String::new(), if self.dice.once_in(3) { "transient " } else { "" }),
            false => {
                (format!("[{}]", keyed.join(", ")), if self.dice.once_in(9) { "transient " } else { "" })
            }
        };
        let value = match (optional, ty) {
            (true, _) if !self.dice.once_in(3) => "none".into(),
            (true, _) => {
                let (a, f) = (self.literal(ty), self.initial());
                format!("if {f} then {a} else none")
            }
            (false, Ty::Set | Ty::Kinds) if !self.dice.once_in(3) => "{}".into(),
            (false, Ty::Kinds) => self.literal(Ty::Kinds),
            (false, Ty::Set) => {
                let (x, a) = (self.fresh(), self.cell_name());
                format!("{{ {x} in Cell where {x} != {a} }}")
            }
            (false, Ty::Bool) => self.initial(),
            (false, _) => {
                let (a, b, f) = (self.literal(ty), self.literal(ty), self.initial());
                format!("if {f} then {a} else {b}")
            }
        };
        self.scope.truncate(depth);
        let mark = if optional { "?" } else { "" };
        let shown = self.named(ty);
        self.line(&format!("  {kind}{name}{keyed}: {shown}{mark} = {value};"));
        self.fields.push(FieldDef { name, keys, ty, optional });
    }

    /// Returns a condition on the keys of a field.
    fn initial(&mut self) -> String {
        let keys: Vec<(String, Ty)> = self.scope.clone();
        if keys.is_empty() {
            return self.dice.of(&["false", "true"]).into();
        }
        match self.dice.of(&keys) {
            (x, Ty::Cell) => match self.dice.below(3) {
                0 => format!("{x} = {}", self.cell_name()),
                1 => format!("{x}.index mod 2 = 0"),
                _ => format!("{x}.index <= {}", self.cells.len() / 2),
            },
            (x, Ty::Edge) => format!("{} in {x}.ends", self.cell_name()),
            (x, ty) => format!("{x} = {}", self.literal(ty)),
        }
    }

    fn cell_name(&mut self) -> String {
        self.dice.of(&self.cells)
    }

    /// Returns a constant value.
    fn literal(&mut self, ty: Ty) -> String {
        match ty {
            Ty::Cell => self.cell_name(),
            Ty::Player => self.dice.of(&self.players).into(),
            Ty::Dir => self.dice.of(self.dirs()).into(),
            Ty::Kind => self.dice.of(&["man", "king"]).into(),
            Ty::Piece => format!("Piece({}, {})", self.literal(Ty::Player), self.literal(Ty::Kind)),
            Ty::Int(most) => self.dice.below(most + 1).to_string(),
            Ty::Bool => self.dice.of(&["false", "true"]).into(),
            Ty::Set => format!("{{ {}, {} }}", self.cell_name(), self.cell_name()),
            Ty::Kinds => self.dice.of(&["{ man }", "{ king }", "Kind"]).into(),
            Ty::Pair => format!("({}, {})", self.literal(Ty::Kind), self.literal(Ty::Int(2))),
            Ty::Edge => format!("(min x in {}.edges: x)", self.cell_name()),
        }
    }

    fn state(&mut self) {
        self.line("state {");
        match self.dice.below(8) {
            0..4 => self.field(vec![Ty::Cell], Ty::Player, true),
            4 | 5 => self.field(vec![Ty::Cell], Ty::Piece, true),
            6 => self.field(vec![Ty::Cell], Ty::Kind, true),
            _ => self.field(vec![Ty::Cell], Ty::Int(3), false),
        }
        for _ in 0..self.dice.below(4) {
            match self.dice.below(17) {
                13 => self.field(vec![], Ty::Kinds, false),
                14 => self.field(vec![], Ty::Pair, false),
                15 if self.edges => self.field(vec![Ty::Edge], Ty::Player, true),
                16 => self.field(vec![Ty::Player], Ty::Kinds, false),
                0 => self.field(vec![Ty::Player], Ty::Int(4), false),
                1 => self.field(vec![], Ty::Cell, true),
                2 => self.field(vec![], Ty::Set, false),
                3 => self.field(vec![], Ty::Int(6), false),
                4 => self.field(vec![Ty::Cell], Ty::Bool, false),
                5 => self.field(vec![Ty::Player], Ty::Cell, false),
                6 => self.field(vec![Ty::Player], Ty::Cell, true),
                7 => self.field(vec![Ty::Player], Ty::Set, false),
                8 => self.field(vec![Ty::Player, Ty::Kind], Ty::Int(3), false),
                9 => self.field(vec![], Ty::Player, true),
                10 => self.field(vec![], Ty::Int(3), true),
                11 => self.field(vec![Ty::Int(2)], Ty::Kind, true),
                _ => self.field(vec![Ty::Cell], Ty::Cell, true),
            }
        }
        self.line("}");
    }

    fn definitions(&mut self) {
        for _ in 0..self.dice.below(4) {
            let name = format!("w{}", self.defs.len());
            let all = [Ty::Cell, Ty::Player, Ty::Int(3), Ty::Dir, Ty::Set];
            let count = if self.dirs().is_empty() { 3 } else { 4 };
            let mut params = Vec::new();
            for _ in 0..self.dice.below(3) {
                params.push(all[self.dice.below(count)]);
            }
            let what = self.dice.below(7);
            if what >= 5 {
                params.insert(0, Ty::Cell);
            }
            self.has_me = what < 5 && self.dice.once_in(3);
            let formals: Vec<String> = params
                .iter()
                .map(|&ty| {
                    let x = self.fresh();
                    self.scope.push((x.clone(), ty));
                    format!("{x}: {}", self.named(ty))
                })
                .collect();
            let first = self.scope.first().map(|(x, _)| x.clone()).unwrap_or_default();
            let rest: Vec<String> = self.scope.iter().skip(1).map(|(x, _)| format!(", {x}")).collect();
            let (head, ty, body) = match what {
                0 | 1 => ("def", Ty::Bool, self.formula(3)),
                2 => {
                    ("def", Ty::Int(9), if self.dice.once_in(3) { self.chosen_number() } else { self.int(3) })
                }
                3 => ("def", Ty::Set, self.set(3)),
                4 => ("def", Ty::Cell, self.cell(3)),
                _ => {
                    // The relation from a cell to the cells connected with it.
                    let begin = self.formula(1);
                    let earlier = if self.dice.once_in(2) { self.called(Ty::Bool, 1) } else { None };
                    let begin = earlier.map_or(begin.clone(), |other| format!("({begin} and not {other})"));
                    let x = self.fresh();
                    self.scope.push((x.clone(), Ty::Cell));
                    let on = self.formula(1);
                    let domain = self.dice.of(&["neighbors", "neighbors", "around"]);
                    let domain = if self.shape == BoardKind::Graph { "neighbors" } else { domain };
                    let rest = rest.concat();
                    let body =
                        format!("{begin} or (some {x} in {first}.{domain}: {on} and {name}({x}{rest}))");
                    ("inductive", Ty::Bool, body)
                }
            };
            self.scope.clear();
            let formals = match (formals.is_empty(), head) {
                (true, "def") => String::new(),
                _ => format!("({})", formals.join(", ")),
            };
            // `one x in S: f` would be the x.
            let formals = match ty {
                Ty::Bool if head == "def" => format!("{formals}: bool"),
                Ty::Int(_) if self.dice.once_in(2) => {
                    let low = self.dice.below(3);
                    format!("{formals}: {low}..{}", low + self.dice.below(5))
                }
                _ => formals,
            };
            self.line(&format!("{head} {name}{formals} = {body};"));
            self.defs.push(Def { name, params, ty, uses_me: self.has_me });
            self.has_me = false;
        }
        if self.dice.once_in(4) {
            let x = self.fresh();
            self.scope.push((x.clone(), Ty::Cell));
            self.line(&format!("effect z0({x}: Cell) {{"));
            self.effect(0, "  ");
            self.line("}");
            self.scope.clear();
            self.effects.push("z0".into());
        }
    }

    // ---- terms

    /// Returns the least, the greatest or the only number that satisfies a condition.
    fn chosen_number(&mut self) -> String {
        let x = self.fresh();
        self.scope.push((x.clone(), Ty::Int(6)));
        let f = self.formula(2);
        self.scope.pop();
        match self.dice.below(3) {
            0 => format!("one {x} in 1..6: {f}"),
            which => format!("{}({{ {x} in 1..6 where {f} }})", ["min", "max"][which - 1]),
        }
    }

    /// Returns a variable of this type, mostly one of the last.
    fn variable(&mut self, ty: Ty) -> Option<String> {
        let same = |of: Ty| of == ty || matches!((of, ty), (Ty::Int(_), Ty::Int(_)));
        let found: Vec<String> =
            self.scope.iter().rev().filter(|(_, of)| same(*of)).map(|(x, _)| x.clone()).collect();
        match found.is_empty() {
            true => None,
            false => Some(self.dice.of(&found)),
        }
    }

    /// Returns a read of a field of this type, with the name of the field.
    fn read(&mut self, ty: Ty, depth: usize) -> Option<String> {
        let same = |of: Ty| of == ty || matches!((of, ty), (Ty::Int(_), Ty::Int(_)));
        let found: Vec<FieldDef> = self.fields.iter().filter(|f| same(f.ty)).cloned().collect();
        if found.is_empty() {
            return None;
        }
        let field = self.dice.of(&found);
        Some(self.place(&field, depth))
    }

    fn place(&mut self, field: &FieldDef, depth: usize) -> String {
        if field.keys.is_empty() {
            return field.name.clone();
        }
        let keys: Vec<String> = field.keys.iter().map(|&key| self.term(key, depth)).collect();
        format!("{}[{}]", field.name, keys.join(", "))
    }

    fn called(&mut self, ty: Ty, depth: usize) -> Option<String> {
        let same = |of: Ty| of == ty || matches!((of, ty), (Ty::Int(_), Ty::Int(_)));
        let mine = self.has_me;
        let found: Vec<Def> =
            self.defs.iter().filter(|d| same(d.ty) && (mine || !d.uses_me)).cloned().collect();
        if found.is_empty() {
            return None;
        }
        let def = self.dice.of(&found);
        if def.params.is_empty() {
            return Some(def.name);
        }
        let arguments: Vec<String> = def.params.iter().map(|&ty| self.term(ty, depth)).collect();
        Some(format!("{}({})", def.name, arguments.join(", ")))
    }

    fn term(&mut self, ty: Ty, depth: usize) -> String {
        match ty {
            Ty::Cell => self.cell(depth),
            Ty::Player => self.player(depth),
            Ty::Dir => self.dir(depth),
            Ty::Kind => self.kind(depth),
            Ty::Piece => self.piece(depth),
            Ty::Int(most) => match self.variable(Ty::Int(0)) {
                Some(x) if self.dice.below(2) == 0 => x,
                _ if depth == 0 => self.literal(ty),
                _ => format!("({} mod {})", self.int(depth - 1), most + 1),
            },
            Ty::Bool => self.formula(depth),
            Ty::Set => self.set(depth),
            Ty::Kinds => self.kinds(depth),
            Ty::Pair => match self.read(Ty::Pair, 0) {
                Some(read) if self.dice.below(3) > 0 => read,
                _ => format!("({}, {} mod 3)", self.kind(depth), self.int(depth)),
            },
            Ty::Edge => match self.variable(Ty::Edge) {
                Some(x) => x,
                None => {
                    let word = self.dice.of(&["min", "max"]);
                    let x = self.fresh();
                    format!("({word} {x} in {}.edges: {x})", self.cell(depth.saturating_sub(1)))
                }
            },
        }
    }

    fn player(&mut self, depth: usize) -> String {
        let me = if self.has_me { "me" } else { "mover" };
        match self.dice.below(if depth == 0 { 3 } else { 10 }) {
            0 => self.variable(Ty::Player).unwrap_or_else(|| me.into()),
            1 => me.into(),
            2 => self.literal(Ty::Player),
            3 | 4 if self.players.len() == 2 => format!("other({})", self.player(depth - 1)),
            5 | 6 => self.read(Ty::Player, depth - 1).unwrap_or_else(|| me.into()),
            7 => format!("{}.owner", self.piece(depth - 1)),
            8 => self.choice(Ty::Player, depth),
            _ if self.has_me && self.players.len() == 2 => "opponent".into(),
            _ => "mover".into(),
        }
    }

    fn kind(&mut self, depth: usize) -> String {
        match self.dice.below(if depth == 0 { 2 } else { 6 }) {
            0 => self.variable(Ty::Kind).unwrap_or_else(|| self.literal(Ty::Kind)),
            1 => self.literal(Ty::Kind),
            2 | 3 => self.read(Ty::Kind, depth - 1).unwrap_or_else(|| "man".into()),
            4 => format!("{}.kind", self.piece(depth - 1)),
            _ => self.choice(Ty::Kind, depth),
        }
    }

    /// Returns a set of kinds.
    fn kinds(&mut self, depth: usize) -> String {
        match self.dice.below(if depth == 0 { 2 } else { 5 }) {
            0 => self.literal(Ty::Kinds),
            1 => self.read(Ty::Kinds, 0).unwrap_or_else(|| "Kind".into()),
            2 => format!("{{ {} }}", self.kind(0)),
            3 => {
                let operator = self.dice.of(&["|", "&", "-"]);
                format!("({} {operator} {})", self.kinds(depth - 1), self.kinds(depth - 1))
            }
            _ if self.open < 3 => {
                let x = self.fresh();
                self.scope.push((x.clone(), Ty::Kind));
                self.open += 1;
                let f = self.formula(depth - 1);
                self.open -= 1;
                self.scope.pop();
                format!("{{ {x} in Kind where {f} }}")
            }
            _ => "{ king }".into(),
        }
    }

    fn piece(&mut self, depth: usize) -> String {
        match self.dice.below(if depth == 0 { 1 } else { 3 }) {
            0 | 1 => match self.read(Ty::Piece, depth.saturating_sub(1)) {
                Some(read) => read,
                None => self.literal(Ty::Piece),
            },
            _ => format!("Piece({}, {})", self.player(depth - 1), self.kind(depth - 1)),
        }
    }

    fn dir(&mut self, depth: usize) -> String {
        match self.dice.below(if depth == 0 { 2 } else { 4 }) {
            0 | 1 => self.variable(Ty::Dir).unwrap_or_else(|| self.literal(Ty::Dir)),
            2 => format!("dir({}, {})", self.cell(depth - 1), self.cell(depth - 1)),
            _ => self.choice(Ty::Dir, depth),
        }
    }

    /// Returns a term that means the same wherever it stands: `one x in S: f` is a condition in some places only.
    fn branch(&mut self, ty: Ty, depth: usize) -> String {
        if ty == Ty::Bool { self.atom(depth) } else { self.term(ty, depth) }
    }

    /// Returns one of two values, or a name for a part.
    fn choice(&mut self, ty: Ty, depth: usize) -> String {
        match self.dice.below(4) {
            0 | 1 => {
                let f = self.formula(depth - 1);
                format!("(if {f} then {} else {})", self.branch(ty, depth - 1), self.branch(ty, depth - 1))
            }
            2 => {
                let of = self.player(depth - 1);
                let (first, other) = (self.branch(ty, depth - 1), self.branch(ty, depth - 1));
                format!("(match {of} {{ Ann => {first}, _ => {other} }})")
            }
            _ => {
                let (x, value) = (self.fresh(), self.cell(depth - 1));
                self.scope.push((x.clone(), Ty::Cell));
                let body = self.branch(ty, depth - 1);
                self.scope.pop();
                format!("(let {x} = {value}: {body})")
            }
        }
    }

    fn cell(&mut self, depth: usize) -> String {
        let dirs = !self.dirs().is_empty();
        match self.dice.below(if depth == 0 { 4 } else { 17 }) {
            0 | 1 => self.variable(Ty::Cell).unwrap_or_else(|| self.cell_name()),
            2 => self.cell_name(),
            3 => match self.read(Ty::Cell, 0) {
                Some(read) => read,
                None => self.cell_name(),
            },
            4..8 if dirs => format!("({} + {})", self.cell(depth - 1), self.dir(depth - 1)),
            8 => self.read(Ty::Cell, depth - 1).unwrap_or_else(|| self.cells[0].clone()),
            9 => self.called(Ty::Cell, depth - 1).unwrap_or_else(|| self.cells[0].clone()),
            10 => self.choice(Ty::Cell, depth),
            11 => format!("beyond({}, {})", self.cell(depth - 1), self.cell(depth - 1)),
            12 if matches!(self.shape, BoardKind::Grid | BoardKind::Hex | BoardKind::Torus) => {
                format!("{}.transpose", self.cell(depth - 1))
            }
            13 if matches!(self.shape, BoardKind::Grid | BoardKind::Hex | BoardKind::Torus) => {
                format!("Cell({}, {})", self.int(depth - 1), self.int(depth - 1))
            }
            14 | 15 if self.open < 3 => {
                let word = self.dice.of(&["one", "min", "max"]);
                let (x, set) = (self.fresh(), self.set(depth - 1));
                self.scope.push((x.clone(), Ty::Cell));
                self.open += 1;
                let f = self.formula(depth - 1);
                self.open -= 1;
                self.scope.pop();
                match word {
                    "one" => format!("(one {x} in {set}: {f})"),
                    _ => format!("({word} {x} in {set} where {f}: {x})"),
                }
            }
            _ => self.variable(Ty::Cell).unwrap_or_else(|| self.cell_name()),
        }
    }

    fn set(&mut self, depth: usize) -> String {
        let around = |maker: &mut SourceGenerator| match maker.shape {
            BoardKind::Graph => "neighbors".to_string(),
            BoardKind::Grid | BoardKind::Torus => {
                maker.dice.of(&["neighbors", "around", "diagonals", "leap(1, 2)"]).into()
            }
            _ => maker.dice.of(&["neighbors", "around"]).into(),
        };
        let near = match depth {
            0 => 0,
            _ => depth - 1,
        };
        match self.dice.below(if depth == 0 { 5 } else { 20 }) {
            17 if self.edges => format!("{}.ends", self.term(Ty::Edge, near)),
            18 if self.open < 3 => {
                let scope = self.scope.len();
                let binder = self.binder(near);
                self.open += 1;
                let value = self.set(near);
                self.open -= 1;
                self.scope.truncate(scope);
                format!("(union {binder}: {value})")
            }
            19 => format!("flood({}, {})", self.set(near), self.set(near)),
            0 => "Cell".into(),
            1 => self.variable(Ty::Set).unwrap_or_else(|| "Cell".into()),
            2 => {
                let of = around(self);
                format!("{}.{of}", self.cell(near))
            }
            3 => self.literal(Ty::Set),
            4 => self.read(Ty::Set, near).unwrap_or_else(|| "Cell".into()),
            5 => format!("{{ {} }}", self.cell(near)),
            6..9 if self.open < 3 => {
                let (x, set) = (self.fresh(), self.set(near));
                self.scope.push((x.clone(), Ty::Cell));
                self.open += 1;
                let f = self.formula(near);
                self.open -= 1;
                self.scope.pop();
                format!("{{ {x} in {set} where {f} }}")
            }
            9 if self.open < 3 => {
                let depth = self.scope.len();
                let binder = self.binder(near);
                self.open += 1;
                let value = self.cell(near);
                self.open -= 1;
                self.scope.truncate(depth);
                format!("{{ {value} for {binder} }}")
            }
            10 | 11 => {
                let operator = self.dice.of(&["|", "&", "-"]);
                format!("({} {operator} {})", self.set(near), self.set(near))
            }
            12 => format!("between({}, {})", self.cell(near), self.cell(near)),
            13 if !self.dirs().is_empty() => format!("ray({}, {})", self.cell(near), self.dir(near)),
            14 => format!("flood({}, {})", self.set(near), self.set(near)),
            15 => self.called(Ty::Set, near).unwrap_or_else(|| "Cell".into()),
            16 => self.choice(Ty::Set, depth),
            _ => "Cell".into(),
        }
    }

    fn int(&mut self, depth: usize) -> String {
        match self.dice.below(if depth == 0 { 3 } else { 16 }) {
            0 => self.variable(Ty::Int(0)).unwrap_or_else(|| self.literal(Ty::Int(3))),
            1 => self.literal(Ty::Int(3)),
            2 => self.read(Ty::Int(0), 0).unwrap_or_else(|| "1".into()),
            3 | 4 => self.read(Ty::Int(0), depth - 1).unwrap_or_else(|| "2".into()),
            5 => format!("#{}", self.set(depth - 1)),
            6 => {
                let operator = self.dice.of(&["+", "-", "*"]);
                format!("({} {operator} {})", self.int(depth - 1), self.int(depth - 1))
            }
            7 => {
                let (operator, by) = (self.dice.of(&["mod", "/"]), 2 + self.dice.below(3));
                format!("({} {operator} {by})", self.int(depth - 1))
            }
            8 => {
                let part = self.dice.of(&["index", "col", "row", "reading"]);
                let part = match self.shape {
                    BoardKind::Graph => "index",
                    BoardKind::Cube if part != "reading" => self.dice.of(&["index", "level", part]),
                    _ => part,
                };
                format!("{}.{part}", self.cell(depth - 1))
            }
            9 | 10 if self.open < 3 => {
                let scope = self.scope.len();
                let binder = self.binder(depth - 1);
                self.open += 1;
                let f = self.formula(depth - 1);
                self.open -= 1;
                self.scope.truncate(scope);
                format!("(count {binder}: {f})")
            }
            11 | 12 if self.open < 3 => {
                let word = self.dice.of(&["sum", "min", "max"]);
                let scope = self.scope.len();
                let binder = self.binder(depth - 1);
                self.open += 1;
                let value = self.int(depth - 1);
                self.open -= 1;
                self.scope.truncate(scope);
                format!("({word} {binder}: {value})")
            }
            13 => self.choice(Ty::Int(3), depth),
            14 => self.called(Ty::Int(9), depth - 1).unwrap_or_else(|| "3".into()),
            _ => {
                let word = self.dice.of(&["min", "max"]);
                format!("{word}({}, {})", self.int(depth - 1), self.int(depth - 1))
            }
        }
    }

    /// Returns `x in S`, `x in S where f`; the variable stays in scope.
    fn binder(&mut self, depth: usize) -> String {
        let x = self.fresh();
        let (domain, ty) = match self.dice.below(15) {
            12 if self.edges => ("Edge".into(), Ty::Edge),
            13 if self.edges => match self.variable(Ty::Cell) {
                Some(c) => (format!("{c}.edges"), Ty::Edge),
                None => ("Edge".into(), Ty::Edge),
            },
            14 => (self.kinds(depth.min(1)), Ty::Kind),
            0 | 1 => ("Cell".into(), Ty::Cell),
            2 | 3 => match self.variable(Ty::Cell) {
                Some(c) => (format!("{c}.neighbors"), Ty::Cell),
                None => ("Cell".into(), Ty::Cell),
            },
            4 | 5 => (self.set(depth), Ty::Cell),
            6 => (format!("lines(Cell, {})", 2 + self.dice.below(2)), Ty::Set),
            7 => ("Player".into(), Ty::Player),
            8 | 9 if !self.dirs().is_empty() => match self.shape {
                BoardKind::Grid if self.dice.once_in(3) => ("Diagonal".into(), Ty::Dir),
                _ => ("Dir".into(), Ty::Dir),
            },
            10 => (format!("{}..3", self.dice.below(3)), Ty::Int(3)),
            _ => ("Kind".into(), Ty::Kind),
        };
        self.scope.push((x.clone(), ty));
        if self.dice.once_in(4) {
            self.open += 1;
            let f = self.formula(depth.min(1));
            self.open -= 1;
            return format!("{x} in {domain} where {f}");
        }
        format!("{x} in {domain}")
    }

    // ---- conditions

    fn formula(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.atom(0);
        }
        match self.dice.below(16) {
            0..5 => self.atom(depth - 1),
            5 => format!("({} and {})", self.formula(depth - 1), self.formula(depth - 1)),
            6 => format!("({} or {})", self.formula(depth - 1), self.formula(depth - 1)),
            7 => format!("(not {})", self.formula(depth - 1)),
            8 => {
                let word = self.dice.of(&["implies", "iff"]);
                format!("({} {word} {})", self.formula(depth - 1), self.formula(depth - 1))
            }
            9..14 if self.open < 3 => {
                let word = self.dice.of(&["some", "all", "no", "some", "all", "one"]);
                let scope = self.scope.len();
                let mut binders = vec![self.binder(depth - 1)];
                if word != "one" && self.open < 2 && self.dice.once_in(4) {
                    binders.push(self.binder(depth - 1));
                }
                self.open += binders.len();
                let f = self.formula(depth - 1);
                self.open -= binders.len();
                self.scope.truncate(scope);
                format!("({word} {}: {f})", binders.join(", "))
            }
            14 => self.choice(Ty::Bool, depth),
            _ => self.atom(depth),
        }
    }

    fn atom(&mut self, depth: usize) -> String {
        let equal = |maker: &mut SourceGenerator| maker.dice.of(&["=", "!=", "="]);
        match self.dice.below(27) {
            22 => {
                let operator = self.dice.of(&["in", "not in"]);
                format!("{} {operator} {}", self.kind(depth), self.kinds(depth))
            }
            23 => {
                let operator = self.dice.of(&["=", "!=", "in"]);
                format!("{} {operator} {}", self.kinds(depth), self.kinds(depth))
            }
            24 => {
                let operator = self.dice.of(&["=", "!=", "<"]);
                format!("{} {operator} {}", self.term(Ty::Pair, depth), self.term(Ty::Pair, depth))
            }
            25 => {
                let (k, n) = (self.fresh(), self.fresh());
                let pair = self.term(Ty::Pair, depth);
                self.scope.push((k.clone(), Ty::Kind));
                self.scope.push((n.clone(), Ty::Int(2)));
                let f = self.atom(0);
                self.scope.truncate(self.scope.len() - 2);
                format!("(some ({k}, {n}) in {{ {pair} }}: {f})")
            }
            26 if self.edges => {
                format!("{} in {}.edges", self.term(Ty::Edge, depth), self.cell(depth))
            }
            0..4 => {
                let field = self.fields[0].clone();
                self.field_condition(&field, depth)
            }
            4..7 => {
                let field = self.dice.of(&self.fields.clone());
                self.field_condition(&field, depth)
            }
            7 | 8 => {
                let operator = self.dice.of(&["=", "!=", "<", "="]);
                format!("{} {operator} {}", self.cell(depth), self.cell(depth))
            }
            9 | 10 => {
                let operator = self.dice.of(&["in", "not in", "in"]);
                format!("{} {operator} {}", self.cell(depth), self.set(depth))
            }
            11 | 12 => {
                let operator = self.dice.of(&["=", "<", ">=", "!=", ">", "<="]);
                format!("{} {operator} {}", self.int(depth), self.int(depth))
            }
            13 => {
                let operator = equal(self);
                format!("{} {operator} {}", self.player(depth), self.player(depth))
            }
            14 => {
                let word = self.dice.of(&["aligned", "orthogonal", "diagonal"]);
                let word = if self.shape == BoardKind::Graph { "aligned" } else { word };
                format!("{word}({}, {})", self.cell(depth), self.cell(depth))
            }
            15 => {
                let operator = self.dice.of(&["=", "!=", "in"]);
                format!("{} {operator} {}", self.set(depth), self.set(depth))
            }
            16 => format!("{} != {{}}", self.set(depth)),
            17 if !self.dirs().is_empty() => {
                let operator = equal(self);
                format!("{} {operator} {}", self.dir(depth), self.dir(depth))
            }
            18 if !self.dirs().is_empty() => {
                format!("{} + {} in {}", self.cell(depth), self.dir(depth), self.set(depth))
            }
            19 | 20 => self.called(Ty::Bool, depth).unwrap_or_else(|| "mover = Ann".into()),
            _ => {
                let operator = equal(self);
                format!("{} {operator} {}", self.kind(depth), self.kind(depth))
            }
        }
    }

    /// Returns a condition on a cell of a field.
    fn field_condition(&mut self, field: &FieldDef, depth: usize) -> String {
        let place = self.place(field, depth);
        let operator = self.dice.of(&["=", "!=", "="]);
        match field.ty {
            Ty::Bool => place,
            _ if field.optional && self.dice.below(2) == 0 => format!("{place} {operator} none"),
            Ty::Int(_) => {
                let operator = self.dice.of(&["=", "<", ">", operator]);
                format!("{place} {operator} {}", self.int(depth))
            }
            Ty::Set => format!("{} in {place}", self.cell(depth)),
            Ty::Kinds => format!("{} in {place}", self.kind(depth)),
            Ty::Piece if self.dice.below(2) == 0 => {
                let (part, value) = match self.dice.below(2) {
                    0 => ("owner", self.player(depth)),
                    _ => ("kind", self.kind(depth)),
                };
                format!("{place}.{part} {operator} {value}")
            }
            ty => format!("{place} {operator} {}", self.term(ty, depth)),
        }
    }

    // ---- moves

    fn moves(&mut self) {
        let count = 1 + self.dice.below(3);
        for k in 0..count {
            self.has_me = true;
            let mut formals = Vec::new();
            let edge = if self.edges { Ty::Edge } else { Ty::Cell };
            let kinds = [Ty::Cell, Ty::Cell, Ty::Dir, Ty::Player, Ty::Int(2), Ty::Kind, edge];
            let mut params = Vec::new();
            for _ in 0..self.dice.of(&[1, 1, 1, 2, 2, 0]) {
                let ty = self.dice.of(&kinds);
                params.push(if ty == Ty::Dir && self.dirs().is_empty() { Ty::Cell } else { ty });
            }
            if k == 0 && params.is_empty() {
                params.push(Ty::Cell);
            }
            for ty in params {
                let x = self.fresh();
                formals.push(format!("{x}: {}", self.named(ty)));
                self.scope.push((x, ty));
            }
            let chance = self.phases == PhaseScheme::Chance && k == 1;
            self.has_me = !chance;
            let mandatory = if self.dice.once_in(8) && !chance { "mandatory " } else { "" };
            let by = match self.dice.once_in(12) && !chance {
                true => format!(" by {}", self.literal(Ty::Player)),
                false => String::new(),
            };
            let phase = match (self.phases, k) {
                (PhaseScheme::None, _) => "",
                (_, 0) => " in turn",
                (_, 1) => " in more",
                (PhaseScheme::Chance, _) => " in turn",
                _ => " in turn, more",
            };
            let prefer = match self.dice.once_in(7) && !chance {
                true => format!(" prefer max {}", self.int(2)),
                false => String::new(),
            };
            let word = if chance { "chance" } else { "move" };
            self.line(&format!("{mandatory}{word} m{k}({}){by}{phase}{prefer} {{", formals.join(", ")));
            if chance && self.dice.below(3) > 0 {
                let (n, by) = (self.int(1), 1 + self.dice.below(3));
                self.line(&format!("  weight ({n}) / {by};"));
            }
            if self.dice.once_in(5) {
                let (x, ty) = (self.fresh(), self.dice.of(&[Ty::Cell, Ty::Player, Ty::Set]));
                let value = self.term(ty, 2);
                self.line(&format!("  let {x} = {value};"));
                self.scope.push((x, ty));
            }
            if !self.dice.once_in(4) {
                let field = self.fields[0].clone();
                let place = self.place(&field, 0);
                match field.optional {
                    true => self.line(&format!("  when {place} = none;")),
                    false => self.line(&format!("  when {place} < 3;")),
                }
                if !self.dice.once_in(4) {
                    match field.ty {
                        Ty::Int(_) => self.line(&format!("  {place} += 1;")),
                        ty => {
                            let value = self.term(ty, 0);
                            self.line(&format!("  {place} := {value};"));
                        }
                    }
                }
            }
            for _ in 0..self.dice.below(3) {
                let f = self.formula(3);
                self.line(&format!("  when {f};"));
            }
            for _ in 0..self.dice.below(3) {
                self.effect(2, "  ");
            }
            self.stages("  ", 2, self.phases != PhaseScheme::None && k == 0);
            self.line("}");
            self.scope.clear();
        }
        if self.phases != PhaseScheme::None && count == 1 {
            let word = if self.phases == PhaseScheme::Chance { "chance" } else { "move" };
            self.line(&format!("{word} m9() in more {{ }}"));
        }
        if self.dice.once_in(8) {
            self.line("every move {");
            match self.dice.below(2) {
                0 => {
                    let f = self.formula(2);
                    self.line(&format!("  when {f};"));
                }
                _ => {
                    self.line("  then {");
                    self.effect(1, "    ");
                    self.line("  }");
                }
            }
            self.line("}");
        }
        self.has_me = false;
        match self.dice.below(6) {
            3 | 4 => self.line("pass when stuck;"),
            5 => {
                let f = self.formula(2);
                self.line(&format!("pass when {f};"));
            }
            _ => {}
        }
    }

    /// Writes statements about the next turn, or a stage after this one.
    fn stages(&mut self, indent: &str, depth: usize, must: bool) {
        match self.dice.below(9) {
            _ if must => {
                let f = self.formula(1);
                self.line(&format!("{indent}if {f} {{ continue more; }}"));
            }
            6 => {
                // After simultaneous moves no player has a turn that he could keep.
                let stay = if self.phases == PhaseScheme::Each { "continue more" } else { "again" };
                let f = self.formula(1);
                self.line(&format!("{indent}if {f} {{ {stay}; }}"));
            }
            7 => {
                let player = self.literal(Ty::Player);
                self.line(&format!("{indent}next {player};"));
            }
            8 if self.players.len() == 2 && self.has_me => {
                let f = self.formula(1);
                self.line(&format!("{indent}next if {f} then opponent else me;"));
            }
            _ => {}
        }
        if depth > 0 && self.dice.once_in(3) {
            self.line(&format!("{indent}then {{"));
            let inner = format!("{indent}  ");
            if self.dice.below(2) == 0 {
                let f = self.formula(2);
                self.line(&format!("{inner}ensure {f};"));
            }
            for _ in 0..self.dice.below(3) {
                self.effect(1, &inner);
            }
            self.stages(&inner, depth - 1, false);
            self.line(&format!("{indent}}}"));
        }
    }

    /// Writes an effect, or several under a condition or for each element.
    fn effect(&mut self, depth: usize, indent: &str) {
        let inner = format!("{indent}  ");
        match self.dice.below(if depth == 0 { 6 } else { 11 }) {
            6 | 7 => {
                let f = self.formula(2);
                self.line(&format!("{indent}if {f} {{"));
                self.effect(depth - 1, &inner);
                if self.dice.below(2) == 1 {
                    self.line(&format!("{indent}}} else {{"));
                    self.effect(depth - 1, &inner);
                }
                self.line(&format!("{indent}}}"));
            }
            8 | 9 => {
                let scope = self.scope.len();
                let binder = self.binder(1);
                self.line(&format!("{indent}for {binder} {{"));
                self.open += 1;
                self.effect(depth - 1, &inner);
                self.open -= 1;
                self.scope.truncate(scope);
                self.line(&format!("{indent}}}"));
            }
            10 if !self.effects.is_empty() => {
                let (name, cell) = (self.dice.of(&self.effects), self.cell(1));
                self.line(&format!("{indent}{name}({cell});"));
            }
            _ => {
                let field = self.dice.of(&self.fields.clone());
                let far = usize::from(self.dice.once_in(5));
                let place = self.place(&field, far);
                let line = self.changed(&field, &place);
                self.line(&format!("{indent}{line}"));
            }
        }
    }

    fn changed(&mut self, field: &FieldDef, place: &str) -> String {
        match (field.ty, self.dice.below(6)) {
            (Ty::Int(_), 0) if !field.optional => format!("{place} += 1;"),
            (Ty::Int(_), 1) if !field.optional => format!("{place} -= {};", self.literal(Ty::Int(2))),
            (Ty::Int(most), _) => format!("{place} := max(0, min({most}, {}));", self.int(2)),
            (Ty::Set, 0 | 1) => format!("{place} |= {{ {} }};", self.cell(1)),
            (Ty::Set, 2) => format!("{place} -= {};", self.set(1)),
            (Ty::Set, 3) => format!("{place} |= {};", self.set(1)),
            (Ty::Kinds, 0 | 1) => format!("{place} |= {{ {} }};", self.kind(0)),
            (Ty::Kinds, 2) => format!("{place} -= {};", self.kinds(1)),
            (_, 0) if field.optional => format!("{place} := none;"),
            (_, 1) if field.optional && !field.keys.is_empty() => {
                let from = self.place(field, 1);
                format!("{place} <- {from};")
            }
            (Ty::Piece, 2) => format!("{place}.kind := {};", self.kind(1)),
            (ty, _) => format!("{place} := {};", self.term(ty, 2)),
        }
    }

    // ---- endings

    fn endings(&mut self) {
        let alone = self.players.len() == 1;
        self.line("end {");
        for _ in 0..self.dice.below(3) {
            let score = self.fields.iter().find(|f| f.keys == [Ty::Player] && matches!(f.ty, Ty::Int(_)));
            let score = score.map(|f| f.name.clone());
            let rule = match (self.dice.below(6), score) {
                (0 | 1, _) if !alone => {
                    let x = self.fresh();
                    self.scope.push((x.clone(), Ty::Player));
                    let f = self.formula(3);
                    self.scope.clear();
                    let fate = self.dice.of(&["wins", "loses"]);
                    format!("for {x} in Player when {f} => {x} {fate};")
                }
                (2 | 3, Some(score)) if !alone => {
                    let (f, word) = (self.formula(3), self.dice.of(&["highest", "lowest"]));
                    format!("when {f} => {word} {score};")
                }
                (4, Some(score)) => {
                    let (f, x) = (self.formula(2), self.fresh());
                    format!("when {f} => payoff {x}: {score}[{x}] - 1;")
                }
                (5, _) => {
                    let fate = if alone { "lose" } else { "mover wins" };
                    let f = self.formula(1);
                    format!("when stuck and {f} => {fate};")
                }
                _ => {
                    let fate = if alone { "win" } else { "draw" };
                    format!("when {} => {fate};", self.formula(3))
                }
            };
            self.line(&format!("  {rule}"));
        }
        if !self.dice.once_in(12) {
            self.line(&format!("  when stuck => {};", if alone { "lose" } else { "mover loses" }));
        }
        let past = self.dice.below(15);
        if past == 12 {
            let fate = if alone { "lose" } else { "mover wins" };
            let times = 2 + self.dice.below(2);
            self.line(&format!("  repeat {times} => {fate};"));
        }
        self.line(&format!("  repeat => {};", if alone { "lose" } else { "draw" }));
        self.line("}");
        let within = if self.dice.once_in(3) { " within 3" } else { "" };
        match past {
            13 => self.line(&format!("forbid repeat{within};")),
            14 => {
                let field = self.dice.of(&self.fields).name;
                self.line(&format!("forbid repeat of {field}{within};"));
            }
            _ => {}
        }
    }
}
