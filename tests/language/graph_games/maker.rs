//! Random games whose positions are the nodes of a random graph, as texts.

use bouton_base::random::SplitMix;

/// The seeded source of random choices.
pub struct Choices(SplitMix);

impl Choices {
    pub fn new(seed: u64) -> Choices {
        Choices(SplitMix::new(seed))
    }

    /// Returns a number below `bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0.word() % bound.max(1)
    }

    /// Returns a number of a range, both ends included.
    pub fn between(&mut self, from: i64, to: i64) -> i64 {
        from + self.below((to - from + 1) as u64) as i64
    }

    /// Returns true in so many of a hundred cases.
    pub fn percent(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}

/// The kinds of games.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Family {
    /// Two players in turn, with chance; positions may come back.
    Chance,
    /// Two players who may choose simultaneously.
    Simultaneous,
    /// One player, with or without chance.
    Alone,
    /// Two or three players with any payoffs.
    General,
    /// Two players who do not see everything.
    Hidden,
    /// One player or two on a board.
    Boards,
}

/// The actor of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    End,
    Turn(u64),
    Toss,
    Both,
}

/// The outcomes of the ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ends {
    /// Wins, losses and draws.
    Results,
    /// Payoffs over a common denominator.
    Payoffs(i64),
    /// The highest or the lowest score.
    Scores(bool),
}

/// The maximal number of moves of a node.
const WIDTH: u64 = 3;

/// A random graph, with the text of its game.
struct Draft<'c> {
    choices: &'c mut Choices,
    family: Family,
    players: u64,
    nodes: u64,
    loops: bool,
    ends: Ends,
    kinds: Vec<Kind>,
}

/// Returns the text of a random game of a family.
pub fn game(family: Family, choices: &mut Choices) -> String {
    if family == Family::Hidden {
        return super::hidden_maker::game(choices);
    }
    if family == Family::Boards {
        return super::board_maker::game(choices);
    }
    let players = match family {
        Family::Alone => 1,
        Family::General => 2 + choices.below(2),
        _ => 2,
    };
    let nodes = 3 + choices.below(6);
    let loops = choices.percent(if family == Family::General { 25 } else { 50 });
    let ends = match choices.below(6) {
        0..=1 => Ends::Results,
        2 if players == 2 => Ends::Scores(choices.percent(70)),
        _ => Ends::Payoffs(choices.between(1, 3)),
    };
    let mut draft = Draft { choices, family, players, nodes, loops, ends, kinds: Vec::new() };
    draft.text()
}

fn list(name: &str, key: &str, of: &str, entries: &[(String, String)], rest: &str) -> String {
    let arms: String = entries.iter().map(|(at, value)| format!("{at} => {value}, ")).collect();
    let head = key.split(", ").map(|k| k.split(':').next().unwrap_or(k)).collect::<Vec<_>>().join(", ");
    let head = if key.contains(", ") { format!("({head})") } else { head };
    format!("const {name}[{key}]: {of} = match {head} {{ {arms}_ => {rest} }};\n")
}

impl Draft<'_> {
    const NAMES: [&'static str; 3] = ["A", "B", "C"];

    fn names(&self) -> &'static [&'static str] {
        &Self::NAMES[..self.players as usize]
    }

    fn kind(&mut self) -> Kind {
        let chance = match self.family {
            Family::Chance => 35,
            Family::Simultaneous | Family::General => 15,
            _ => 25,
        };
        let both = if self.family == Family::Simultaneous { 50 } else { 0 };
        match self.choices.below(100) {
            of if of < chance => Kind::Toss,
            of if of < chance + both => Kind::Both,
            _ => Kind::Turn(self.choices.below(self.players)),
        }
    }

    /// Returns a node that a node leads to.
    fn target(&mut self, from: u64) -> u64 {
        if self.loops && self.choices.percent(45) {
            self.choices.below(self.nodes)
        } else {
            (from + 1 + self.choices.below(self.nodes - from - 1)).min(self.nodes - 1)
        }
    }

    fn text(&mut self) -> String {
        let ends = 1 + self.choices.below(3).min(self.nodes - 2);
        self.kinds = (0..self.nodes - ends).map(|_| self.kind()).collect();
        if self.family == Family::Simultaneous && self.choices.percent(60) {
            self.kinds[0] = Kind::Both;
        }
        self.kinds.extend((0..ends).map(|_| Kind::End));
        let ends = self.ends();
        let repeat = self.repeat();
        let first = match self.kinds[0] {
            Kind::Toss => "toss by chance; turn; both by each;",
            Kind::Both => "both by each; turn; toss by chance;",
            _ => "turn; toss by chance; both by each;",
        };
        let used = |phase: &str| match phase {
            "toss" => self.kinds.contains(&Kind::Toss),
            "both" => self.kinds.contains(&Kind::Both),
            _ => self.kinds.iter().any(|kind| matches!(kind, Kind::Turn(_))),
        };
        let phases: Vec<&str> =
            first.split(';').map(str::trim).filter(|phase| used(&phase[..phase.len().min(4)])).collect();
        let phases: Vec<&str> = phases.into_iter().filter(|phase| !phase.is_empty()).collect();
        let arrive = self.arrive();
        let moves = self.moves();
        let players = if self.players == 1 { "player" } else { "players" };
        format!(
            "game \"Graph\";\n{players} {};\ntype Node = 0..{};\nphases {{ {}; }}\n{}state {{ at: Node = 0; {}}}\n{arrive}{moves}\
             end {{\n{ends}{repeat}}}\n",
            self.names().join(", "),
            self.nodes - 1,
            phases.join("; "),
            self.tables(),
            if self.kinds.contains(&Kind::Both) { "transient pick[p: Player]: 0..2 = 0; " } else { "" },
        )
    }

    /// The tables of owners and of payoffs.
    fn tables(&mut self) -> String {
        let owner = |kind: &Kind| match kind {
            Kind::Turn(player) => Self::NAMES[*player as usize],
            _ => "A",
        };
        let owners: Vec<_> =
            self.kinds.iter().enumerate().map(|(n, kind)| (n.to_string(), owner(kind).to_owned())).collect();
        let mut text = list("owner", "n: Node", "Player", &owners, "A");
        text += &list("pay", "n: Node, p: Player", "-6..9", &self.payoffs(), "0");
        text
    }

    /// The payoffs, or scores, of the ends and of node 0, which stands for endless play.
    fn payoffs(&mut self) -> Vec<(String, String)> {
        let mut entries = Vec::new();
        let sum = if self.choices.percent(30) { self.choices.between(-2, 3) } else { 0 };
        let any =
            self.family == Family::General || self.family == Family::Simultaneous && self.choices.percent(20);
        let opposed = self.players == 2 && !any && !matches!(self.ends, Ends::Scores(_));
        for node in (0..self.nodes).filter(|&n| n == 0 || self.kinds[n as usize] == Kind::End) {
            let first = self.choices.between(-3, 3);
            for (player, name) in self.names().iter().enumerate() {
                let value = match player {
                    0 => first,
                    _ if opposed => sum - first,
                    _ => self.choices.between(-3, 3),
                };
                entries.push((format!("({node}, {name})"), value.to_string()));
            }
        }
        entries
    }

    /// An outcome of wins, losses and draws.
    fn result(&mut self) -> String {
        match self.choices.below(5) {
            0 if self.players > 1 => "draw".into(),
            of if self.players == 1 => (if of % 2 == 0 { "win" } else { "lose" }).into(),
            1 => format!("{} loses", self.names()[self.choices.below(self.players) as usize]),
            _ => format!("{} wins", self.names()[self.choices.below(self.players) as usize]),
        }
    }

    fn ends(&mut self) -> String {
        let mut text = String::new();
        match self.ends {
            Ends::Results => {
                for node in 0..self.nodes {
                    if self.kinds[node as usize] != Kind::End {
                        continue;
                    }
                    let result = self.result();
                    text += &format!("  when at = {node} => {result};\n");
                }
            }
            Ends::Payoffs(below) => {
                let first = self.kinds.iter().position(|kind| *kind == Kind::End).unwrap_or(0);
                let over = if below == 1 { String::new() } else { format!(" / {below}") };
                text += &format!("  when at >= {first} => payoff p: pay[at, p]{over};\n");
            }
            Ends::Scores(highest) => {
                let first = self.kinds.iter().position(|kind| *kind == Kind::End).unwrap_or(0);
                let word = if highest { "highest" } else { "lowest" };
                text += &format!("  when at >= {first} => {word} score;\n");
            }
        }
        text
    }

    fn repeat(&mut self) -> String {
        if !self.loops || self.choices.percent(12) {
            return String::new();
        }
        if self.players > 1 && self.choices.percent(12) {
            // Play ends where a position or a node comes back: the history belongs to the position.
            let of = if self.choices.percent(40) { " of at" } else { "" };
            return format!("  repeat {}{of} => {};\n", 2 + self.choices.below(2), self.result());
        }
        let worst = self.family == Family::General && self.choices.percent(60);
        let outcome = match self.ends {
            Ends::Payoffs(_) if worst => "payoff p: -3".into(),
            Ends::Payoffs(_) if self.choices.percent(70) => "payoff p: pay[0, p]".into(),
            _ if self.choices.percent(5) && self.players > 1 => "mover wins".into(),
            _ => self.result(),
        };
        format!("  repeat => {outcome};\n")
    }

    /// The effect that enters a node, and the definition of scores.
    fn arrive(&mut self) -> String {
        let phase_of = |kind: &Kind| match kind {
            Kind::Toss => "toss",
            Kind::Both => "both",
            _ => "turn",
        };
        let turn = self.kinds.iter().any(|kind| matches!(kind, Kind::Turn(_)));
        let rest = match (turn, self.kinds[0]) {
            (true, _) => "turn",
            (_, kind) => phase_of(&kind),
        };
        let mut cases = String::new();
        for phase in ["toss", "both"] {
            let nodes: Vec<String> = (0..self.nodes as usize)
                .filter(|&n| phase != rest && phase_of(&self.kinds[n]) == phase)
                .map(|n| n.to_string())
                .collect();
            if !nodes.is_empty() {
                cases += &format!("if n in {{ {} }} {{ continue {phase}; }} else ", nodes.join(", "));
            }
        }
        let score = match self.ends {
            Ends::Scores(_) => "def score(p: Player) = pay[at, p];\n",
            _ => "",
        };
        let other =
            if cases.is_empty() { format!("continue {rest};") } else { format!("{{ continue {rest}; }}") };
        format!("effect arrive(n: Node) {{ at := n; {cases}{other} next owner[n]; }}\n{score}")
    }

    fn moves(&mut self) -> String {
        let (mut turns, mut tosses, mut weights, mut joint, mut counts) =
            (vec![], vec![], vec![], vec![], vec![]);
        for node in 0..self.nodes {
            let count = 1 + self.choices.below(WIDTH);
            match self.kinds[node as usize] {
                Kind::End => {}
                Kind::Turn(_) => {
                    for k in 0..count {
                        turns.push((format!("({node}, {k})"), self.target(node).to_string()));
                    }
                }
                Kind::Toss => {
                    for k in 0..count {
                        tosses.push((format!("({node}, {k})"), self.target(node).to_string()));
                        let weight = if k == 0 { 1 } else { 0 } + self.choices.below(4);
                        weights.push((format!("({node}, {k})"), weight.to_string()));
                    }
                }
                Kind::Both => {
                    let sides = [0, 1].map(|_| 1 + self.choices.below(WIDTH));
                    for (name, side) in Self::NAMES.iter().zip(sides) {
                        counts.push((format!("({node}, {name})"), side.to_string()));
                    }
                    for i in 0..sides[0] {
                        for j in 0..sides[1] {
                            joint.push((format!("({node}, {i}, {j})"), self.target(node).to_string()));
                        }
                    }
                }
            }
        }
        let mut text = String::new();
        if !turns.is_empty() {
            text += &list("step", "n: Node, k: 0..2", "Node?", &turns, "none");
            text +=
                "move go(k: 0..2) in turn as \"{k}\" { when step[at, k] != none; arrive(step[at, k]); }\n";
        }
        if !tosses.is_empty() {
            text += &list("fall", "n: Node, k: 0..2", "Node?", &tosses, "none");
            text += &list("weigh", "n: Node, k: 0..2", "0..9", &weights, "0");
            let over = ["", " / 7", " * 3"][self.choices.below(3) as usize];
            text += &format!(
                "chance toss_it(k: 0..2) in toss as \"({{k}})\" {{ weight weigh[at, k]{over}; when fall[at, k] != none; \
                 arrive(fall[at, k]); }}\n"
            );
        }
        if !joint.is_empty() {
            text += &list("meet", "n: Node, i: 0..2, j: 0..2", "Node", &joint, "0");
            text += &list("options", "n: Node, p: Player", "0..3", &counts, "0");
            text += "move choose(k: 0..2) in both as \"{k}\" { when k < options[at, me]; pick[me] := k; \
                     then { let n = meet[at, pick[A], pick[B]]; arrive(n); } }\n";
        }
        text
    }
}
