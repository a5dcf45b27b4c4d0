//! Parametric rules: files in which some parameters stay symbolic, and moves become schemes for all values of these
//! parameters at once.
//!
//! Works on the syntax tree. The constructs listed here are read exactly; anything else in a file is refused, so that
//! no claim is made about a game that was not understood. The state is one set of cells, all or none at first, or a few
//! integers. A move chooses numbers and cells, tests comparisons of linear terms and if areas are untouched, and
//! changes areas or numbers. Anything that does not depend on the symbolic parameters comes from the rules of one
//! instance.
//!
//! Terms are exact, while the numbers of a game have 64 bits and are undefined beyond. So each number that the rules
//! compute must fit for all values in the ranges of the parameters.

use bouton_base::linear::{Linear, Overflow};
use bouton_rules::parametric::{CHOICE_BASE, COUNTER_BASE, Counter, PARAM_BASE, ParamRange, ParametricRules};
use bouton_rules::{Rules, Value};
use bouton_syntax::ast::{
    BinaryOp, Binder, BoardForm, Expr, ExprKind, FieldDecl, File, ItemKind, Quantifier, Type, TypeKind,
    UnaryOp, Visibility,
};
use bouton_syntax::visit;
pub(super) use moves::mentions;

mod moves;

/// The reason why a file has no parametric rules: a sentence without its full stop.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct Refusal(&'static str);

impl From<&'static str> for Refusal {
    fn from(reason: &'static str) -> Refusal {
        Refusal(reason)
    }
}

/// Reads the rules of a file with the parameters `free` symbolic; the others have their values from `rules`.
pub fn read(file: &File, rules: &Rules, free: &[String]) -> Result<ParametricRules, Refusal> {
    let reader = SchemaReader::new(file, rules, free)?;
    let mut moves = Vec::new();
    for item in &file.items {
        if let ItemKind::Move(of) = &item.kind {
            moves.extend(reader.schemes_of(of)?);
        }
    }
    reader.exists_for_all_values()?;
    let SchemaReader { ranged_params: over, board, full, counters, .. } = reader;
    let counters = counters.into_iter().map(|(_, counter)| counter).collect();
    Ok(ParametricRules { params: over, board, initially_full: full, counters, moves })
}

/// The parameters of a file that may stay symbolic: integers, and lists of them.
pub fn candidates(file: &File) -> Vec<String> {
    let named = |item: &bouton_syntax::ast::Item| match &item.kind {
        ItemKind::Param { name, ty, condition: None, .. } if bounds(ty).is_ok() => Some(name.text.clone()),
        _ => None,
    };
    file.items.iter().filter_map(named).collect()
}

/// The domain of a name or expression.
#[derive(Clone, PartialEq, Debug)]
enum SchemaDomain {
    /// Integers from one term to another.
    Numbers(Linear, Linear),
    /// The cells of a board.
    Cells,
    /// Values that do not depend on the symbolic parameters.
    Fixed,
}

/// A reader of one file.
struct SchemaReader<'t> {
    file: &'t File,
    rules: &'t Rules,
    symbolic: &'t [String],
    ranged_params: Vec<ParamRange>,
    /// The largest coordinates of cells, one for each axis.
    board: Vec<Linear>,
    /// The set that is the state, if there is one.
    set: Option<&'t str>,
    full: bool,
    /// The fields that are numbers, each with its index if it has a key.
    counters: Vec<((&'t str, Option<i64>), Counter)>,
    /// The type of the key of fields.
    key: Option<&'t str>,
}

const UNSUPPORTED: &str = "the rules go beyond what is supported for all values of the parameters";

/// The names that stand for terms within one expression.
#[derive(Clone, Copy, Default)]
struct TermScope<'s> {
    /// The names with their terms.
    names: &'s [(&'s str, Linear)],
    /// The least and the greatest value of each choice.
    choices: &'s [(Linear, Linear)],
}

fn unsupported<T>() -> Result<T, Refusal> {
    Err(UNSUPPORTED.into())
}

fn overflow(_: Overflow) -> Refusal {
    "its numbers are too large".into()
}

impl<'t> SchemaReader<'t> {
    fn new(file: &'t File, rules: &'t Rules, free: &'t [String]) -> Result<SchemaReader<'t>, Refusal> {
        let mut reader = SchemaReader {
            file,
            rules,
            symbolic: free,
            ranged_params: Vec::new(),
            board: Vec::new(),
            set: None,
            full: false,
            counters: Vec::new(),
            key: None,
        };
        let mut fields: Option<&[FieldDecl]> = None;
        let mut normal = false;
        for item in &file.items {
            match &item.kind {
                ItemKind::Game(_)
                | ItemKind::Preset { .. }
                | ItemKind::Players(_)
                | ItemKind::TypeAlias { .. }
                | ItemKind::Const { .. }
                | ItemKind::Def { formals: None, .. }
                | ItemKind::Move(_)
                | ItemKind::Invariant { .. }
                | ItemKind::Symmetry(_)
                | ItemKind::Display(_)
                | ItemKind::Expect(_)
                | ItemKind::Test(_) => {}
                ItemKind::Param { name, ty, default, condition: None } => {
                    if free.contains(&name.text) {
                        reader.param(&name.text, ty)?;
                    } else if reader.depends(default, 0)? || reader.depends_type(ty)? {
                        return unsupported();
                    }
                }
                ItemKind::Board { form: BoardForm::Expr(_), condition: None, .. } => {}
                ItemKind::State(own) if fields.is_none() => fields = Some(own),
                ItemKind::Play { normal: true } => normal = true,
                _ => return unsupported(),
            }
        }
        if !normal {
            return Err("it is not a game that is over just where somebody cannot move, which loses".into());
        }
        if rules.players().len() != 2 {
            return Err("it is not a game of two players".into());
        }
        for field in fields.unwrap_or_default() {
            reader.field(field)?;
        }
        match (reader.set, reader.counters.len()) {
            (None, 1..) | (Some(_), 0) => Ok(reader),
            _ => Err("the state is neither one set of cells nor some whole numbers".into()),
        }
    }

    /// Checks that constants, types and boards are declared without mistakes for all values of the parameters: without
    /// them there would be no game.
    fn exists_for_all_values(&self) -> Result<(), Refusal> {
        for item in &self.file.items {
            match &item.kind {
                ItemKind::Const { value, ty, .. } => {
                    let typed = ty.as_ref().map_or(Ok(false), |ty| self.depends_type(ty))?;
                    if typed || self.depends(value, 0)? {
                        return Err("a constant depends on the parameters".into());
                    }
                }
                ItemKind::TypeAlias { ty, .. } if self.depends_type(ty)? => match &ty.kind {
                    TypeKind::Expr(of) => drop(self.domain(of)?),
                    _ => return unsupported(),
                },
                ItemKind::Board { name, form: BoardForm::Expr(form), .. } if self.depends(form, 0)? => {
                    for side in self.grid(&name.text).unwrap_or_else(unsupported)? {
                        let least = self.interval(&side, &[]).map(|(least, _)| least);
                        if side.terms.iter().any(|(_, factor)| *factor < 0)
                            || least.is_none_or(|least| least < 1)
                        {
                            return Err("a board may have no cells".into());
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn param(&mut self, name: &str, ty: &Type) -> Result<(), Refusal> {
        let (list, low, high) = bounds(ty)?;
        let ranged = |element| ParamRange { param: name.to_owned(), element, low, high: Some(high) };
        match (list, self.value(name)) {
            (false, Some(Value::Int(_))) => self.ranged_params.push(ranged(None)),
            (true, Some(Value::List(elements))) => {
                self.ranged_params.extend((1..=elements.len() as u32).map(|element| ranged(Some(element))));
            }
            _ => return unsupported(),
        }
        if self.ranged_params.len() > 16 {
            return Err("there are too many parameters".into());
        }
        Ok(())
    }

    /// The value of a parameter in the rules of the instance.
    fn value(&self, name: &str) -> Option<&Value> {
        self.rules.params.iter().find(|(other, _)| other == name).map(|(_, value)| value)
    }

    fn field(&mut self, field: &'t FieldDecl) -> Result<(), Refusal> {
        if field.transient || !matches!(field.visibility, Visibility::Public) {
            return unsupported();
        }
        let Some(first) = &field.init else { return unsupported() };
        if let TypeKind::Set(of) = &field.ty.kind {
            if self.set.is_some() || !field.keys.is_empty() {
                return unsupported();
            }
            let TypeKind::Expr(of) = &of.kind else { return unsupported() };
            self.board = self.cells(of)?;
            self.set = Some(&field.name.text);
            self.full = match &*first.bare().kind {
                _ if first.is_empty_set() => false,
                ExprKind::Filter(Binder { condition: Some(holds), .. })
                    if self.is_unsatisfiable(holds)? =>
                {
                    false
                }
                ExprKind::Name(name) if of.bare().as_name() == Some(name) => true,
                _ => return unsupported(),
            };
            return Ok(());
        }
        let TypeKind::Expr(of) = &field.ty.kind else { return unsupported() };
        let SchemaDomain::Numbers(low, high) = self.domain(of)? else { return unsupported() };
        let places: Vec<(Option<&str>, Option<i64>)> = match &field.keys[..] {
            [] => vec![(None, None)],
            [key] => {
                let TypeKind::Expr(of) = &key.ty.kind else { return unsupported() };
                let Some(name) = of.bare().as_name() else { return unsupported() };
                if self.key.is_some_and(|other| other != name) {
                    return unsupported();
                }
                self.key = Some(name);
                let values = self.indices(of)?;
                values.into_iter().map(|index| (Some(key.name.text.as_str()), Some(index))).collect()
            }
            _ => return unsupported(),
        };
        for (key, index) in places {
            let scope = key.zip(index).map(|(name, index)| (name, Linear::number(index.into())));
            let names: Vec<_> = scope.into_iter().collect();
            let first = self.number(first, TermScope { names: &names, choices: &[] })?;
            let counter = Counter { low: low.clone(), high: high.clone(), initial: first };
            self.counters.push(((&field.name.text, index), counter));
        }
        if self.counters.len() > 16 { Err("there are too many numbers in the state".into()) } else { Ok(()) }
    }

    /// Returns true for a condition that no element satisfies: `some i in 1..0: ...`.
    fn is_unsatisfiable(&self, holds: &Expr) -> Result<bool, Refusal> {
        let ExprKind::Quant(Quantifier::Some, binders, _) = &*holds.bare().kind else { return Ok(false) };
        let Some(Binder { domain, .. }) = binders.first() else { return Ok(false) };
        let ExprKind::Range(low, high) = &*domain.bare().kind else { return Ok(false) };
        let (low, high) = (
            self.number(low, TermScope::default())?.constant(),
            self.number(high, TermScope::default())?.constant(),
        );
        Ok(low.zip(high).is_some_and(|(low, high)| low > high))
    }

    /// The values of a key, which must be constants.
    fn indices(&self, of: &Expr) -> Result<Vec<i64>, Refusal> {
        let SchemaDomain::Numbers(low, high) = self.domain(of)? else { return unsupported() };
        match (low.constant(), high.constant()) {
            (Some(low), Some(high)) if high - low < 16 => {
                Ok((low..=high).filter_map(|index| i64::try_from(index).ok()).collect())
            }
            _ => unsupported(),
        }
    }

    /// The largest coordinates of cells of this type.
    fn cells(&self, of: &Expr) -> Result<Vec<Linear>, Refusal> {
        if let Some(board) = of.bare().as_name().and_then(|name| self.grid(name)) {
            return board;
        }
        match self.domain(of)? {
            SchemaDomain::Numbers(low, high) if low == Linear::number(1) => Ok(vec![high]),
            _ => Err("cells are not counted from 1".into()),
        }
    }

    /// `board Cell = grid(a, b);`
    fn grid(&self, name: &str) -> Option<Result<Vec<Linear>, Refusal>> {
        self.file.items.iter().find_map(|item| match &item.kind {
            ItemKind::Board { name: own, form: BoardForm::Expr(form), .. } if own.text == name => {
                Some(match &*form.bare().kind {
                    ExprKind::Call(of, sides) if of.as_name() == Some("grid") && sides.len() == 2 => {
                        sides.iter().map(|side| self.number(side, TermScope::default())).collect()
                    }
                    _ => Err("the board is not a grid of columns and rows".into()),
                })
            }
            _ => None,
        })
    }

    fn alias(&self, name: &str) -> Option<&'t Type> {
        self.file.items.iter().find_map(|item| match &item.kind {
            ItemKind::TypeAlias { name: own, ty } if own.text == name => Some(ty),
            _ => None,
        })
    }

    /// The domain of an expression in the place of a type.
    fn domain(&self, of: &Expr) -> Result<SchemaDomain, Refusal> {
        match &*of.bare().kind {
            ExprKind::Range(low, high) => Ok(SchemaDomain::Numbers(
                self.number(low, TermScope::default())?,
                self.number(high, TermScope::default())?,
            )),
            ExprKind::Name(name) => match (self.grid(name), self.alias(name).map(|ty| &ty.kind)) {
                (Some(_), None) => Ok(SchemaDomain::Cells),
                (None, Some(TypeKind::Expr(of))) if of.bare().as_name() != Some(name) => self.domain(of),
                (None, None) if !self.depends(of, 0)? => Ok(SchemaDomain::Fixed),
                _ => unsupported(),
            },
            _ if !self.depends(of, 0)? => Ok(SchemaDomain::Fixed),
            _ => unsupported(),
        }
    }

    /// Returns true if the possible values of a parameter depend in this sense.
    fn depends_type(&self, ty: &Type) -> Result<bool, Refusal> {
        match &ty.kind {
            TypeKind::Expr(of) => self.depends(of, 0),
            TypeKind::List(of) | TypeKind::Set(of) => self.depends_type(of),
            TypeKind::Bool => Ok(false),
            _ => Ok(true),
        }
    }

    /// Returns true if an expression depends, directly or through the names in it, on a symbolic parameter, a board or
    /// the state.
    fn depends(&self, expr: &Expr, depth: u32) -> Result<bool, Refusal> {
        if depth > 64 {
            return unsupported();
        }
        let mut found = false;
        if let Some(name) = expr.as_name() {
            for item in &self.file.items {
                found |= match &item.kind {
                    ItemKind::Param { name: own, .. } => {
                        own.text == name && self.symbolic.contains(&own.text)
                    }
                    ItemKind::Board { name: own, .. } => own.text == name,
                    ItemKind::State(fields) => fields.iter().any(|field| field.name.text == name),
                    ItemKind::Const { name: own, value, keys, ty: None } if own.text == name => {
                        !keys.is_empty() || self.depends(value, depth + 1)?
                    }
                    ItemKind::Const { name: own, .. } | ItemKind::Def { name: own, .. } => own.text == name,
                    ItemKind::TypeAlias { name: own, ty } if own.text == name => match &ty.kind {
                        TypeKind::Expr(of) => self.depends(of, depth + 1)?,
                        _ => true,
                    },
                    _ => false,
                };
            }
        }
        let mut inner: Result<bool, Refusal> = Ok(found);
        visit::children(expr, &mut |part| {
            if inner == Ok(false) {
                inner = self.depends(part, depth + 1);
            }
        });
        inner
    }

    /// An integer as a linear term over parameters and the names in scope. Each part of it fits in 64 bits.
    fn number(&self, expr: &Expr, scope: TermScope<'_>) -> Result<Linear, Refusal> {
        let term = self.exact_number(expr, scope)?;
        self.check_size(&term, scope.choices)?;
        Ok(term)
    }

    /// Checks that a term fits in 64 bits, for all values of its variables.
    fn check_size(&self, term: &Linear, choices: &[(Linear, Linear)]) -> Result<(), Refusal> {
        let fits = |number| i64::try_from(number).is_ok();
        match self.interval(term, choices) {
            Some((least, most)) if fits(least) && fits(most) => Ok(()),
            _ => Err("its numbers do not fit in 64 bits for all values of the parameters".into()),
        }
    }

    /// Returns bounds on the value of a term over parameters in their ranges, numbers of the state in theirs, and these
    /// choices. `None` if a bound exceeds 128 bits.
    fn interval(&self, term: &Linear, choices: &[(Linear, Linear)]) -> Option<(i128, i128)> {
        let index = |var: u32, base: u32| var.checked_sub(base).map(|place| place as usize);
        let range = |(low, high): (&Linear, &Linear)| {
            Some((self.interval(low, choices)?.0, self.interval(high, choices)?.1))
        };
        term.terms.iter().try_fold((term.constant, term.constant), |(least, most), &(var, factor)| {
            let choice = index(var, CHOICE_BASE).and_then(|place| choices.get(place));
            let counter = index(var, COUNTER_BASE).and_then(|place| self.counters.get(place));
            let param = index(var, PARAM_BASE).and_then(|place| self.ranged_params.get(place));
            let (low, high) = match (choice, counter, param) {
                (Some((low, high)), ..) => range((low, high))?,
                (_, Some((_, counter)), _) => range((&counter.low, &counter.high))?,
                (.., param) => (param?.low, param?.high?),
            };
            let (low, high) = if factor < 0 { (high, low) } else { (low, high) };
            let plus = |sum: i128, by: i128| sum.checked_add(factor.checked_mul(by)?);
            Some((plus(least, low)?, plus(most, high)?))
        })
    }

    /// Same as [`number`](Self::number), without a check of the whole.
    fn exact_number(&self, expr: &Expr, scope: TermScope<'_>) -> Result<Linear, Refusal> {
        let number = |expr: &Expr| self.number(expr, scope);
        match &*expr.bare().kind {
            ExprKind::Number(digits) => digits.parse().map(Linear::number).or_else(|_| unsupported()),
            ExprKind::Name(name) => match scope.names.iter().find(|(own, _)| own == name) {
                Some((_, term)) => Ok(term.clone()),
                None => self.named(name, None),
            },
            ExprKind::Unary(UnaryOp::Negate, of) => number(of)?.times(-1).map_err(overflow),
            ExprKind::Unary(UnaryOp::Count, of) => {
                let list = of.bare().as_name().and_then(|name| self.value(name));
                match list {
                    Some(Value::List(elements)) => Ok(Linear::number(elements.len() as i128)),
                    _ => unsupported(),
                }
            }
            ExprKind::Binary(BinaryOp::Add, a, b) => number(a)?.plus(1, &number(b)?).map_err(overflow),
            ExprKind::Binary(BinaryOp::Subtract, a, b) => number(a)?.minus(&number(b)?).map_err(overflow),
            ExprKind::Binary(BinaryOp::Multiply, a, b) => {
                let (a, b) = (number(a)?, number(b)?);
                match (a.constant(), b.constant()) {
                    (Some(times), _) => b.times(times).map_err(overflow),
                    (_, Some(times)) => a.times(times).map_err(overflow),
                    _ => unsupported(),
                }
            }
            ExprKind::Index(of, index) => match (of.bare().as_name(), &index[..]) {
                (Some(name), [index]) => match number(index)?.constant() {
                    Some(index) => self.named(name, Some(index)),
                    None => unsupported(),
                },
                _ => unsupported(),
            },
            _ => unsupported(),
        }
    }

    /// The term for a parameter or a number of the state with this name.
    fn named(&self, name: &str, index: Option<i128>) -> Result<Linear, Refusal> {
        let counter =
            |((own, at), _): &((&str, Option<i64>), Counter)| *own == name && at.map(i128::from) == index;
        let param = |ranged: &ParamRange| ranged.param == name && ranged.element.map(i128::from) == index;
        if let Some(place) = self.counters.iter().position(counter) {
            return Ok(Linear::var(COUNTER_BASE + place as u32));
        }
        if let Some(place) = self.ranged_params.iter().position(param) {
            return Ok(Linear::var(PARAM_BASE + place as u32));
        }
        match (self.value(name), index) {
            _ if self.symbolic.iter().any(|own| own == name) => unsupported(),
            (Some(Value::Int(number)), None) => Ok(Linear::number(i128::from(*number))),
            _ => unsupported(),
        }
    }
}

/// The bounds of `1..9` or `list of 1..9`: true if it is a list, the least and the greatest value.
fn bounds(ty: &Type) -> Result<(bool, i128, i128), Refusal> {
    let (list, of) = match &ty.kind {
        TypeKind::Expr(of) => (false, of),
        TypeKind::List(of) => match &of.kind {
            TypeKind::Expr(of) => (true, of),
            _ => return unsupported(),
        },
        _ => return unsupported(),
    };
    let number = |expr: &Expr| match &*expr.bare().kind {
        ExprKind::Number(digits) => digits.parse::<i128>().or_else(|_| unsupported()),
        _ => unsupported(),
    };
    match &*of.bare().kind {
        ExprKind::Range(low, high) => Ok((list, number(low)?, number(high)?)),
        _ => unsupported(),
    }
}
