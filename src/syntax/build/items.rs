//! Builds items.

use super::{Builder, Parts, RulePair, doc_lines};
use crate::ast;
use crate::ast::{
    BoardForm, Expr, GraphLine, Item, ItemKind, MoveDecl, Name, Str, SymmetryClause, Test, Type,
};
use crate::grammar::Rule;

impl Builder<'_> {
    /// Builds an `item`.
    pub fn item(&mut self, node: RulePair) -> Item {
        let mut parts = Parts::of(node);
        let doc = doc_lines(parts.take_all(Rule::doc));
        let node = parts.need();
        let span = self.span(&node);
        Item { doc, kind: self.item_kind(node), span }
    }

    fn item_kind(&mut self, node: RulePair) -> ItemKind {
        let rule = node.as_rule();
        match rule {
            Rule::expect_decl => return ItemKind::Expect(self.expect(node)),
            Rule::move_decl | Rule::chance_decl => return ItemKind::Move(self.move_item(node)),
            _ => {}
        }
        let mut parts = Parts::of(node);
        match rule {
            Rule::game_decl => ItemKind::Game(self.string(parts.need())),
            Rule::use_decl => self.use_item(&mut parts),
            Rule::preset_decl => self.preset(&mut parts),
            Rule::players_decl => ItemKind::Players(self.names(&mut parts)),
            Rule::enum_decl => self.enumeration(&mut parts),
            Rule::board_decl => self.board(&mut parts),
            Rule::phases_decl => ItemKind::Phases(self.each(&mut parts, Self::phase)),
            Rule::state_decl => ItemKind::State(self.each(&mut parts, Self::field)),
            Rule::end_decl => ItemKind::End(self.each(&mut parts, Self::end_rule)),
            Rule::display_decl => ItemKind::Display(self.each(&mut parts, Self::hint)),
            Rule::pass_decl => ItemKind::Pass(self.maybe_expr(&mut parts)),
            Rule::every_decl => ItemKind::EveryMove(self.block(parts.need())),
            Rule::forbid_decl => {
                let of = self.maybe_expr(&mut parts);
                ItemKind::ForbidRepeat { of, within: parts.next().map(|node| self.number(node)) }
            }
            Rule::play_decl => ItemKind::Play { normal: parts.need().as_rule() == Rule::normal },
            Rule::symmetry_decl => self.symmetry(&mut parts),
            Rule::sees_decl => ItemKind::Sees {
                player: self.expr(parts.need()),
                value: self.expr(parts.need()),
                condition: self.maybe_expr(&mut parts),
            },
            Rule::invariant_decl => {
                let name = parts.take(Rule::ident).map(|node| self.name(node));
                ItemKind::Invariant { name, value: self.expr(parts.need()) }
            }
            Rule::test_decl => self.test(&mut parts),
            _ => self.named(rule, &mut parts),
        }
    }

    /// Builds an item whose first part is its name.
    fn named(&mut self, rule: Rule, parts: &mut Parts) -> ItemKind {
        let name = self.name(parts.need());
        match rule {
            Rule::param_decl => ItemKind::Param {
                name,
                ty: self.ty(parts.need()),
                default: self.expr(parts.need()),
                condition: self.maybe_expr(parts),
            },
            Rule::const_decl => {
                let keys = parts.take(Rule::keys).map_or_else(Vec::new, |node| self.binds(node));
                ItemKind::Const { name, keys, ty: self.maybe_type(parts), value: self.expr(parts.need()) }
            }
            Rule::record_decl => {
                let nodes = parts.take_all(Rule::bind);
                ItemKind::Record { name, parts: nodes.into_iter().map(|node| self.bind(node)).collect() }
            }
            Rule::type_decl => ItemKind::TypeAlias { name, ty: self.ty(parts.need()) },
            Rule::def_decl => {
                let formals = parts.take(Rule::formals).map(|node| self.binds(node));
                ItemKind::Def { name, formals, ty: self.maybe_type(parts), body: self.expr(parts.need()) }
            }
            Rule::inductive_decl => {
                ItemKind::Inductive { name, formals: self.binds(parts.need()), body: self.expr(parts.need()) }
            }
            Rule::effect_decl => {
                ItemKind::Effect { name, formals: self.binds(parts.need()), body: self.block(parts.need()) }
            }
            Rule::evaluate_decl => ItemKind::Evaluate { player: name, value: self.expr(parts.need()) },
            other => unreachable!("{other:?} is no item"),
        }
    }

    fn maybe_expr(&mut self, parts: &mut Parts) -> Option<Expr> {
        parts.take(Rule::expr).map(|node| self.expr(node))
    }

    fn maybe_type(&mut self, parts: &mut Parts) -> Option<Type> {
        parts.take(Rule::r#type).map(|node| self.ty(node))
    }

    fn names(&mut self, parts: &mut Parts) -> Vec<Name> {
        parts.take_all(Rule::ident).into_iter().map(|node| self.name(node)).collect()
    }

    fn each<T>(&mut self, parts: &mut Parts, build: fn(&mut Self, RulePair) -> T) -> Vec<T> {
        std::iter::from_fn(|| parts.next()).map(|node| build(self, node)).collect()
    }

    fn use_item(&mut self, parts: &mut Parts) -> ItemKind {
        let node = parts.need();
        let path = if node.as_rule() == Rule::string {
            self.string(node)
        } else {
            let Name { text, span } = self.path(node, "/");
            Str { text, span }
        };
        ItemKind::Use { path, prefix: parts.next().map(|node| self.name(node)) }
    }

    fn preset(&mut self, parts: &mut Parts) -> ItemKind {
        let name = self.name(parts.need());
        let title = parts.take(Rule::string).map(|node| self.string(node));
        ItemKind::Preset { name, title, settings: self.each(parts, Self::setting) }
    }

    fn enumeration(&mut self, parts: &mut Parts) -> ItemKind {
        let name = self.name(parts.need());
        let nodes = std::iter::from_fn(|| parts.next()).filter(|node| node.as_rule() == Rule::ident);
        ItemKind::Enum { name, members: nodes.map(|node| self.name(node)).collect() }
    }

    fn board(&mut self, parts: &mut Parts) -> ItemKind {
        let name = self.name(parts.need());
        let form = match parts.take(Rule::graph_lit) {
            Some(node) => {
                let lines = Parts::of(node).take_all(Rule::graph_line);
                BoardForm::Graph(lines.into_iter().map(|node| self.graph_line(node)).collect())
            }
            None => BoardForm::Expr(self.expr(parts.need())),
        };
        ItemKind::Board { name, form, condition: self.maybe_expr(parts) }
    }

    fn graph_line(&mut self, node: RulePair) -> GraphLine {
        let span = self.span(&node);
        let mut parts = Parts::of(node);
        let is_line = parts.take(Rule::line_mark).is_some();
        let first = self.name(parts.need());
        let mut rest = Vec::new();
        while let Some(edge) = parts.next() {
            rest.push((edge.as_str() == "->", self.name(parts.need())));
        }
        GraphLine { is_line, first, rest, span }
    }

    fn symmetry(&mut self, parts: &mut Parts) -> ItemKind {
        ItemKind::Symmetry(match parts.peek() {
            Some(Rule::auto) => SymmetryClause::Auto,
            Some(Rule::none) => SymmetryClause::None,
            _ => SymmetryClause::Of(self.each(parts, Self::expr)),
        })
    }

    fn test(&mut self, parts: &mut Parts) -> ItemKind {
        let name = self.string(parts.need());
        let settings = self.with(parts);
        ItemKind::Test(Test { name, settings, steps: self.each(parts, Self::test_step) })
    }

    fn move_item(&mut self, node: RulePair) -> MoveDecl {
        let chance = node.as_rule() == Rule::chance_decl;
        let mut parts = Parts::of(node);
        let (mut mandatory, mut private, mut forcing) = (false, false, false);
        while let Some(Rule::mandatory | Rule::private | Rule::forcing) = parts.peek() {
            match parts.need().as_rule() {
                Rule::mandatory => mandatory = true,
                Rule::private => private = true,
                _ => forcing = true,
            }
        }
        let name = self.name(parts.need());
        let params = self.binds(parts.need());
        let mut head = MoveDecl {
            chance,
            mandatory,
            private,
            forcing,
            name,
            params,
            by: None,
            phases: Vec::new(),
            template: None,
            prefer: None,
            body: ast::StmtBlock { stmts: Vec::new(), span: bouton_base::source::Span::new(self.file, 0, 0) },
        };
        while let Some(node) = parts.next() {
            self.move_part(node, &mut head);
        }
        head
    }

    /// Builds a clause of the head, or the body, of a move.
    fn move_part(&mut self, node: RulePair, head: &mut MoveDecl) {
        let rule = node.as_rule();
        if rule == Rule::block {
            head.body = self.block(node);
            return;
        }
        let span = self.span(&node);
        let mut parts = Parts::of(node);
        let twice = match rule {
            Rule::by_clause => {
                let actor = self.actor(parts.need());
                head.by.replace(actor).is_some()
            }
            Rule::in_clause => {
                let twice = !head.phases.is_empty();
                head.phases.extend(self.names(&mut parts));
                twice
            }
            Rule::as_clause => {
                let template = self.template(parts.need());
                head.template.replace(template).is_some()
            }
            _ => {
                let value = self.range(parts.need());
                head.prefer.replace(value).is_some()
            }
        };
        if twice {
            self.report_twice(span);
        }
    }

    fn report_twice(&mut self, span: bouton_base::source::Span) {
        use crate::diag::{Code, Diagnostic};
        let title = "the head of this move says this twice";
        self.diagnostics.push(
            Diagnostic::new(Code::E0013, title, span, "said before")
                .help("a move has one `by`, one `in`, one `as`, one `prefer`; several phases are `in P, Q`"),
        );
    }
}
