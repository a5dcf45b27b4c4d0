//! Moves: heads, stages, effects.

use super::expr::{ExprPrinter, part_name};
use super::{Printer, values};
use crate::{Block, Effect, EffectOp, Move, MoveId, PhaseId, StmtKind, TemplatePart, Type, Vars};

impl Printer<'_> {
    /// Prints the moves in the order of their ids, then the rule for passing.
    pub(super) fn moves(&mut self) {
        let rules = self.rules;
        for (id, known) in rules.moves.entries() {
            self.a_move(id, known);
        }
        if let Some(pass) = &rules.pass {
            match &pass.condition {
                None => self.line("pass always;"),
                Some(condition) => {
                    let condition = ExprPrinter { rules, vars: &Vars::new() }.full(condition);
                    self.line(format!("pass when {condition};"));
                }
            }
        }
    }

    fn a_move(&mut self, id: MoveId, known: &Move) {
        let rules = self.rules;
        self.docs("///", &known.doc);
        let words = ExprPrinter { rules, vars: &known.vars };
        let param = |p: &crate::Param| match known.vars.get(p.var) {
            Some(var) => format!("{} {}", p.var, values::named(rules, &words.var(p.var), &var.ty, &p.values)),
            None => p.var.to_string(),
        };
        let params: Vec<String> = known.params.iter().map(param).collect();
        let mut head = String::new();
        let marks = [known.mandatory, known.private, known.forcing];
        for (word, present) in ["mandatory ", "private ", "forcing "].into_iter().zip(marks) {
            head.push_str(if present { word } else { "" });
        }
        let kind = if known.chance { "chance" } else { "move" };
        head.push_str(&format!("{kind} {id} {}({})", known.name, params.join(", ")));
        if let Some(by) = &known.by {
            head.push_str(&format!(" by {}", words.full(by)));
        }
        let phases: Vec<String> = known.phases.iter().map(|&p| self.phase_name(p)).collect();
        if !phases.is_empty() {
            head.push_str(&format!(" in {}", phases.join(", ")));
        }
        head.push_str(&format!(" as {}", template(&words, &known.template)));
        if let Some(prefer) = &known.prefer {
            head.push_str(&format!(" prefer max {}", words.full(prefer)));
        }
        self.braces(&head, |printer| {
            printer.vars(&known.vars, known.params.len());
            if let Some(weight) = &known.weight {
                printer.line(format!("weight {};", words.full(weight)));
            }
            printer.block(&known.vars, &known.body);
        });
    }

    /// The id of a phase and its name, if it has one.
    fn phase_name(&self, id: PhaseId) -> String {
        match self.rules.phases.get(id).map(|p| p.name.as_str()) {
            None | Some("") => id.to_string(),
            Some(name) => format!("{id} {name}"),
        }
    }

    /// Prints the statements of a block, one per line.
    pub(super) fn block(&mut self, vars: &Vars, block: &Block) {
        let words = ExprPrinter { rules: self.rules, vars };
        for stmt in &block.stmts {
            match &stmt.kind {
                StmtKind::Require(e) => self.line(format!("when {};", words.full(e))),
                StmtKind::Let(pattern, e) => {
                    self.line(format!("let {} = {};", words.pattern(pattern), words.full(e)));
                }
                StmtKind::If(condition, yes, no) => {
                    self.braces(&format!("if {}", words.full(condition)), |p| p.block(vars, yes));
                    if !no.stmts.is_empty() {
                        self.braces("else", |p| p.block(vars, no));
                    }
                }
                StmtKind::For(binders, body) => {
                    self.braces(&format!("for {}", words.binders(binders)), |p| p.block(vars, body));
                }
                StmtKind::Then(body) => self.braces("then", |p| p.block(vars, body)),
                StmtKind::Effect(effect) => self.line(self.effect(&words, effect)),
                StmtKind::Stay(None) => self.line("again;"),
                StmtKind::Stay(Some(phase)) => self.line(format!("continue {};", self.phase_name(*phase))),
                StmtKind::Next(e) => self.line(format!("next {};", words.full(e))),
            }
        }
    }

    fn effect(&self, words: &ExprPrinter, effect: &Effect) -> String {
        let rules = self.rules;
        let field = rules.fields.get(effect.field);
        let mut target = field.map_or(effect.field.to_string(), |f| f.name.clone());
        target.push_str(&words.bracketed(&effect.keys));
        let mut ty = field.map_or(&Type::Error, |f| &f.ty);
        for &n in &effect.path {
            target.push_str(&format!(".{}", part_name(rules, ty, n)));
            ty = match ty.present() {
                Type::Record(id) => {
                    rules.records.get(*id).and_then(|r| r.parts.get(n as usize)).map(|(_, t)| t)
                }
                Type::Tuple(parts) => parts.get(n as usize),
                _ => None,
            }
            .unwrap_or(&Type::Error);
        }
        let op = match effect.op {
            EffectOp::Set => ":=",
            EffectOp::Add => "+=",
            EffectOp::Subtract | EffectOp::Remove => "-=",
            EffectOp::Insert => "|=",
        };
        format!("{target} {op} {};", words.full(&effect.value))
    }
}

/// The notation of a move, in quotes, with its placeholders in braces.
fn template(words: &ExprPrinter, parts: &[TemplatePart]) -> String {
    let part = |part: &TemplatePart| match part {
        TemplatePart::Text(text) => {
            text.replace('\\', "\\\\").replace('"', "\\\"").replace('{', "{{").replace('}', "}}")
        }
        TemplatePart::Placeholder(e) => format!("{{{}}}", words.full(e)),
    };
    format!("\"{}\"", parts.iter().map(part).collect::<String>())
}
