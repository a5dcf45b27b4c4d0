//! Prints trees in canonical form, without comments. The printed text parses to the same tree.
//!
//! Parentheses are those of the tree; the printer adds none, so a tree that does not come from the parser must contain
//! the necessary ones.

mod exprs;
mod stmts;

use super::ast::{
    Actor, Bind, BoardForm, Claim, Effect, Expr, FieldDecl, File, Item, ItemKind, MoveDecl, Name, Setting,
    SymmetryClause, Visibility,
};
pub use exprs::comparison as print_comparison;
pub(super) use exprs::{expr, ty};
use exprs::{list, quoted, template};

/// Prints a file.
pub fn print(file: &File) -> String {
    let mut out = String::new();
    for line in &file.doc {
        doc(&mut out, "//!", line, 0);
    }
    for item in &file.items {
        if !out.is_empty() {
            out.push('\n');
        }
        print_item(&mut out, item);
    }
    out
}

/// Prints an expression.
pub fn print_expr(tree: &Expr) -> String {
    let mut out = String::new();
    expr(&mut out, tree);
    out
}

/// Prints an effect, without its semicolon.
pub fn print_effect(tree: &Effect) -> String {
    let mut out = String::new();
    stmts::effect(&mut out, tree);
    out
}

/// Prints a claim.
pub fn print_claim(tree: &Claim) -> String {
    let mut out = String::new();
    stmts::claim(&mut out, &tree.kind);
    out
}

/// Writes one line of documentation.
fn doc(out: &mut String, sign: &str, line: &str, indent: usize) {
    pad(out, indent);
    out.push_str(sign);
    if !line.is_empty() {
        out.push(' ');
        out.push_str(line);
    }
    out.push('\n');
}

/// Writes two blanks per level.
fn pad(out: &mut String, indent: usize) {
    for _ in 0..indent {
        out.push_str("  ");
    }
}

fn docs(out: &mut String, lines: &[String], indent: usize) {
    for line in lines {
        doc(out, "///", line, indent);
    }
}

fn print_item(out: &mut String, item: &Item) {
    docs(out, &item.doc, 0);
    match &item.kind {
        ItemKind::Preset { name, title, settings } => {
            put(out, &["preset ", &name.text]);
            if let Some(title) = title {
                put(out, &[" ", &quoted(&title.text)]);
            }
            lines(out, settings, |out, setting| {
                pad(out, 1);
                print_setting(out, setting);
                out.push_str(";\n");
            });
        }
        ItemKind::Phases(phases) => {
            out.push_str("phases");
            lines(out, phases, |out, phase| {
                docs(out, &phase.doc, 1);
                put(out, &["  ", if phase.setup { "setup " } else { "" }, &phase.name.text]);
                if let Some(actor) = &phase.actor {
                    out.push_str(" by ");
                    print_actor(out, actor);
                }
                out.push_str(";\n");
            });
        }
        ItemKind::State(fields) => {
            out.push_str("state");
            lines(out, fields, print_field);
        }
        ItemKind::End(rules) => {
            out.push_str("end");
            lines(out, rules, stmts::end_rule);
        }
        ItemKind::Display(hints) => {
            out.push_str("display");
            lines(out, hints, stmts::hint);
        }
        ItemKind::Test(test) => stmts::test(out, test),
        ItemKind::Expect(expect) => stmts::expect(out, expect, 0),
        ItemKind::Move(item) => print_move(out, item),
        ItemKind::EveryMove(body) => {
            out.push_str("every move ");
            stmts::block(out, body, 0);
            out.push('\n');
        }
        ItemKind::Effect { name, formals, body } => {
            put(out, &["effect ", &name.text]);
            print_formals(out, formals);
            out.push(' ');
            stmts::block(out, body, 0);
            out.push('\n');
        }
        ItemKind::Enum { name, members } => {
            put(out, &["enum ", &name.text, " { "]);
            print_names(out, members);
            out.push_str(" }\n");
        }
        kind => {
            print_clause(out, kind);
            out.push_str(";\n");
        }
    }
}

/// Writes an item that ends in `;`.
fn print_clause(out: &mut String, kind: &ItemKind) {
    match kind {
        ItemKind::Game(name) => put(out, &["game ", &quoted(&name.text)]),
        ItemKind::Use { path, prefix } => {
            put(out, &["use ", &quoted(&path.text)]);
            if let Some(prefix) = prefix {
                put(out, &[" as ", &prefix.text]);
            }
        }
        ItemKind::Param { name, ty: of, default, condition } => {
            put(out, &["param ", &name.text, ": "]);
            ty(out, of);
            out.push_str(" = ");
            expr(out, default);
            after(out, " where ", condition.as_ref());
        }
        ItemKind::Const { name, keys, ty: of, value } => {
            put(out, &["const ", &name.text]);
            print_keys(out, keys);
            print_type(out, of.as_ref());
            after(out, " = ", Some(value));
        }
        ItemKind::Players(names) => {
            out.push_str(if names.len() == 1 { "player " } else { "players " });
            print_names(out, names);
        }
        ItemKind::Record { name, parts } => {
            put(out, &["record ", &name.text]);
            print_formals(out, parts);
        }
        ItemKind::TypeAlias { name, ty: of } => {
            put(out, &["type ", &name.text, " = "]);
            ty(out, of);
        }
        ItemKind::Board { name, form, condition } => {
            put(out, &["board ", &name.text, " = "]);
            print_board(out, form);
            after(out, " where ", condition.as_ref());
        }
        ItemKind::Def { name, formals, ty: of, body } => {
            put(out, &["def ", &name.text]);
            if let Some(formals) = formals {
                print_formals(out, formals);
            }
            print_type(out, of.as_ref());
            after(out, " = ", Some(body));
        }
        ItemKind::Inductive { name, formals, body } => {
            put(out, &["inductive ", &name.text]);
            print_formals(out, formals);
            after(out, " = ", Some(body));
        }
        ItemKind::Evaluate { player, value } => {
            put(out, &["evaluate ", &player.text]);
            after(out, ": ", Some(value));
        }
        ItemKind::Pass(None) => out.push_str("pass always"),
        ItemKind::Pass(condition) => after(out, "pass when ", condition.as_ref()),
        ItemKind::ForbidRepeat { of, within } => {
            out.push_str("forbid repeat");
            after(out, " of ", of.as_ref());
            if let Some(within) = within {
                put(out, &[" within ", &within.text]);
            }
        }
        ItemKind::Play { normal } => out.push_str(if *normal { "play normal" } else { "play misere" }),
        ItemKind::Invariant { name, value } => {
            out.push_str("invariant ");
            if let Some(name) = name {
                put(out, &[&name.text, ": "]);
            }
            expr(out, value);
        }
        ItemKind::Symmetry(SymmetryClause::Auto) => out.push_str("symmetry auto"),
        ItemKind::Symmetry(SymmetryClause::None) => out.push_str("symmetry none"),
        ItemKind::Symmetry(SymmetryClause::Of(boards)) => {
            out.push_str("symmetry ");
            list(out, boards, expr);
        }
        ItemKind::Sees { player, value, condition } => {
            after(out, "sees ", Some(player));
            after(out, ": ", Some(value));
            after(out, " when ", condition.as_ref());
        }
        _ => {}
    }
}

/// Writes words one after another.
fn put(out: &mut String, words: &[&str]) {
    words.iter().for_each(|word| out.push_str(word));
}

/// Writes words and the expression after them, if there is one.
fn after(out: &mut String, words: &str, tree: Option<&Expr>) {
    if let Some(tree) = tree {
        out.push_str(words);
        expr(out, tree);
    }
}

/// Writes clauses in braces, one per line.
fn lines<T>(out: &mut String, clauses: &[T], print: impl Fn(&mut String, &T)) {
    out.push_str(" {\n");
    for clause in clauses {
        print(out, clause);
    }
    out.push_str("}\n");
}

fn print_names(out: &mut String, names: &[Name]) {
    list(out, names, |out, name| out.push_str(&name.text));
}

fn print_setting(out: &mut String, setting: &Setting) {
    put(out, &[&setting.name.text, " = "]);
    expr(out, &setting.value);
}

fn print_type(out: &mut String, of: Option<&super::ast::Type>) {
    if let Some(of) = of {
        out.push_str(": ");
        ty(out, of);
    }
}

fn print_bind(out: &mut String, bind: &Bind) {
    put(out, &[&bind.name.text, ": "]);
    ty(out, &bind.ty);
}

fn print_formals(out: &mut String, formals: &[Bind]) {
    out.push('(');
    list(out, formals, print_bind);
    out.push(')');
}

fn print_keys(out: &mut String, keys: &[Bind]) {
    if !keys.is_empty() {
        out.push('[');
        list(out, keys, print_bind);
        out.push(']');
    }
}

fn print_board(out: &mut String, form: &BoardForm) {
    let lines = match form {
        BoardForm::Expr(form) => return expr(out, form),
        BoardForm::Graph(lines) => lines,
    };
    out.push_str("graph {\n");
    for line in lines {
        put(out, &["  ", if line.is_line { "line " } else { "" }, &line.first.text]);
        for (one_way, point) in &line.rest {
            put(out, &[if *one_way { " -> " } else { " - " }, &point.text]);
        }
        out.push_str(";\n");
    }
    out.push('}');
}

fn print_field(out: &mut String, field: &FieldDecl) {
    docs(out, &field.doc, 1);
    put(out, &["  ", if field.transient { "transient " } else { "" }, &field.name.text]);
    print_keys(out, &field.keys);
    out.push_str(": ");
    ty(out, &field.ty);
    after(out, " = ", field.init.as_ref());
    match &field.visibility {
        Visibility::Public => {}
        Visibility::Hidden => out.push_str(" hidden"),
        Visibility::To(who) => after(out, " visible to ", Some(who)),
    }
    out.push_str(";\n");
}

fn print_actor(out: &mut String, actor: &Actor) {
    match actor {
        Actor::Each(_) => out.push_str("each"),
        Actor::Chance(_) => out.push_str("chance"),
        Actor::Player(player) => expr(out, player),
    }
}

fn print_move(out: &mut String, item: &MoveDecl) {
    let mandatory = if item.mandatory { "mandatory " } else { "" };
    let private = if item.private { "private " } else { "" };
    let forcing = if item.forcing { "forcing " } else { "" };
    let word = if item.chance { "chance " } else { "move " };
    put(out, &[mandatory, private, forcing, word, &item.name.text]);
    print_formals(out, &item.params);
    if let Some(actor) = &item.by {
        out.push_str(" by ");
        print_actor(out, actor);
    }
    if !item.phases.is_empty() {
        out.push_str(" in ");
        print_names(out, &item.phases);
    }
    if let Some(name) = &item.template {
        out.push_str(" as ");
        template(out, name);
    }
    after(out, " prefer max ", item.prefer.as_ref());
    out.push(' ');
    stmts::block(out, &item.body, 0);
    out.push('\n');
}
