//! Parameters, constants and all other values known before play begins.

use std::sync::Arc;

use super::analyzer::{Analyzer, Resolution};
use super::expr::elements_left_out::Numbers;
use super::fold::TooLong;
use super::locals::Locals;
use super::symbols::{ConstValue, SymbolKind};
use bouton_base::source::Span;
use bouton_rules::{ConstTable, Expr, ExprKind, KeyDomain, Type, Value, VarId};
use bouton_syntax::ast::{self, ItemKind, Name};
use bouton_syntax::diag::{self, Code, Diagnostic, Edit};

impl<'a> Analyzer<'a> {
    /// The value of an expression that must not depend on the state; reports an error if it has none.
    pub fn constant(&mut self, expr: &ast::Expr, want: Option<&Type>, what: &str) -> Expr {
        let mut locals = Locals::constant();
        let made = match want {
            Some(ty) => self.expr_of(expr, ty, &mut locals),
            None => self.expr(expr, None, &mut locals),
        };
        let known = self.diagnostics.len();
        let made = self.must_be_constant(made, what);
        if self.diagnostics.len() > known {
            self.explain_no_value(expr);
        }
        made
    }

    /// Reports an expression whose value is unknown to analysis.
    pub fn must_be_constant(&mut self, made: Expr, what: &str) -> Expr {
        let span = made.span;
        if holds_damage(&made) {
            return self.poison(span);
        }
        let Ok(made) = self.evaluate_closed(made) else {
            self.too_long(span, "too many steps");
            return self.poison(span);
        };
        if made.constant().is_some() || made.ty == Type::Error {
            return made;
        }
        let title = format!("{what} must be known before play begins");
        let label = match &*made.kind {
            ExprKind::Undefined => "this has no value",
            _ => "this is not a constant",
        };
        let found = Diagnostic::new(Code::E0201, title, made.span, label);
        self.report(self.counted_from_one(found));
        self.poison(made.span)
    }

    /// Adds help to the report of a term without a value that reads an element which a list does not have.
    fn counted_from_one(&self, found: Diagnostic) -> Diagnostic {
        let is_element = |term: &ast::Expr| match &*term.kind {
            ast::ExprKind::Index(list, _) => list.as_name().is_some_and(|list| self.has_list(list)),
            _ => false,
        };
        let is_missing = self.missing_elements.iter().any(|place| found.span().covers(*place));
        match is_missing || self.has_part(found.span(), &is_element) {
            true => found.help("a list is counted from 1: `l[1]` is its first element, `l[#l]` its last"),
            false => found,
        }
    }

    /// The value of an integer expression that must be known before play.
    pub fn const_int(&mut self, expr: &ast::Expr, locals: &mut Locals) -> Option<i64> {
        let made = self.expr(expr, None, locals);
        let made = self.must_be_constant(made, "this number");
        match made.constant() {
            Some(Value::Int(i)) => Some(*i),
            Some(_) => {
                self.wrong_type(expr.span, "a whole number", &made.ty.clone());
                let is_list = made.ty.element().is_some();
                if let (Some(found), Some(name), true) =
                    (self.diagnostics.last_mut(), expr.as_name(), is_list)
                    && found.span() == expr.span
                    && found.help.is_none()
                {
                    found.help = Some(format!("the number of its elements is `#{name}`"));
                    let edit = Edit { span: expr.span, text: format!("#{name}") };
                    found.edits.push(edit);
                }
                None
            }
            None => None,
        }
    }

    /// Resolves all parameters, then checks their conditions.
    pub fn params(&mut self) {
        let given = self.given_settings();
        let items: Vec<_> = self.items().collect();
        for (item, _) in &items {
            let ItemKind::Param { name, .. } = &item.kind else { continue };
            // A second declaration of the name has already been reported.
            let full = self.global_name(name);
            if self.symbols.get(full).is_some_and(|s| s.span == name.span) {
                self.param(full, name.span);
            }
        }
        for (name, span) in given {
            let key = self.find_path(&name, span);
            if !key.is_some_and(|key| self.is_kind(key, |k| matches!(k, SymbolKind::Param { .. }))) {
                if self.constant_set_as_parameter(&name, span) {
                    continue;
                }
                let params: Vec<&str> = self.param_names();
                let found = Diagnostic::new(Code::E0101, format!("there is no parameter `{name}`"), span, "");
                let same = params.iter().copied().find(|param| param.eq_ignore_ascii_case(&name));
                let found = match same.or_else(|| diag::nearest(&name, params.iter().copied())) {
                    Some(near) => found.help(format!("did you mean `{near}`?")),
                    None if params.is_empty() => found.help("this game has no parameters"),
                    None => found.help(format!("the parameters are {}", params.join(", "))),
                };
                self.report(found);
            }
        }
        for (item, _) in &items {
            if let ItemKind::Param { name, condition: Some(condition), .. } = &item.kind {
                self.param_condition(name, condition);
            }
        }
    }

    /// Reports a setting of a constant without keys; returns true if it is one.
    fn constant_set_as_parameter(&mut self, name: &str, span: Span) -> bool {
        let constant = self.items().find_map(|(item, _)| match &item.kind {
            ItemKind::Const { name: of, keys, value, .. } if of.text == name && keys.is_empty() => {
                Some((of, value))
            }
            _ => None,
        });
        let Some((of, value)) = constant else { return false };
        let value = bouton_syntax::print_expr(value);
        let title = format!("`{name}` is a constant: only parameters are set");
        let found = Diagnostic::new(Code::E0101, title, span, "no parameter");
        let help = match value.as_str() {
            "true" | "false" => format!("declare a parameter: `param {name}: bool = {value};`"),
            _ => format!("declare a parameter with the type of its values: `param {name}: TYPE = {value};`"),
        };
        self.report(found.label(of.span, "a constant").help(help));
        true
    }

    fn param_names(&self) -> Vec<&'a str> {
        let is_param = |k: &SymbolKind| matches!(k, SymbolKind::Param { .. });
        self.symbols.iter().filter(|(_, s)| is_param(&s.kind)).map(|(n, _)| *n).collect()
    }

    /// All given settings. The group of expectations overrides `--set`, which overrides the preset.
    fn given_settings(&mut self) -> Vec<(String, Span)> {
        let mut all: Vec<(String, Span)> =
            self.options.settings.iter().map(|(n, _)| (n.text.clone(), n.span)).collect();
        if let Some(group) = &self.group {
            all.extend(group.settings.iter().map(|s| (s.name.text.clone(), s.name.span)));
        }
        if let Some(preset) = &self.options.preset {
            match self.preset_settings(preset) {
                Some(settings) => all.extend(settings.iter().map(|s| (s.name.text.clone(), s.name.span))),
                None => {
                    let span = self.game_span();
                    let title = format!("there is no preset `{preset}`");
                    self.error(Code::E0101, title, span, "no preset of that name in this game");
                }
            }
        }
        all
    }

    fn preset_settings(&self, wanted: &str) -> Option<&'a [ast::Setting]> {
        self.items().find_map(|(item, _)| match &item.kind {
            ItemKind::Preset { name, settings, .. } if name.text == wanted => Some(settings.as_slice()),
            _ => None,
        })
    }

    /// The expression of the setting that gives a parameter its value.
    fn param_expr(&self, name: &str) -> Option<ast::Expr> {
        let is_it = |n: &Name| self.find_path(&n.text, n.span) == Some(name);
        let last = |settings: &[ast::Setting]| {
            settings.iter().rev().find(|s| is_it(&s.name)).map(|s| s.value.clone())
        };
        let of_group = self.group.as_ref().and_then(|g| last(&g.settings));
        let set = || self.options.settings.iter().rev().find(|(n, _)| is_it(n)).map(|(_, e)| e.clone());
        let preset = || last(self.preset_settings(self.options.preset.as_deref()?)?);
        of_group.or_else(set).or_else(preset)
    }

    /// The value of a parameter.
    pub fn param(&mut self, name: &'a str, span: Span) -> Expr {
        let Some(SymbolKind::Param { item, value }) = self.symbols.get(name).map(|s| s.kind.clone()) else {
            return self.poison(span);
        };
        match value {
            Resolution::Resolved(value) => value,
            Resolution::InProgress => self.cycle(name, span).unwrap_or_else(|| self.poison(span)),
            Resolution::Unresolved => {
                let ItemKind::Param { name: declared, ty, default, .. } = &item.kind else {
                    return self.poison(span);
                };
                self.set_param(name, Resolution::InProgress);
                self.in_progress.push((name, declared.span));
                let ty = self.ty(ty);
                let words = self.param_expr(name).unwrap_or_else(|| default.clone());
                let value = self.param_value(declared, &words, &ty);
                self.in_progress.pop();
                if let Some(value) = value.constant() {
                    self.rules.params.push((name.to_string(), value.clone()));
                }
                self.set_param(name, Resolution::Resolved(value.clone()));
                value
            }
        }
    }

    /// The value of a parameter. A value outside its range is always reported as E0404.
    fn param_value(&mut self, name: &Name, words: &ast::Expr, ty: &Type) -> Expr {
        if !matches!(ty.base(), Type::Bool) && self.settings_joined_by_and(name, words) {
            return self.poison(words.span);
        }
        let before = self.diagnostics.len();
        let value = self.constant(words, Some(ty), "a parameter");
        for found in &mut self.diagnostics[before..] {
            if found.code == Code::E0210 {
                found.code = Code::E0404;
                found.title = format!(
                    "parameter `{} = {}` is outside its range",
                    name.text,
                    bouton_syntax::print_expr(words)
                );
                found.labels.push(diag::Label { span: name.span, text: "declared here".into() });
                let mut wanted = format!("a value of {}", self.rules.show_type(ty));
                if let Some((element, of)) = element_out_of_range(words, ty) {
                    let range = self.rules.show_type(of);
                    wanted = format!("elements of {range}");
                    found.labels[0] = diag::Label { span: element.span, text: format!("not one of {range}") };
                }
                found.help.get_or_insert(format!("give it {wanted}, or a wider range"));
            }
        }
        value
    }

    /// Reports `with n = 8 and k = 2`, where the first parameter is `given`; returns true if it is that.
    fn settings_joined_by_and(&mut self, given: &Name, words: &ast::Expr) -> bool {
        let ast::ExprKind::Binary(ast::BinaryOp::And, first, second) = &*words.kind else { return false };
        let title = "settings of parameters are separated by commas";
        let place = Span { start: first.span.end, end: second.span.start, ..words.span };
        let found = Diagnostic::new(Code::E0201, title, place, "");
        let setting = match &*second.kind {
            ast::ExprKind::Compare(name, sides) => match (name.as_name(), &sides[..]) {
                (Some(name), [(ast::CmpOp::Equal, _)]) if name == given.text => {
                    let title = format!("`{name}` is given twice");
                    let found = Diagnostic::new(Code::E0103, title, second.span, "the second time");
                    let found = found.label(first.span, "the first");
                    self.report(found.help(
                        "a claim gives each parameter one value: write a claim for each, with a `with` of its own",
                    ));
                    return true;
                }
                (Some(name), [(ast::CmpOp::Equal, _)]) => {
                    self.is_kind(name, |kind| matches!(kind, SymbolKind::Param { .. }))
                }
                _ => false,
            },
            _ => false,
        };
        self.report(match setting {
            true => found.help("write `,`").edit(place, ", "),
            false => found.help("each parameter has one value: `with n = 8, k = 2`; there are no conditions"),
        });
        true
    }

    fn set_param(&mut self, name: &str, progress: Resolution<Expr>) {
        if let Some(SymbolKind::Param { value, .. }) = self.symbols.get_mut(name).map(|s| &mut s.kind) {
            *value = progress;
        }
    }

    fn param_condition(&mut self, name: &Name, condition: &ast::Expr) {
        let made = self.constant(condition, Some(&Type::Bool), "the condition of a parameter");
        if made.constant() != Some(&Value::Bool(false)) {
            self.decided_by_parameter_range(name, condition);
            return;
        }
        let values: Vec<String> =
            self.rules.params.iter().map(|(n, v)| format!("{n} = {}", self.rules.show(v))).collect();
        let title = format!("`{}` does not satisfy its condition for {}", name.text, values.join(", "));
        // A value that a command line, a preset or a claim gives is the mistake, not the condition.
        let given = self.param_expr(&name.text);
        let found = match given {
            Some(given) => Diagnostic::new(Code::E0404, title, given.span, "not allowed")
                .label(condition.span, "this condition is false"),
            None => Diagnostic::new(Code::E0404, title, condition.span, "false here"),
        };
        self.report(found.label(name.span, "the condition of this parameter"));
    }

    /// Resolves all constants.
    pub fn resolve_consts(&mut self) {
        let names: Vec<&'a str> = self.symbols.keys().copied().collect();
        for name in names {
            if self.is_kind(name, |k| matches!(k, SymbolKind::Const { .. })) {
                let span = self.symbols[name].span;
                self.const_value(name, span);
            }
        }
    }

    /// The value or table of a constant.
    pub fn const_value(&mut self, name: &'a str, span: Span) -> Option<ConstValue> {
        let SymbolKind::Const { item, value } = self.symbols.get(name)?.kind.clone() else { return None };
        match value {
            Resolution::Resolved(value) => Some(value),
            Resolution::InProgress => self.cycle(name, span),
            Resolution::Unresolved => {
                let ItemKind::Const { name: declared, keys, ty, value } = &item.kind else { return None };
                self.set_const(name, Resolution::InProgress);
                self.in_progress.push((name, declared.span));
                let made = self.make_const(declared, keys, ty.as_ref(), value);
                self.in_progress.pop();
                self.set_const(name, Resolution::Resolved(made.clone()));
                Some(made)
            }
        }
    }

    fn set_const(&mut self, name: &str, progress: Resolution<ConstValue>) {
        if let Some(SymbolKind::Const { value, .. }) = self.symbols.get_mut(name).map(|s| &mut s.kind) {
            *value = progress;
        }
    }

    fn make_const(
        &mut self,
        name: &'a Name,
        keys: &[ast::Bind],
        ty: Option<&ast::Type>,
        value: &ast::Expr,
    ) -> ConstValue {
        let ty = ty.map(|t| self.ty(t));
        if keys.is_empty() {
            let made = self.constant(value, ty.as_ref(), "a constant");
            return ConstValue::Plain(match ty {
                Some(ty) if made.ty != Type::Error => Expr { ty: self.narrow(&made, ty), ..made },
                _ => made,
            });
        }
        let keys = self.keys(keys);
        let (entry_ty, values) = match self.cells_of(name, &keys, 0) {
            Some(_) => self.by_keys(&keys, value, ty.as_ref(), "a constant", true),
            None => (Type::Error, Vec::new()),
        };
        ConstValue::Table(self.rules.tables.push(ConstTable {
            name: self.global_name(name).to_string(),
            keys,
            ty: entry_ty,
            values,
            span: name.span,
        }))
    }

    /// The type of a constant: the declared one, or for a number the narrower one of its value.
    fn narrow(&self, made: &Expr, declared: Type) -> Type {
        match (&made.ty, &declared) {
            (Type::Int(..), Type::Int(..)) => made.ty.clone(),
            _ => declared,
        }
    }

    /// The type of an expression, and its value for each combination of keys, the last fastest.
    pub fn by_keys(
        &mut self,
        keys: &[KeyDomain],
        value: &ast::Expr,
        want: Option<&Type>,
        what: &str,
        may_be_undefined: bool,
    ) -> (Type, Vec<Option<Value>>) {
        if let ast::ExprKind::Diagram(picture, arms) = &*value.bare().kind {
            return self.diagram_by_keys(keys, value, picture, arms, want);
        }
        if let (ast::ExprKind::List(parts) | ast::ExprKind::Tuple(parts), [key]) = (&*value.bare().kind, keys)
            && want.is_some_and(|want| {
                !matches!(want.present().base(), Type::List(_) | Type::Tuple(_) | Type::Record(_))
            })
        {
            let title = "this lists several values, and each key has one";
            let found = Diagnostic::new(Code::E0201, title, value.span, "several values");
            let (name, count) = (&key.name, parts.len());
            let is_cell = self.board_of(&key.ty).is_some();
            let first = key.values.first().map_or(String::new(), |first| self.rules.show(first));
            self.report(found.help(match key.ty.base() {
                _ if is_cell && let Some(all) = rows_in_one(parts, key.values.len()) => format!(
                    "the rows are one list, from the top row, left to right: write `{all}[{name}.reading]`"
                ),
                Type::Int(..) => format!("write `[...][{name}]`: the key tells which of them"),
                _ if is_cell && count > 2 => {
                    format!("write `[...][{name}.index]`: the cells are counted from 1 in their order")
                }
                _ => format!("write `if {name} = {first} then ... else ...`, or `match {name} {{ {first} => ..., _ => ... }}`"),
            }));
            return (Type::Error, vec![None; key.values.len()]);
        }
        let mut locals = Locals::constant();
        for key in keys {
            let span = self.names.key_before(&key.name, value.span).unwrap_or(value.span);
            locals.add(&key.name, key.ty.clone(), span);
            if let Some(local) = locals.stack.last_mut() {
                local.used = true;
            }
        }
        let before = self.diagnostics.len();
        let made = match want {
            Some(ty) => self.expr_of(value, ty, &mut locals),
            None => self.expr(value, None, &mut locals),
        };
        if let Some(ty) = want
            && self.diagnostics.len() > before
        {
            self.number_below_the_range(value, ty);
        }
        let may_be_undefined = may_be_undefined
            || self.diagnostics[before..].iter().any(|found| matches!(found.code, Code::E0220));
        let cells: usize = keys.iter().map(|k| k.values.len()).product();
        if made.ty == Type::Error {
            return (Type::Error, vec![None; cells]);
        }
        if !self.is_static(&made) {
            self.must_be_constant(made, what);
            return (Type::Error, vec![None; cells]);
        }
        let ty = want.cloned().unwrap_or_else(|| made.ty.clone());
        let Ok(values) = self.each_row(keys, &made) else {
            self.too_long(made.span, format!("worked out {cells} times"));
            return (Type::Error, vec![None; cells]);
        };
        let known = self.diagnostics.len();
        self.check_entries(keys, &values, &made, &ty, may_be_undefined);
        if self.diagnostics.len() > known {
            self.list_from_zero(keys, value);
            self.number_below_the_range(value, &ty);
            if keys.is_empty() {
                self.explain_no_value(value);
            }
        }
        (ty, values)
    }

    /// Adds the fix to the report of `heaps[i]`, where the key i begins with 0.
    fn list_from_zero(&mut self, keys: &[KeyDomain], words: &ast::Expr) {
        let ast::ExprKind::Index(list, index) = &*words.bare().kind else { return };
        let ([key], [only]) = (keys, &index[..]) else { return };
        let is_it = only.as_name() == Some(key.name.as_str()) && key.values.first() == Some(&Value::Int(0));
        let is_read = |term: &ast::Expr| matches!(&*term.kind, ast::ExprKind::Index(of, _) if of.as_name() == list.as_name());
        let reads = self.count_parts(&is_read);
        let alias = self.alias_of_key(words, &key.name).filter(|_| list.as_name().is_some() && reads > 1);
        let Some(found) = self.diagnostics.last_mut().filter(|found| is_it && found.code == Code::E0301)
        else {
            return;
        };
        let (list, i) = (bouton_syntax::print_expr(list), &key.name);
        if let Some((alias, numbers)) = alias {
            let range = numbers.shifted();
            found.labels.push(diag::Label { span: numbers.span, text: "begins with 0".into() });
            found.help = Some(format!(
                "the first element of a list is `{list}[1]`: let the numbers begin with 1 too, `type {alias} = {range};`, and look \
                 at each use of `{alias}`; if they are to begin with 0, write `{list}[{i} + 1]` here and wherever `{list}` is read"
            ));
            return;
        }
        found.help = Some(format!("the first element of a list is `{list}[1]`: write `{list}[{i} + 1]`"));
        found.edits.push(Edit { span: only.span, text: format!("{i} + 1") });
    }

    /// The type, declared as a range, of the key with this name of the field or table around a place.
    fn alias_of_key(&self, place: &ast::Expr, key: &str) -> Option<(&'a str, Numbers<'a>)> {
        let keys = match self.item_around(place.span)? {
            ItemKind::State(fields) => &fields.iter().find(|field| field.span.covers(place.span))?.keys,
            ItemKind::Const { keys, .. } => keys,
            _ => return None,
        };
        let bind = keys.iter().find(|bind| bind.name.text == key)?;
        let ast::TypeKind::Expr(ty) = &bind.ty.kind else { return None };
        let numbers = self.numbers_of(ty)?;
        Some((numbers.alias?, numbers))
    }

    /// Adds advice to the report of `die: 1..6 = 0`, a first value outside of the range.
    fn number_below_the_range(&mut self, words: &ast::Expr, ty: &Type) {
        let ast::ExprKind::Number(digits) = &*words.bare().kind else { return };
        let (Type::Int(low, high), Ok(n)) = (ty, digits.parse::<i64>()) else { return };
        let Some(found) = self.diagnostics.last_mut() else { return };
        if found.code != Code::E0210 || found.help.is_some() || (*low..=*high).contains(&n) || low > high {
            return;
        }
        let nearest = if n < *low { low } else { high };
        found.help = Some(format!(
            "begin with a number of the range, such as {nearest}, or widen it to `{}..{}`",
            n.min(*low),
            n.max(*high)
        ));
    }

    /// Evaluates `expr` for each combination of the keys, which are its first variables.
    fn each_row(&mut self, keys: &[KeyDomain], expr: &Expr) -> Result<Vec<Option<Value>>, TooLong> {
        let cells: usize = keys.iter().map(|k| k.values.len()).product();
        if let Some(value) = expr.constant() {
            return if self.steps.spend(cells) { Ok(vec![Some(value.clone()); cells]) } else { Err(TooLong) };
        }
        let mut value = |cell| {
            let row = bouton_rules::keys_of(keys, cell).into_iter().enumerate();
            let row: Vec<(VarId, Value)> = row.map(|(i, v)| (VarId(i as u32), v)).collect();
            self.constant_value(&row, expr)
        };
        (0..cells).map(&mut value).collect()
    }

    /// Reports the first entry that has no value or one outside the type.
    fn check_entries(
        &mut self,
        keys: &[KeyDomain],
        values: &[Option<Value>],
        expr: &Expr,
        ty: &Type,
        lenient: bool,
    ) {
        let bad = values.iter().position(|v| match v {
            Some(v) => !self.rules.has_value(ty, v),
            None => !lenient,
        });
        // Nothing is asked of the values of a type that was reported.
        let Some(bad) = bad.filter(|_| *ty != Type::Error) else { return };
        let at = self.show_keys(keys, bad);
        let at_keys = bouton_rules::keys_of(keys, bad);
        let keys_of_entry: Vec<_> = keys.iter().zip(at_keys).collect();
        let found = match &values[bad] {
            Some(v) => {
                let title = format!(
                    "this is {} for {at}; `{}` is needed",
                    self.rules.show(v),
                    self.rules.show_type(ty)
                );
                if self.diagnostics.iter().any(|known| known.code == Code::E0211 && known.title == title) {
                    return;
                }
                let found = Diagnostic::new(Code::E0211, title, expr.span, "outside the range");
                match self.elements_outside(v, ty) {
                    Some((elements, range)) => found.help(format!(
                        "{elements} not in {range}: write elements of this range, or widen it where it is declared"
                    )),
                    None => found.help("write values of this range, or widen it where it is declared"),
                }
            }
            None if at.is_empty() => {
                Diagnostic::new(Code::E0301, "this has no value", expr.span, "undefined")
            }
            None => Diagnostic::new(
                Code::E0301,
                format!("this has no value for {at}"),
                expr.span,
                "undefined there",
            ),
        };
        let found = match values[bad] {
            None => match self.list_without_the_key(&keys_of_entry, expr.span) {
                Some(list) => list.add_to(found),
                None => self.counted_from_one(found),
            },
            Some(_) => found,
        };
        self.report(found);
    }

    /// The elements of a set that its type does not have, in words, and the type of its elements.
    fn elements_outside(&self, value: &Value, ty: &Type) -> Option<(String, String)> {
        let (Value::Set(elements), Some(of)) = (value, ty.present().element()) else { return None };
        let outside: Vec<String> = elements
            .iter()
            .filter(|element| !self.rules.has_value(of, element))
            .map(|element| self.rules.show(element))
            .collect();
        let verb = if outside.len() == 1 { "is" } else { "are" };
        Some((format!("{} {verb}", outside.join(", ")), format!("`{}`", self.rules.show_type(of))))
    }

    /// The keys of the n-th cell: `c = a1, p = White`.
    pub fn show_keys(&self, keys: &[KeyDomain], cell: usize) -> String {
        let values = bouton_rules::keys_of(keys, cell);
        let words: Vec<String> = keys
            .iter()
            .zip(&values)
            .map(|(key, v)| format!("{} = {}", key.name, self.rules.show(v)))
            .collect();
        words.join(", ")
    }

    /// The names of locals, for messages.
    pub fn local_names(locals: &Locals) -> Vec<String> {
        locals.stack.iter().map(|l| l.name.clone()).collect()
    }

    /// All elements of a constant set.
    pub fn set_values(expr: &Expr) -> Option<Arc<Vec<Value>>> {
        match expr.constant() {
            Some(Value::Set(values)) => Some(values.clone()),
            _ => None,
        }
    }
}

/// Returns true if a part of an expression was already reported as a mistake.
fn holds_damage(expr: &Expr) -> bool {
    let mut is_damaged = expr.ty == Type::Error;
    expr.each_part(&mut |part| is_damaged = is_damaged || holds_damage(part));
    is_damaged
}

/// The list of the values of rows, if it has one for each cell: `[[1, 2], [3, 4]]` as `[1, 2, 3, 4]`.
fn rows_in_one(rows: &[ast::Expr], cells: usize) -> Option<String> {
    let mut values = Vec::new();
    for row in rows {
        let (ast::ExprKind::List(parts) | ast::ExprKind::Tuple(parts)) = &*row.bare().kind else {
            return None;
        };
        values.extend(parts.iter().map(bouton_syntax::print_expr));
    }
    (values.len() == cells).then(|| format!("[{}]", values.join(", ")))
}

/// The only element of a list that is outside the range of its elements, which is given as well.
fn element_out_of_range<'e>(words: &'e ast::Expr, ty: &'e Type) -> Option<(&'e ast::Expr, &'e Type)> {
    let (ast::ExprKind::List(elements), Type::List(of)) = (&*words.bare().kind, ty.base()) else {
        return None;
    };
    let (low, high) = of.interval()?;
    let is_outside =
        |element: &&ast::Expr| super::expr::literal(element).is_some_and(|n| !(low..=high).contains(&n));
    let mut outside = elements.iter().filter(is_outside);
    let first = outside.next()?;
    outside.next().is_none().then_some((first, of))
}

#[cfg(test)]
mod tests {
    use crate::testing::found_in_claims;
    use bouton_syntax::diag::Code;

    #[test]
    fn elements_out_of_range_are_named() {
        let found = |list: &str| {
            let text = format!(
                "game \"Jars\"; players A, B; param jars: list of 0..6 = {list}; state {{ n: 0..3 = #jars; }}
                 move go() as \"go\" {{ when n > 0; n -= 1; }} play normal;"
            );
            let found = crate::testing::found(&text, Code::E0404).remove(0);
            (found.labels[0].text.clone(), found.labels[0].span, found.help.unwrap_or_default())
        };
        let (label, span, help) = found("[2, 7, 1]");
        assert_eq!((label.as_str(), span.end - span.start), ("not one of 0..6", 1));
        assert_eq!(help, "give it elements of 0..6, or a wider range");
        assert_eq!(found("[2, 7, 8]").0, "holds list of 0..6");
    }

    #[test]
    fn constants_are_not_set() {
        let text = "game \"Take\"; players A, B; const most = 2; state { left: 0..7 = 7; }
            move take(k: 1..most) as \"{k}\" { when k <= left; left -= k; } play normal; expect A wins with most = 3;";
        let found = found_in_claims(text, Code::E0101);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].title, "`most` is a constant: only parameters are set");
        assert!(found[0].help.as_ref().is_some_and(|help| help.ends_with("`param most: TYPE = 2;`")));
    }
}
