//! Random trees from random bytes: the bytes choose, so that proptest can shrink them.

use bouton_base::source::{FileId, Span};
use bouton_syntax::ast::*;

/// The precedence of an expression, loosest first; an operand that binds more loosely than its place allows gets
/// parentheses.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum BindingStrength {
    Any,
    Or,
    And,
    Not,
    Compare,
    Range,
    Sum,
    Product,
    Signed,
    Postfix,
}

/// A generator of trees.
pub struct TreeGenerator<'a> {
    choices: std::slice::Iter<'a, u8>,
    /// The number of nodes that may still be made.
    fuel: usize,
    /// True if strings may be made: not in the placeholders of templates.
    strings: bool,
    /// True if strings contain no blanks and items have no documentation.
    without_blanks: bool,
}

const NAMES: [&str; 7] = ["a", "b_1", "Cell", "at", "turn", "board", "x"];
const WORDS: [&str; 5] = ["", "words", "a \"quoted\" word", "line\nbreak", "stroke \\ and {brace}"];

fn span() -> Span {
    Span::new(FileId(0), 0, 0)
}

fn node(kind: ExprKind) -> Expr {
    Expr::new(kind, span())
}

impl<'a> TreeGenerator<'a> {
    pub fn new(choices: &'a [u8]) -> Self {
        TreeGenerator { choices: choices.iter(), fuel: 200, strings: true, without_blanks: false }
    }

    /// Makes trees whose source has no blanks in strings and no documentation.
    pub fn plain(choices: &'a [u8]) -> Self {
        TreeGenerator { choices: choices.iter(), fuel: 200, strings: false, without_blanks: true }
    }

    fn pick(&mut self, count: usize) -> usize {
        usize::from(self.choices.next().copied().unwrap_or(0)) % count
    }

    fn flag(&mut self) -> bool {
        self.pick(2) == 1
    }

    fn many<T>(&mut self, least: usize, most: usize, make: impl Fn(&mut Self) -> T) -> Vec<T> {
        let count = least + self.pick(most - least + 1);
        (0..count).map(|_| make(self)).collect()
    }

    fn maybe<T>(&mut self, make: impl Fn(&mut Self) -> T) -> Option<T> {
        if self.flag() { Some(make(self)) } else { None }
    }

    fn name(&mut self) -> Name {
        Name { text: NAMES[self.pick(NAMES.len())].to_owned(), span: span() }
    }

    /// Returns a name, perhaps with the prefix of a library.
    fn path(&mut self) -> Name {
        let name = self.name();
        if self.flag() { name } else { Name { text: format!("l.{}", name.text), span: name.span } }
    }

    fn words(&mut self) -> Str {
        let count = if self.without_blanks { 2 } else { WORDS.len() };
        Str { text: WORDS[self.pick(count)].to_owned(), span: span() }
    }

    fn number(&mut self) -> Number {
        Number { text: self.pick(100).to_string(), span: span() }
    }

    /// Returns an expression, a number in place of one of this kind, which is a mistake here.
    fn expr_but(&mut self, is_mistake: impl Fn(&ExprKind) -> bool) -> Expr {
        let expr = self.expr();
        match is_mistake(&expr.kind) {
            true => Expr::new(ExprKind::Number(self.number().text), span()),
            false => expr,
        }
    }

    /// Returns a term that repetitions count; the name of a board or a type is a mistake.
    fn repeated(&mut self) -> Expr {
        self.expr_but(|kind| matches!(kind, ExprKind::Name(_)))
    }

    pub fn expr(&mut self) -> Expr {
        self.at(BindingStrength::Any)
    }

    /// Returns an expression for a place of that level.
    fn at(&mut self, level: BindingStrength) -> Expr {
        self.fuel = self.fuel.saturating_sub(1);
        if self.fuel == 0 {
            return node(ExprKind::Name("z".to_owned()));
        }
        let (own, kind) = match self.pick(5) {
            0 => (BindingStrength::Postfix, self.atom()),
            1 => self.operator(),
            2 => (BindingStrength::Postfix, self.postfix()),
            3 => (BindingStrength::Any, self.binding()),
            _ => (BindingStrength::Postfix, self.set()),
        };
        let expr = node(kind);
        if own < level { node(ExprKind::Paren(expr)) } else { expr }
    }

    fn operator(&mut self) -> (BindingStrength, ExprKind) {
        use BinaryOp::*;
        let (op, own, left, right) = match self.pick(14) {
            0 => (Implies, BindingStrength::Any, BindingStrength::Or, BindingStrength::Any),
            1 => (Iff, BindingStrength::Any, BindingStrength::Or, BindingStrength::Any),
            2 => (Or, BindingStrength::Or, BindingStrength::Or, BindingStrength::And),
            3 => (And, BindingStrength::And, BindingStrength::And, BindingStrength::Not),
            4 => (Add, BindingStrength::Sum, BindingStrength::Sum, BindingStrength::Product),
            5 => (Subtract, BindingStrength::Sum, BindingStrength::Sum, BindingStrength::Product),
            6 => (Union, BindingStrength::Sum, BindingStrength::Sum, BindingStrength::Product),
            7 => (Multiply, BindingStrength::Product, BindingStrength::Product, BindingStrength::Signed),
            8 => (Divide, BindingStrength::Product, BindingStrength::Product, BindingStrength::Signed),
            9 => (Mod, BindingStrength::Product, BindingStrength::Product, BindingStrength::Signed),
            10 => (Intersect, BindingStrength::Product, BindingStrength::Product, BindingStrength::Signed),
            11 => return self.prefix(),
            12 => {
                return (
                    BindingStrength::Range,
                    ExprKind::Range(self.at(BindingStrength::Sum), self.at(BindingStrength::Sum)),
                );
            }
            _ => return self.comparison(),
        };
        let left = self.at(left);
        (own, ExprKind::Binary(op, left, self.at(right)))
    }

    fn prefix(&mut self) -> (BindingStrength, ExprKind) {
        match self.pick(3) {
            0 => (BindingStrength::Not, ExprKind::Unary(UnaryOp::Not, self.at(BindingStrength::Not))),
            1 => {
                (BindingStrength::Signed, ExprKind::Unary(UnaryOp::Negate, self.at(BindingStrength::Signed)))
            }
            _ => (BindingStrength::Signed, ExprKind::Unary(UnaryOp::Count, self.at(BindingStrength::Signed))),
        }
    }

    fn comparison(&mut self) -> (BindingStrength, ExprKind) {
        let first = self.at(BindingStrength::Range);
        let rest = self.many(1, 2, |trees| (trees.sign(), trees.at(BindingStrength::Range)));
        (BindingStrength::Compare, ExprKind::Compare(first, rest))
    }

    fn sign(&mut self) -> CmpOp {
        use CmpOp::*;
        [Equal, DoubleEqual, NotEqual, Less, LessEqual, Greater, GreaterEqual, In, NotIn, Is][self.pick(10)]
    }

    fn postfix(&mut self) -> ExprKind {
        let head = self.at(BindingStrength::Postfix);
        match self.pick(3) {
            // A tuple is not called: two of them without a comma are read there.
            0 if !matches!(*head.kind, ExprKind::Tuple(_)) => {
                ExprKind::Call(head, self.many(0, 2, Self::expr))
            }
            1 => ExprKind::Index(head, self.many(1, 2, Self::expr)),
            _ => ExprKind::Part(head, self.name()),
        }
    }

    fn atom(&mut self) -> ExprKind {
        match self.pick(9) {
            0 => ExprKind::Number(self.number().text),
            1 => ExprKind::Number("0.5".to_owned()),
            2 => ExprKind::Bool(self.flag()),
            3 => ExprKind::None,
            4 if self.strings => ExprKind::Str(self.words().text),
            5 if self.strings => ExprKind::Text("X .\n. X".to_owned()),
            6 => ExprKind::List(self.many(0, 3, Self::expr)),
            7 => ExprKind::Tuple(self.many(2, 3, Self::expr)),
            _ => ExprKind::Name(self.name().text),
        }
    }

    /// Returns a set. `{ x in` always starts a binder, so the first element of a set is no bare comparison.
    fn set(&mut self) -> ExprKind {
        if self.flag() {
            return ExprKind::Filter(self.binder());
        }
        let first = self.at(BindingStrength::Postfix);
        if self.flag() {
            return ExprKind::Comprehension(first, self.many(1, 2, Self::binder));
        }
        let mut elements = vec![first];
        elements.extend(self.many(0, 2, Self::expr));
        if self.flag() { ExprKind::Set(elements) } else { ExprKind::Set(Vec::new()) }
    }

    fn binding(&mut self) -> ExprKind {
        use Quantifier::*;
        match self.pick(5) {
            0 => ExprKind::If(self.expr(), self.expr(), self.expr()),
            1 => {
                let subject = self.at(BindingStrength::Range);
                ExprKind::Match(subject, self.many(1, 3, Self::arm))
            }
            2 => ExprKind::Let(self.pattern(), self.expr(), self.expr()),
            3 if self.strings => {
                let picture = match self.pick(2) {
                    0 => Picture::Text(Str { text: " X .\n . X ".to_owned(), span: span() }),
                    _ => Picture::Named(self.name()),
                };
                ExprKind::Diagram(picture, self.many(1, 2, |trees| (trees.words(), trees.expr())))
            }
            _ => {
                let quantifier = [Some, All, No, One, Count, Sum, Min, Max, Union][self.pick(9)];
                let binders = self.many(1, 2, Self::binder);
                ExprKind::Quant(quantifier, binders, self.expr())
            }
        }
    }

    fn arm(&mut self) -> Arm {
        Arm {
            pattern: self.maybe(|trees| trees.at(BindingStrength::Range)),
            value: self.expr(),
            span: span(),
        }
    }

    fn binder(&mut self) -> Binder {
        let (pattern, domain) = (self.pattern(), self.at(BindingStrength::Range));
        Binder { pattern, domain, condition: self.maybe(Self::expr), span: span() }
    }

    fn pattern(&mut self) -> Pattern {
        match self.pick(4) {
            0 => Pattern::Tuple(self.many(2, 3, |trees| Pattern::Name(trees.name())), span()),
            _ => Pattern::Name(self.name()),
        }
    }

    fn ty(&mut self) -> Type {
        self.fuel = self.fuel.saturating_sub(1);
        let kind = match self.pick(if self.fuel == 0 { 3 } else { 7 }) {
            0 => TypeKind::Bool,
            1 => TypeKind::Expr(node(ExprKind::Name(self.name().text))),
            2 => {
                let low = node(ExprKind::Number(self.number().text));
                TypeKind::Expr(node(ExprKind::Range(low, node(ExprKind::Name(self.name().text)))))
            }
            3 => TypeKind::Set(Box::new(self.ty())),
            4 => TypeKind::List(Box::new(self.ty())),
            5 => TypeKind::Option(Box::new(self.ty())),
            _ => self.product(),
        };
        Type { kind, span: span() }
    }

    /// Returns a product of which one member is no expression; otherwise it would be an expression itself.
    fn product(&mut self) -> TypeKind {
        let mut members = self.many(1, 2, Self::ty);
        members.push(Type { kind: TypeKind::Bool, span: span() });
        TypeKind::Tuple(members)
    }

    fn bind(&mut self) -> Bind {
        Bind { name: self.name(), ty: self.ty() }
    }

    fn setting(&mut self) -> Setting {
        Setting { name: self.path(), value: self.expr() }
    }

    fn block(&mut self) -> StmtBlock {
        let stmts = if self.fuel == 0 { Vec::new() } else { self.many(0, 3, Self::stmt) };
        StmtBlock { stmts, span: Span::new(FileId(0), 0, 1) }
    }

    fn stmt(&mut self) -> Stmt {
        self.fuel = self.fuel.saturating_sub(1);
        let kind = match self.pick(12) {
            0 => StmtKind::When(self.expr()),
            1 => StmtKind::Let(self.pattern(), self.expr()),
            2 => StmtKind::Ensure(self.expr()),
            3 => StmtKind::Weight(self.expr()),
            4 => StmtKind::Then(self.block()),
            5 => StmtKind::If(self.expr(), self.block(), self.maybe(Self::block)),
            6 => StmtKind::For(self.many(1, 2, Self::binder), self.block()),
            7 => StmtKind::Again,
            8 => StmtKind::Continue(self.name()),
            9 => StmtKind::Next(self.expr()),
            10 => StmtKind::Call(self.path(), self.many(0, 2, Self::expr)),
            _ => StmtKind::Effect(self.effect()),
        };
        Stmt { kind, span: span() }
    }

    fn effect(&mut self) -> Effect {
        use EffectOp::*;
        let path = self.many(0, 2, |trees| match trees.flag() {
            true => Access::Index(trees.many(1, 2, Self::expr)),
            false => Access::Part(trees.name()),
        });
        let target = Target { name: self.name(), path, span: span() };
        let op = [Set, Add, Subtract, Insert, Move][self.pick(5)];
        Effect { target, op, op_span: span(), value: self.expr() }
    }

    fn template(&mut self) -> Template {
        let strings = std::mem::replace(&mut self.strings, false);
        let mut parts = Vec::new();
        for _ in 0..self.pick(4) {
            let text = self.words().text;
            if !text.is_empty() && !matches!(parts.last(), Some(TemplatePart::Text(_))) {
                parts.push(TemplatePart::Text(text));
            } else if !self.without_blanks {
                parts.push(TemplatePart::Placeholder(self.expr()));
            }
        }
        self.strings = strings;
        Template { parts, span: span() }
    }

    fn docs(&mut self) -> Vec<String> {
        let most = if self.without_blanks { 0 } else { 2 };
        self.many(0, most, |trees| ["", "Words.", "  Indented"][trees.pick(3)].to_owned())
    }

    fn actor(&mut self) -> Actor {
        match self.pick(3) {
            0 => Actor::Each(span()),
            1 => Actor::Chance(span()),
            _ => Actor::Player(self.at(BindingStrength::Range)),
        }
    }

    pub fn item(&mut self) -> Item {
        self.fuel = 60;
        Item { doc: self.docs(), kind: self.item_kind(), span: span() }
    }

    fn item_kind(&mut self) -> ItemKind {
        let name = self.name();
        match self.pick(26) {
            0 => ItemKind::Game(self.words()),
            1 => ItemKind::Use { path: self.words(), prefix: self.maybe(Self::name) },
            2 => ItemKind::Param {
                name,
                ty: self.ty(),
                default: self.expr(),
                condition: self.maybe(Self::expr),
            },
            3 => ItemKind::Preset {
                name,
                title: self.maybe(Self::words),
                settings: self.many(0, 2, Self::setting),
            },
            4 => {
                let (keys, ty) = (self.many(0, 2, Self::bind), self.maybe(Self::ty));
                ItemKind::Const { name, keys, ty, value: self.expr() }
            }
            5 => ItemKind::Players(self.many(1, 3, Self::name)),
            6 => ItemKind::Enum { name, members: self.many(1, 3, Self::name) },
            7 => ItemKind::Record { name, parts: self.many(1, 3, Self::bind) },
            8 => ItemKind::TypeAlias { name, ty: self.ty() },
            9 => ItemKind::Board { name, form: self.board(), condition: self.maybe(Self::expr) },
            10 => ItemKind::Phases(self.many(1, 3, Self::phase)),
            11 => ItemKind::State(self.many(0, 3, Self::field)),
            12 => {
                let formals = self.maybe(|trees| trees.many(0, 2, Self::bind));
                ItemKind::Def { name, formals, ty: self.maybe(Self::ty), body: self.expr() }
            }
            13 => ItemKind::Inductive { name, formals: self.many(0, 2, Self::bind), body: self.expr() },
            14 => ItemKind::Effect { name, formals: self.many(0, 2, Self::bind), body: self.block() },
            15 => ItemKind::Evaluate { player: name, value: self.expr() },
            16 => ItemKind::Pass(self.maybe(Self::expr)),
            17 => ItemKind::EveryMove(self.block()),
            18 => ItemKind::ForbidRepeat { of: self.maybe(Self::repeated), within: self.maybe(Self::number) },
            19 => ItemKind::End(self.many(0, 3, Self::end_rule)),
            20 => ItemKind::Play { normal: self.flag() },
            21 => ItemKind::Invariant { name: Some(name), value: self.expr() },
            22 => self.symmetry(),
            23 => {
                ItemKind::Sees { player: self.expr(), value: self.expr(), condition: self.maybe(Self::expr) }
            }
            24 => self.checks(),
            _ => ItemKind::Move(self.movement()),
        }
    }

    fn symmetry(&mut self) -> ItemKind {
        ItemKind::Symmetry(match self.pick(3) {
            0 => SymmetryClause::Auto,
            1 => SymmetryClause::None,
            _ => SymmetryClause::Of(self.many(1, 2, |trees| node(ExprKind::Name(trees.name().text)))),
        })
    }

    fn checks(&mut self) -> ItemKind {
        match self.pick(3) {
            0 => ItemKind::Display(self.many(0, 2, Self::hint)),
            1 => ItemKind::Expect(self.expect()),
            _ => {
                let (name, settings) = (self.words(), self.many(0, 2, Self::setting));
                let steps = self.many(0, 3, |trees| match trees.pick(3) {
                    0 => TestStep::Position(trees.many(0, 2, Self::effect), span()),
                    1 => TestStep::Play(trees.many(1, 2, Self::expr), span()),
                    _ => TestStep::Expect(trees.expect()),
                });
                ItemKind::Test(Test { name, settings, steps })
            }
        }
    }

    fn board(&mut self) -> BoardForm {
        if self.flag() {
            return BoardForm::Expr(self.expr());
        }
        BoardForm::Graph(self.many(1, 2, |trees| GraphLine {
            is_line: trees.flag(),
            first: trees.name(),
            rest: trees.many(0, 2, |trees| (trees.flag(), trees.name())),
            span: span(),
        }))
    }

    fn phase(&mut self) -> PhaseDecl {
        PhaseDecl { doc: self.docs(), setup: self.flag(), name: self.name(), actor: self.maybe(Self::actor) }
    }

    fn field(&mut self) -> FieldDecl {
        let visibility = match self.pick(3) {
            0 => Visibility::Public,
            1 => Visibility::Hidden,
            // `visible to none` is a mistake for `hidden`.
            _ => Visibility::To(self.expr_but(|kind| matches!(kind, ExprKind::None))),
        };
        FieldDecl {
            doc: self.docs(),
            transient: self.flag(),
            name: self.name(),
            keys: self.many(0, 2, Self::bind),
            ty: self.ty(),
            init: self.maybe(Self::expr),
            visibility,
            span: span(),
        }
    }

    fn movement(&mut self) -> MoveDecl {
        let chance = self.flag();
        MoveDecl {
            chance,
            mandatory: self.flag(),
            private: self.flag(),
            forcing: !chance && self.flag(),
            name: self.name(),
            params: self.many(0, 2, Self::bind),
            by: self.maybe(Self::actor),
            phases: self.many(0, 2, Self::name),
            template: self.maybe(Self::template),
            prefer: self.maybe(|trees| trees.at(BindingStrength::Range)),
            body: self.block(),
        }
    }

    fn end_rule(&mut self) -> EndRule {
        let condition = match self.flag() {
            true => EndCondition::When { binder: self.maybe(Self::binder), condition: self.expr() },
            false => EndCondition::Repeat {
                count: self.maybe(Self::number),
                of: self.maybe(Self::repeated),
                condition: self.maybe(Self::expr),
            },
        };
        let kind = match self.pick(8) {
            0 => OutcomeKind::Draw,
            1 => OutcomeKind::Win,
            2 => OutcomeKind::Lose,
            3 => OutcomeKind::Wins(self.expr()),
            4 => OutcomeKind::Loses(self.expr()),
            5 => OutcomeKind::Highest(self.expr()),
            6 => OutcomeKind::Lowest(self.expr()),
            _ => OutcomeKind::Payoff(self.name(), self.expr()),
        };
        EndRule { doc: self.docs(), condition, outcome: OutcomeClause { kind, span: span() }, span: span() }
    }

    fn hint(&mut self) -> DisplayHint {
        DisplayHint {
            kind: self.name(),
            subject: self.maybe(|trees| node(ExprKind::Name(trees.name().text))),
            arms: self.many(0, 2, Self::hint_arm),
            span: span(),
        }
    }

    fn hint_arm(&mut self) -> HintArm {
        // A string before `=>` is a mistake: the value comes first.
        let value = self.expr_but(|kind| matches!(kind, ExprKind::Str(_)));
        HintArm { value, sign: self.expr(), look: self.many(0, 2, Self::name) }
    }

    fn expect(&mut self) -> Expect {
        let kind = match self.pick(11) {
            0 => ClaimKind::Perft { depth: self.number(), by_turn: self.flag(), count: self.number() },
            1 => ClaimKind::Positions(self.sign(), self.at(BindingStrength::Range)),
            2 => ClaimKind::Nimber(self.sign(), self.at(BindingStrength::Range)),
            3 => ClaimKind::Value(self.sign(), self.at(BindingStrength::Range)),
            4 => ClaimKind::Moves(self.at(BindingStrength::Range)),
            5 => ClaimKind::Legal(self.expr()),
            6 => ClaimKind::Illegal(self.expr()),
            7 => ClaimKind::Wins { player: self.expr(), plies: self.maybe(Self::number) },
            8 => ClaimKind::Loses { player: self.expr(), plies: self.maybe(Self::number) },
            9 => ClaimKind::SolvedIn(self.number()),
            _ => ClaimKind::Holds(self.expr()),
        };
        let claim = Claim { kind, span: span() };
        Expect {
            claim,
            settings: self.many(0, 2, Self::setting),
            cite: self.maybe(Self::words),
            span: span(),
        }
    }
}
