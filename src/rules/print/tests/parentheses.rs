//! Tests parentheses with an independent parser: a printed expression parses as itself, and without any one pair of its
//! parentheses it does not.

use super::*;

/// An expression as the grammar parses it.
#[derive(Clone, PartialEq, Debug)]
struct Tree(&'static str, Vec<Tree>);

const LEAF: &str = "a";

/// The operators with their numbers of operands.
const OPERATORS: [(&str, usize); 22] = [
    ("implies", 2),
    ("iff", 2),
    ("or", 2),
    ("and", 2),
    ("not", 1),
    ("=", 2),
    ("<", 2),
    ("in", 2),
    ("..", 2),
    ("+", 2),
    ("-", 2),
    ("|", 2),
    ("*", 2),
    ("mod", 2),
    ("&", 2),
    ("neg", 1),
    ("#", 1),
    ("some", 2),
    ("where", 3),
    ("if", 3),
    ("let", 2),
    (".", 1),
];

fn build(tree: &Tree) -> Expr {
    use ExprKind::{And, Card, Equal, If, Iff, Implies, In, Less, Let, Negate, Not, Or, Part, Range};
    let part = |i: usize| build(&tree.1[i]);
    let arith = |op| ExprKind::Arith { op, exact: false, left: part(0), right: part(1) };
    let bound = || Pattern::Var(VarId::new(1));
    let quant = |condition, body| {
        let binder = Binder { pattern: bound(), domain: Domain::Set(part(0)), condition };
        ExprKind::Quant(Quant::Some, vec![binder], body)
    };
    expr(match tree.0 {
        LEAF => ExprKind::Var(VarId::new(0)),
        "implies" => Implies(part(0), part(1)),
        "iff" => Iff(part(0), part(1)),
        "or" => Or(vec![part(0), part(1)]),
        "and" => And(vec![part(0), part(1)]),
        "not" => Not(part(0)),
        "=" => Equal(part(0), part(1)),
        "<" => Less(part(0), part(1)),
        "in" => In(part(0), part(1)),
        ".." => Range(part(0), part(1)),
        "+" => arith(Arith::Add),
        "-" => arith(Arith::Sub),
        "|" => ExprKind::SetOp(SetOp::Union, part(0), part(1)),
        "*" => arith(Arith::Mul),
        "mod" => arith(Arith::Mod),
        "&" => ExprKind::SetOp(SetOp::Intersect, part(0), part(1)),
        "neg" => Negate(part(0)),
        "#" => Card(part(0)),
        "some" => quant(None, part(1)),
        "where" => quant(Some(part(1)), part(2)),
        "if" => If(part(0), part(1), part(2)),
        "let" => Let(bound(), part(0), part(1)),
        "." => Part(part(0), 0),
        other => panic!("no operator {other}"),
    })
}

/// A recursive-descent parser of the fragment, by the levels of the grammar.
struct FragmentParser<'a> {
    words: Vec<&'a str>,
    next: usize,
}

/// The infix operators of each level, the loosest first; `not` is between `and` and the comparisons.
const LEVELS: [&[&str]; 7] = [
    &["implies", "iff"],
    &["or"],
    &["and"],
    &["=", "!=", "<", "in", "not in"],
    &[".."],
    &["+", "-", "|"],
    &["*", "mod", "&"],
];

impl<'a> FragmentParser<'a> {
    fn read(text: &str) -> Option<Tree> {
        let mut spaced = text.replace("..", " to ").replace("not in", "not_in");
        for sign in ["(", ")", "#", ":", "-", "."] {
            spaced = spaced.replace(sign, &format!(" {sign} "));
        }
        let mut reader = FragmentParser { words: spaced.split_whitespace().collect(), next: 0 };
        let tree = reader.level(0)?;
        (reader.next == reader.words.len()).then_some(tree)
    }

    fn peek(&self) -> &'a str {
        self.words.get(self.next).copied().unwrap_or("")
    }

    fn eat(&mut self, word: &str) -> Option<()> {
        (self.peek() == word).then(|| self.next += 1)
    }

    fn level(&mut self, level: usize) -> Option<Tree> {
        if level == LEVELS.len() {
            return self.unary();
        }
        if level == 3 && self.eat("not").is_some() {
            return Some(Tree("not", vec![self.level(3)?]));
        }
        let mut left = self.level(level + 1)?;
        let mut taken = 0;
        loop {
            let word = match self.peek() {
                "to" => "..",
                "not_in" => "not in",
                word => word,
            };
            let Some(op) = LEVELS[level].iter().find(|&&op| op == word) else { return Some(left) };
            // The grammar allows chains at every level; this parser accepts only left-associative ones.
            if taken > 0 && level != 5 && level != 6 {
                return None;
            }
            taken += 1;
            self.next += 1;
            let right = self.level(level + 1)?;
            left = match *op {
                "!=" => Tree("not", vec![Tree("=", vec![left, right])]),
                "not in" => Tree("not", vec![Tree("in", vec![left, right])]),
                op => Tree(op, vec![left, right]),
            };
        }
    }

    fn unary(&mut self) -> Option<Tree> {
        if self.eat("-").is_some() {
            return Some(Tree("neg", vec![self.unary()?]));
        }
        if self.eat("#").is_some() {
            return Some(Tree("#", vec![self.unary()?]));
        }
        let mut tree = self.primary()?;
        while self.eat(".").is_some() {
            self.eat("1")?;
            tree = Tree(".", vec![tree]);
        }
        Some(tree)
    }

    fn primary(&mut self) -> Option<Tree> {
        let word = self.peek();
        self.next += 1;
        match word {
            "a" => Some(Tree(LEAF, vec![])),
            "(" => {
                let tree = self.level(0)?;
                self.eat(")")?;
                Some(tree)
            }
            "some" => {
                self.eat("x").and_then(|()| self.eat("in"))?;
                let mut parts = vec![self.level(4)?];
                let filtered = self.eat("where").is_some();
                if filtered {
                    parts.push(self.level(0)?);
                }
                self.eat(":")?;
                parts.push(self.level(0)?);
                Some(Tree(if filtered { "where" } else { "some" }, parts))
            }
            "if" => {
                let condition = self.level(0)?;
                self.eat("then")?;
                let yes = self.level(0)?;
                self.eat("else")?;
                Some(Tree("if", vec![condition, yes, self.level(0)?]))
            }
            "let" => {
                self.eat("x").and_then(|()| self.eat("="))?;
                let value = self.level(0)?;
                self.eat(":")?;
                Some(Tree("let", vec![value, self.level(0)?]))
            }
            _ => None,
        }
    }
}

fn check(tree: &Tree) {
    let vars = variables(&[("a", Type::Error), ("x", Type::Error)]);
    let text = words(&Rules::default(), &vars, build(tree));
    assert_eq!(FragmentParser::read(&text).as_ref(), Some(tree), "{text}");
    for (open, _) in text.match_indices('(') {
        let mut depth = 0;
        let close = text[open..].find(|c| {
            depth += i32::from(c == '(') - i32::from(c == ')');
            depth == 0
        });
        let close = open + close.expect("parentheses match");
        let without = format!("{}{}{}", &text[..open], &text[open + 1..close], &text[close + 1..]);
        assert_ne!(
            FragmentParser::read(&without).as_ref(),
            Some(tree),
            "{text} needs no more than {without}"
        );
    }
}

fn leaf() -> Tree {
    Tree(LEAF, vec![])
}

#[test]
fn operators_in_operators() {
    let small: Vec<Tree> = OPERATORS.iter().map(|&(op, n)| Tree(op, vec![leaf(); n])).collect();
    for &(op, n) in &OPERATORS {
        for place in 0..n {
            for inner in &small {
                let mut parts = vec![leaf(); n];
                parts[place] = inner.clone();
                let two = Tree(op, parts);
                check(&two);
                for &(outer, n) in &OPERATORS {
                    for place in 0..n {
                        let mut parts = vec![leaf(); n];
                        parts[place] = two.clone();
                        check(&Tree(outer, parts));
                    }
                }
            }
        }
    }
}

#[test]
fn larger_trees() {
    // A linear congruential generator: the same trees in every run.
    fn grow(seed: &mut u64, depth: usize) -> Tree {
        *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let choice = (*seed >> 33) as usize % (OPERATORS.len() + 3);
        match OPERATORS.get(choice) {
            Some(&(op, n)) if depth > 0 => Tree(op, (0..n).map(|_| grow(seed, depth - 1)).collect()),
            _ => leaf(),
        }
    }
    let mut seed = 1901;
    for _ in 0..3000 {
        check(&grow(&mut seed, 5));
    }
}
