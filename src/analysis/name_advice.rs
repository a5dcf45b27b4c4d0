//! Advice on names that are unknown where they stand, by the item around them.

use std::collections::HashSet;

use super::analyzer::Analyzer;
use super::expr::advice::Advice;
use super::foreign_names;
use super::lints::expr_names;
use super::locals::Locals;
use super::symbols::SymbolKind;
use bouton_base::source::Span;
use bouton_rules::{PLAYER, Type};
use bouton_syntax::ast::{self, CmpOp, EndCondition, ExprKind, ItemKind, Quantifier, StmtKind, TypeKind};
use bouton_syntax::diag::{self, Code, Diagnostic};
use bouton_syntax::{print_expr, visit};

impl<'a> Analyzer<'a> {
    /// The diagnostic of `hand[q: Player]: ... visible to p`, where the key of the field has another name.
    pub(super) fn unknown_viewer(&self, span: Span, found: &Diagnostic) -> Option<Diagnostic> {
        let field = self.field_around(span)?;
        let ast::Visibility::To(who) = &field.visibility else { return None };
        if who.bare().span != span {
            return None;
        }
        let is_player = |key: &&ast::Bind| match &key.ty.kind {
            ast::TypeKind::Expr(ty) => ty.bare().as_name() == Some("Player"),
            _ => false,
        };
        let mut keys = field.keys.iter().filter(is_player);
        let key = keys.next().filter(|_| keys.next().is_none())?;
        let near = who.bare().as_name().and_then(|name| {
            diag::nearest(
                name,
                self.rules.players().iter().map(String::as_str).chain([key.name.text.as_str()]),
            )
        });
        if near.is_some_and(|near| near != key.name.text) {
            return None;
        }
        let (key, field) = (&key.name.text, &field.name.text);
        let help = format!("`{field}[{key}]` belongs to the player `{key}`: write `visible to {key}`");
        let mut found = found.clone().help(help).edit(span, key.as_str());
        found.labels[0].text = format!("the key of `{field}` is `{key}`");
        Some(found)
    }

    /// The diagnostic of `n => "{n}"` in a display, whose arms name one value each.
    pub(super) fn unknown_in_arm(&self, name: &str, span: Span) -> Option<Diagnostic> {
        let Some(ItemKind::Display(hints)) = self.item_around(span) else { return None };
        let mut arms = hints.iter().flat_map(|hint| &hint.arms);
        let arm = arms.find(|arm| arm.value.bare().span == span)?;
        let mentions = match &*arm.sign.bare().kind {
            ast::ExprKind::Str(sign) => sign.contains(&format!("{{{name}}}")),
            _ => false,
        };
        if name != "_" && !mentions {
            return None;
        }
        let title = format!("an arm of a display is for one value, and `{name}` is none");
        let found = Diagnostic::new(Code::E0101, title, span, "this name is declared nowhere");
        Some(found.help(match mentions {
            true => "leave this arm out: the values without an arm are drawn with characters of their own",
            false => {
                "name each value that has a symbol; without this arm the others are drawn with characters of their own"
            }
        }))
    }

    /// Advice on a name in the declaration of a field that knows only its keys.
    pub(super) fn keys_of_field_around(&self, span: Span) -> Option<String> {
        let field = self.field_around(span)?;
        let keys: Vec<String> = field.keys.iter().map(|key| format!("`{}`", key.name.text)).collect();
        let noun = if keys.len() == 1 { "key is" } else { "keys are" };
        let (name, keys) = (&field.name.text, keys.join(" and "));
        let is_range_of_a_key = field.keys.iter().any(|key| key.ty.span.covers(span));
        if is_range_of_a_key {
            return Some(format!(
                "the keys of `{name}` have fixed ranges, for all other keys alike: give it the greatest, and ask in the \
                 initial value and the conditions which of them count"
            ));
        }
        (!field.keys.is_empty()).then(|| format!("this is the declaration of `{name}`, whose {noun} {keys}"))
    }

    /// Advice on an unknown name where a point of a graph is needed, or where one may be meant.
    pub(super) fn points_for_a_name(&self, name: &str, of_type: Option<&str>) -> Option<String> {
        let mut graphs = self.items().filter_map(|(item, _)| match &item.kind {
            ItemKind::Board { name, form: ast::BoardForm::Graph(_), .. } => Some(name),
            _ => None,
        });
        let board = graphs.find(|board| of_type.is_none_or(|ty| ty == board.text))?;
        let of = self.rules.boards.iter().find(|of| of.name == board.text)?;
        let points = &self.rules.enums[of.cells].members;
        let is_alike = points.iter().all(|point| point.chars().count() == name.chars().count());
        let shown = match points.len() {
            0 => return None,
            1..=12 => points.join(", "),
            _ => format!("{}, ..., {}", points[..8].join(", "), points[points.len() - 1]),
        };
        let help = format!("no point of `{}` is called `{name}`: its points are {shown}", board.text);
        match of_type {
            Some(_) => Some(help),
            None if is_alike => Some(format!(
                "{help}; if it is a number that is left open, declare it: `param {name}: 1..9 = 3;`"
            )),
            None => None,
        }
    }

    /// The field in whose declaration a place is.
    fn field_around(&self, span: Span) -> Option<&'a ast::FieldDecl> {
        match self.item_around(span)? {
            ItemKind::State(fields) => fields.iter().find(|field| field.span.covers(span)),
            _ => None,
        }
    }

    /// Adds to the report of a name in a template what is known there; returns true if it stands in one.
    pub(super) fn known_in_template(&self, name: &str, span: Span, found: &mut Diagnostic) -> bool {
        let Some(ItemKind::Move(of)) = self.item_around(span) else { return false };
        let placeholders: Vec<&ast::Expr> = of
            .template
            .iter()
            .flat_map(|template| &template.parts)
            .filter_map(|part| match part {
                ast::TemplatePart::Placeholder(term) => Some(term),
                ast::TemplatePart::Text(_) => None,
            })
            .collect();
        if !placeholders.iter().any(|term| term.span.covers(span)) || of.params.is_empty() {
            return false;
        }
        let mut shown = HashSet::new();
        placeholders.iter().for_each(|term| expr_names(term, &mut shown));
        if let [only] = &of.params[..]
            && !shown.contains(only.name.text.as_str())
            && name.len() <= 2
        {
            found.labels[0].text = format!("did you mean the parameter `{}`?", only.name.text);
            found.edits.push(diag::Edit { span, text: only.name.text.clone() });
            return true;
        }
        let params: Vec<String> = of.params.iter().map(|param| format!("`{}`", param.name.text)).collect();
        let fields: Vec<String> = self
            .rules
            .fields
            .entries()
            .filter(|(id, _)| *id != bouton_rules::MOVER && *id != bouton_rules::PHASE)
            .map(|(_, field)| match field.keys.is_empty() {
                true => format!("`{}`", field.name),
                false => format!("`{}[...]`", field.name),
            })
            .collect();
        let noun = |n: usize, word: &str| if n == 1 { word.to_owned() } else { format!("{word}s") };
        let params = format!("the {} {}", noun(params.len(), "parameter"), params.join(", "));
        let fields = match fields.is_empty() {
            true => String::new(),
            false => format!(", and the {} {}", noun(fields.len(), "field"), fields.join(", ")),
        };
        found.help = Some(format!("known here are {params}{fields}"));
        true
    }

    /// Advice on a parameter of a move in the type of another: `move step(from: Cell, to: from.neighbors)`.
    pub(super) fn dependent_parameter(&self, name: &str, span: Span) -> Option<Advice> {
        let Some(ItemKind::Move(of)) = self.item_around(span) else { return None };
        let first = of.params.iter().find(|param| param.name.text == name)?;
        let second = of.params.iter().find(|param| param.ty.span.covers(span))?;
        let (TypeKind::Expr(set), TypeKind::Expr(first)) = (&second.ty.kind, &first.ty.kind) else {
            return None;
        };
        let (own, set) = (&second.name.text, print_expr(set));
        let ty = first.as_name().unwrap_or("...");
        Some(Advice::new(format!(
            "the values of a parameter do not depend on another parameter: declare `{own}: {ty}`, and write `when {own} in \
             {set};` in the move"
        )))
    }

    /// Advice on a name that a quantifier has bound, and that stands behind its end: as the winner of the rule, or in an
    /// effect.
    pub(super) fn quantifier_ended(&self, name: &str, bound: Span, span: Span) -> Option<Advice> {
        match self.item_around(span)? {
            ItemKind::End(rules) => {
                let rule = rules.iter().find(|rule| rule.span.covers(span))?;
                let EndCondition::When { binder: None, condition } = &rule.condition else { return None };
                let ExprKind::Quant(Quantifier::Some, binders, body) = &*condition.bare().kind else {
                    return None;
                };
                let [binder] = &binders[..] else { return None };
                if !binder.span.covers(bound) || !rule.outcome.span.covers(span) {
                    return None;
                }
                let filter =
                    binder.condition.as_ref().map_or(String::new(), |c| format!(" where {}", print_expr(c)));
                let new =
                    format!("for {name} in {}{filter} when {}", print_expr(&binder.domain), print_expr(body));
                let head = Span { end: condition.span.end, ..rule.span };
                Some(
                    Advice::new(format!("a rule about a player who is looked for: `{new} => ...`"))
                        .edit(head, new),
                )
            }
            ItemKind::Move(of) => {
                let quantifier = of.body.stmts.iter().find_map(|stmt| match &stmt.kind {
                    StmtKind::When(condition) if condition.span.covers(bound) => Some(condition),
                    _ => None,
                })?;
                let ExprKind::Quant(Quantifier::Some, binders, body) = &*quantifier.bare().kind else {
                    return None;
                };
                let [binder] = &binders[..] else { return None };
                if !binder.span.covers(bound) || quantifier.span.covers(span) || of.chance {
                    return None;
                }
                let domain = print_expr(&binder.domain);
                let head = of.name.text.as_str();
                let declared = of.params.iter().map(|param| match &param.ty.kind {
                    TypeKind::Expr(ty) => format!("{}: {}", param.name.text, print_expr(ty)),
                    _ => format!("{}: ...", param.name.text),
                });
                let declared: Vec<String> = declared.chain([format!("{name}: {domain}")]).collect();
                Some(Advice::new(format!(
                    "what the player chooses is a parameter: `move {head}({})`, and `when {};`",
                    declared.join(", "),
                    print_expr(body)
                )))
            }
            _ => None,
        }
    }

    /// The only parameter of the item around a name that is used nowhere in it, if it has the type that is needed.
    pub(super) fn unused_parameter(
        &self,
        span: Span,
        want: Option<&Type>,
        locals: &Locals,
    ) -> Option<String> {
        let (params, used): (&[ast::Bind], HashSet<&str>) = match self.item_around(span)? {
            ItemKind::Def { formals: Some(formals), body, .. } => {
                let mut used = HashSet::new();
                expr_names(body, &mut used);
                (formals, used)
            }
            _ => return None,
        };
        let mut unused = params
            .iter()
            .filter(|param| !used.contains(param.name.text.as_str()) && !param.name.text.starts_with('_'));
        let only = unused.next().filter(|_| unused.next().is_none())?;
        let local = locals.stack.iter().find(|local| local.span == only.name.span)?;
        let fits = want.is_some_and(|want| Type::join(want.present(), &local.ty).is_some());
        fits.then(|| only.name.text.clone())
    }

    /// Reports an unknown name where a type is needed; returns true if it is that. Fields and moves are not proposed.
    pub(super) fn unknown_type(&mut self, name: &str, span: Span) -> bool {
        if let Some(sides) = name.strip_prefix('d').and_then(|sides| sides.parse::<u32>().ok())
            && sides > 1
            && self.find(name, span).is_none()
            && !self.members.contains_key(name)
            && !self.options.damaged
        {
            let found = Diagnostic::new(Code::E0101, format!("there is no type `{name}`"), span, "");
            let new = format!("1..{sides}");
            self.report(found.help(format!("a die is the range of its numbers: `{new}`")).edit(span, new));
            return true;
        }
        if let Some(key) = self.find(name, span)
            && self.field_of(key).is_some()
            && !self.options.damaged
            && let Some((_, ty)) = self.field_like(name)
        {
            let title = format!("`{name}` is a field, and a type is needed here");
            let found = Diagnostic::new(Code::E0201, title, span, "a field");
            let help = format!("the values of the field `{name}` are of the type `{ty}`: write `{ty}`");
            self.report(found.help(help).edit(span, ty));
            return true;
        }
        let is_known = self.find(name, span).is_some()
            || self.members.contains_key(name)
            || self.texts.library(name, span).is_some()
            || super::expr::BUILT_IN_NAMES.contains(&name);
        let is_told_elsewhere = self.board_called(name).is_some()
            || self.texts.prefix_of(name, span).is_some()
            || bouton_syntax::foreign_value(name).is_some()
            || foreign_names::value_help(name).is_some();
        if is_known || is_told_elsewhere || self.options.damaged {
            return false;
        }
        if self.unknown_names.contains(name) {
            return true;
        }
        let found = Diagnostic::new(Code::E0101, format!("there is no `{name}` here"), span, "");
        let mut types: Vec<&str> = self
            .symbols
            .iter()
            .filter(|(_, symbol)| {
                !matches!(
                    symbol.kind,
                    SymbolKind::Field { .. }
                        | SymbolKind::Move { .. }
                        | SymbolKind::Effect { .. }
                        | SymbolKind::Def { .. }
                        | SymbolKind::Inductive { .. }
                )
            })
            .map(|(name, _)| *name)
            .chain(["Player", "Dir"])
            .collect();
        if !self.rules.dirs.is_empty() {
            types.extend(["Orthogonal", "Diagonal", "Compass"]);
        }
        types.sort_unstable();
        let near = diag::nearest(name, types.iter().copied()).or_else(|| abbreviated(name, &types));
        if let Some(near) = near {
            let word = self.symbols.get(near).map_or(String::new(), |s| format!("the {} ", s.kind.word()));
            let mut found = found;
            found.labels[0].text = format!("did you mean {word}`{near}`?");
            self.report(found.edit(span, near));
            return true;
        }
        self.unknown_names.insert(name.to_owned());
        let mut found = found;
        if let Some((field, ty)) = self.field_like(name) {
            found.labels[0].text = "a type is needed".to_owned();
            let help = format!("the values of the field `{field}` are of the type `{ty}`: write `{ty}`");
            self.report(found.help(help).edit(span, ty));
            return true;
        }
        if let Some(help) = self.direction_is_needed(span) {
            found.labels[0].text = "a direction is needed; this name is declared nowhere".to_owned();
            self.report(found.help(help));
            return true;
        }
        found.labels[0].text = "a type is needed; this name is declared nowhere".to_owned();
        self.report(found.help(format!(
            "declare it: `enum {name} {{ ... }}` lists its values, `type {name} = 1..9;` is a range"
        )));
        true
    }

    /// The field that has a name but for capitals, and the name of the type of its values.
    fn field_like(&self, name: &str) -> Option<(&'a str, String)> {
        let field = self.items().find_map(|(item, _)| match &item.kind {
            ItemKind::State(fields) => fields.iter().find(|field| field.name.text.eq_ignore_ascii_case(name)),
            _ => None,
        })?;
        let mut ty = &field.ty;
        while let TypeKind::Option(inner) | TypeKind::Set(inner) = &ty.kind {
            ty = inner;
        }
        let TypeKind::Expr(words) = &ty.kind else { return None };
        let declared = words.as_name().filter(|of| *of == "Player" || self.symbols.contains_key(of))?;
        Some((&field.name.text, declared.to_owned()))
    }

    /// The only capitalised name that stands for a type in the file, and is declared nowhere.
    pub(super) fn undeclared_type(&self) -> Option<String> {
        let mut names: Vec<&str> = Vec::new();
        for (item, own) in self.items() {
            let binds: &[ast::Bind] = match &item.kind {
                _ if !own => continue,
                ItemKind::Move(ast::MoveDecl { params, .. }) => params,
                ItemKind::Def { formals: Some(formals), .. }
                | ItemKind::Inductive { formals, .. }
                | ItemKind::Effect { formals, .. } => formals,
                _ => continue,
            };
            names.extend(binds.iter().filter_map(|bind| match &bind.ty.kind {
                TypeKind::Expr(words) => words.as_name(),
                _ => None,
            }));
        }
        names.retain(|name| {
            name.starts_with(|c: char| c.is_ascii_uppercase())
                && !self.symbols.contains_key(name)
                && !super::expr::BUILT_IN_NAMES.contains(name)
        });
        names.sort_unstable();
        names.dedup();
        match names[..] {
            [only] => Some(only.to_owned()),
            _ => None,
        }
    }

    /// Reports `moves = {}`, where a player who cannot move is meant; returns true if it is that.
    pub(super) fn set_of_moves(&mut self, op: CmpOp, sides: [&ast::Expr; 2], locals: &Locals) -> bool {
        let words = match sides {
            [words, empty] if empty.is_empty_set() => words,
            [empty, words] if empty.is_empty_set() => words,
            _ => return false,
        };
        let name = words.bare().as_name().unwrap_or_default();
        let plain = name.to_ascii_lowercase().replace('_', "");
        let is_it = matches!(plain.as_str(), "moves" | "legalmoves" | "possiblemoves" | "actions" | "legal");
        let new = match op {
            CmpOp::Equal | CmpOp::DoubleEqual | CmpOp::Is => "stuck",
            CmpOp::NotEqual => "not stuck",
            _ => return false,
        };
        if !is_it || self.options.damaged || !self.is_new_name(name, words.span, locals) {
            return false;
        }
        let title = format!("there is no `{name}` here: moves are no value");
        let found = Diagnostic::new(Code::E0101, title, words.span, "this name is declared nowhere");
        let found =
            found.help(format!("the player to move has no legal move where `stuck` holds: write `{new}`"));
        self.report(found.edit(sides[0].span.to(sides[1].span), new));
        true
    }

    /// Reports `turn > 20` and `moves = 9`, where moves are counted; returns true if it is that.
    pub(super) fn count_of_moves(&mut self, op: CmpOp, sides: [&ast::Expr; 2], locals: &Locals) -> bool {
        let number = |side: &ast::Expr| match &*side.bare().kind {
            ExprKind::Number(digits) => digits.parse::<i64>().ok(),
            _ => None,
        };
        let (words, n) = match (
            sides[0].bare().as_name(),
            number(sides[1]),
            sides[1].bare().as_name(),
            number(sides[0]),
        ) {
            (Some(_), Some(n), ..) => (sides[0], n),
            (_, _, Some(_), Some(n)) => (sides[1], n),
            _ => return false,
        };
        let name = words.bare().as_name().unwrap_or_default();
        let is_count = matches!(
            name,
            "turn"
                | "turns"
                | "move"
                | "moves"
                | "round"
                | "rounds"
                | "ply"
                | "plies"
                | "clock"
                | "time"
                | "steps"
        );
        if !is_count || self.options.damaged || !self.is_new_name(name, words.span, locals) {
            return false;
        }
        if !self.unknown_names.insert(name.to_owned()) {
            return true;
        }
        let is_strict = matches!(op, CmpOp::Greater | CmpOp::Less);
        let most = n.saturating_add(i64::from(is_strict)).max(1);
        let title = format!("there is no `{name}` here: moves are not counted");
        let found = Diagnostic::new(Code::E0101, title, words.span, "this name is declared nowhere");
        self.report(found.help(format!(
            "a field counts them, `state {{ {name}: 0..{most} = 0; }}`, and `every move {{ {name} += 1; }}`"
        )));
        true
    }

    /// Adds to the warning of an unused parameter what takes its place.
    pub(super) fn advise_on_unused(&self, found: Diagnostic, formal: &ast::Bind) -> Diagnostic {
        let name = &formal.name.text;
        let is_player = matches!(&formal.ty.kind, TypeKind::Expr(ty) if ty.as_name() == Some("Player"));
        match self.item_around(formal.name.span) {
            Some(ItemKind::Move(of)) if is_player && !of.chance => found.help(format!(
                "the player who moves is `me`, also without a parameter: leave out `{name}: {}`",
                self.rules.enums[PLAYER].name
            )),
            Some(item @ (ItemKind::Def { .. } | ItemKind::Effect { .. })) if is_player => {
                let mut used = HashSet::new();
                match item {
                    ItemKind::Def { body, .. } => expr_names(body, &mut used),
                    ItemKind::Effect { body, .. } => {
                        let mut see = |expr| expr_names(expr, &mut used);
                        body.stmts.iter().for_each(|stmt| visit::statement(stmt, &mut see));
                    }
                    _ => {}
                }
                let mut other = ["me", "mover", "opponent"].into_iter().filter(|word| used.contains(word));
                match other.next() {
                    Some(word) => found.help(format!(
                        "is `{name}` meant where `{word}` stands? Otherwise remove it, or begin its name with `_`"
                    )),
                    None => match self.question_of_anyone(item) {
                        Some((asked, term)) => {
                            let label = format!("this asks for anyone, not for `{name}`");
                            found.label(asked, label).help(format!(
                                "is `{term} = {name}` meant? Otherwise remove the parameter, or begin its name with `_`"
                            ))
                        }
                        None => found.help("remove it, or begin its name with `_`"),
                    },
                }
            }
            _ => found.help("remove it, or begin its name with `_`"),
        }
    }
}

/// The only declared name of which this one is an abbreviation, or the long form: `Col` and `Column`.
fn abbreviated<'n>(name: &str, declared: &[&'n str]) -> Option<&'n str> {
    let starts = |long: &str, short: &str| {
        short.len() > 2 && long.get(..short.len()).is_some_and(|start| start.eq_ignore_ascii_case(short))
    };
    let mut alike = declared.iter().filter(|of| starts(name, of) || starts(of, name));
    let only = alike.next()?;
    alike.next().is_none().then_some(*only)
}

#[cfg(test)]
mod tests {
    use super::abbreviated;
    use crate::testing::found;
    use bouton_syntax::diag::Code;

    #[test]
    fn abbreviations_are_recognized() {
        assert_eq!(abbreviated("Column", &["Cell", "Col", "Player"]), Some("Col"));
        assert_eq!(abbreviated("Pos", &["Position", "Player"]), Some("Position"));
        assert_eq!(abbreviated("Co", &["Col"]), None);
        assert_eq!(abbreviated("Pla", &["Place", "Player"]), None);
        assert_eq!(abbreviated("Pile", &["Pi", "Player"]), None);
    }

    #[test]
    fn moves_are_no_set() {
        let help = |condition: &str| {
            let text = format!(
                "game \"Moves\"; players A, B; state {{ n: 0..9 = 9; }}
                 move take(k: 1..2) as \"{{k}}\" {{ when k <= n; n -= k; }} end {{ when {condition} => mover loses; }}"
            );
            found(&text, Code::E0101).into_iter().next().and_then(|found| found.help).unwrap_or_default()
        };
        assert!(help("moves = {}").contains("write `stuck`"));
        assert!(help("legal_moves != {}").contains("write `not stuck`"));
        assert!(help("stuck").is_empty());
    }

    #[test]
    fn sets_of_directions_are_types() {
        let mended = |ty: &str| {
            let text = format!(
                "game \"Walk\"; players A, B; board Cell = grid(3, 3);
                 state {{ here[p: Player]: Cell = match p {{ A => a1, B => c3 }}; }}
                 move walk(d: {ty}) as \"{{d}}\" {{ let to = here[me] + d; when to != here[opponent]; here[me] := to; }}
                 end {{ when here[A] = b2 => A wins; repeat => draw; }}"
            );
            found(&text, Code::E0101)
                .into_iter()
                .flat_map(|found| found.edits)
                .map(|edit| edit.text)
                .collect::<Vec<_>>()
        };
        assert_eq!(mended("orth"), ["Orthogonal"]);
        assert_eq!(mended("diag"), ["Diagonal"]);
        assert!(mended("Compass").is_empty());
    }

    #[test]
    fn points_of_a_graph_are_listed() {
        let help = |place: &str, hole: &str| {
            let text = format!(
                "game \"Graph\"; players A, B; board Node = graph {{ line p - q - r; }}
                 const hole = {hole}; state {{ here[x: Player]: Node = match x {{ A => p, B => {place} }}; }}
                 move run(to: Node) as \"{{to}}\" {{ when to in here[me].neighbors and to != hole; here[me] := to; }}
                 end {{ when here[A] = here[B] => A wins; repeat => draw; }}"
            );
            found(&text, Code::E0101).into_iter().next().and_then(|found| found.help).unwrap_or_default()
        };
        let points = "no point of `Node` is called `w`: its points are p, q, r";
        assert_eq!(help("w", "q"), points);
        assert!(help("r", "w").starts_with(points), "{}", help("r", "w"));
        assert!(help("r", "w").ends_with("`param w: 1..9 = 3;`"));
    }

    #[test]
    fn parameters_depend_on_no_other() {
        let text =
            "game \"Steps\"; players A, B; board Cell = grid(2, 2); state { at[c: Cell]: Player? = none; }
             move step(from: Cell, to: from.neighbors) as \"{from}{to}\" { when at[to] = none; at[to] := me; }
             play normal;";
        let found = found(text, Code::E0101);
        let help = found[0].help.as_deref().unwrap_or_default();
        assert!(help.contains("declare `to: Cell`, and write `when to in from.neighbors;`"), "{help}");
    }

    /// The messages about names that are declared nowhere, in this field and this display.
    fn messages(field: &str, display: &str) -> Vec<String> {
        let text = format!(
            "game \"Names\"; players Ann, Bob; board Cell = grid(3, 1);
             state {{ at[c: Cell]: 0..3 = 0; {field}; }}
             move put(c: Cell) as \"{{c}}\" {{ when at[c] = 0; at[c] := 1; }}
             play normal;
             display {{ cell at {{ {display} }}; }}"
        );
        let words = |found: bouton_syntax::diag::Diagnostic| {
            [found.title, found.help.unwrap_or_default()].join(" / ")
        };
        found(&text, Code::E0101).into_iter().map(words).collect()
    }

    #[test]
    fn viewers_are_keys() {
        assert_eq!(
            messages("hand[q: Player]: 0..3 = 0 visible to p", "0 => \".\""),
            ["there is no `p` here / `hand[q]` belongs to the player `q`: write `visible to q`"]
        );
        let of_a_value = messages("hand[q: Player]: 0..3 = z", "0 => \".\"");
        assert_eq!(
            of_a_value,
            ["there is no `z` here / this is the declaration of `hand`, whose key is `q`"]
        );
    }

    #[test]
    fn arms_are_for_values() {
        let of_others = messages("k: 0..3 = 0", "0 => \".\", _ => \"x\"");
        assert!(of_others[0].contains("name each value"), "{of_others:?}");
        let of_rest = messages("k: 0..3 = 0", "0 => \".\", n => \"{n}\"");
        assert!(of_rest[0].contains("leave this arm out"), "{of_rest:?}");
    }
}
