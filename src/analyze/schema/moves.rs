//! Moves as schemes over symbolic parameters.

use super::{Domain, Reader, Refusal, large, too_much};
use crate::base::linear::Linear;
use crate::rules::schema::{Area, Argument, CHOICE, Scheme};
use crate::rules::{DIR, Value};
use crate::syntax::ast::{
    BinaryOp, Binder, CmpOp, EffectOp, Expr, ExprKind, ItemKind, Move, Pattern, Quantifier, Stmt, StmtKind,
    TypeKind,
};
use crate::syntax::walk;

/// The meaning of a name in a move.
#[derive(Clone, PartialEq, Debug)]
enum Meaning {
    Number(Linear),
    /// A cell of a board, with the terms that must be at most 0 for it to exist.
    Cell(Vec<Linear>, Vec<Linear>),
    /// Cells, likewise. A range is empty if its last is smaller than its first.
    Cells(Vec<Area>, Vec<Linear>),
    /// Columns and rows of a step.
    Way(i64, i64),
    /// A value of which no property is used.
    Other,
}

/// A scheme of a move under construction, with the names in scope.
struct Reading<'r, 't> {
    reader: &'r Reader<'t>,
    scope: Vec<(&'r str, Meaning)>,
    scheme: Scheme,
}

/// The maximal number of schemes of one move.
const MOST: usize = 64;

/// An alternative for one parameter of a move: its argument and meaning, and the bounds of new choices.
type Choice = (Argument, Meaning, Vec<(Linear, Linear)>);

impl Reader<'_> {
    /// Returns a scheme for each combination of choices that do not become variables.
    pub(super) fn of_move(&self, of: &Move) -> Result<Vec<Scheme>, Refusal> {
        if !of.is_plain() {
            return too_much();
        }
        let scheme = Scheme {
            name: of.name.text.clone(),
            arguments: Vec::new(),
            choices: Vec::new(),
            guards: Vec::new(),
            untouched: Vec::new(),
            touched: Vec::new(),
            changed: Vec::new(),
            counters: Vec::new(),
        };
        let mut readings = vec![Reading { reader: self, scope: Vec::new(), scheme }];
        for (place, param) in of.params.iter().enumerate() {
            let TypeKind::Expr(ty) = &param.ty.kind else { return too_much() };
            let mut longer = Vec::new();
            for reading in &readings {
                let first = CHOICE + reading.scheme.choices.len() as u32;
                for (argument, meaning, bounds) in self.choices(of, place, ty, first)? {
                    let mut reading = Reading {
                        reader: self,
                        scope: reading.scope.clone(),
                        scheme: reading.scheme.clone(),
                    };
                    reading.bind(&param.name.text, meaning)?;
                    reading.scheme.arguments.push(argument);
                    reading.scheme.choices.extend(bounds);
                    longer.push(reading);
                }
            }
            if longer.len() > MOST {
                return Err("a move has too many kinds of choices".into());
            }
            readings = longer;
        }
        let mut schemes = Vec::new();
        for mut reading in readings {
            reading.ends(of)?;
            of.body.stmts.iter().try_for_each(|stmt| reading.stmt(stmt))?;
            schemes.push(reading.scheme);
        }
        Ok(schemes)
    }

    /// The alternatives for a parameter of a move; new choices are numbered from `first`.
    fn choices(&self, of: &Move, place: usize, ty: &Expr, first: u32) -> Result<Vec<Choice>, Refusal> {
        let indexes = ty.bare().as_name().is_some() && ty.bare().as_name() == self.key;
        match self.domain(ty)? {
            Domain::Numbers(..) if indexes => {
                let number = |index: i64| Linear::number(index.into());
                let of =
                    |index| (Argument::Number(number(index)), Meaning::Number(number(index)), Vec::new());
                Ok(self.indices(ty)?.into_iter().map(of).collect())
            }
            Domain::Numbers(low, high) => {
                let var = Linear::var(first);
                Ok(vec![(Argument::Number(var.clone()), Meaning::Number(var), vec![(low, high)])])
            }
            Domain::Cells => {
                let sides = self.cells(ty)?;
                let vars: Vec<Linear> =
                    (0..sides.len() as u32).map(|axis| Linear::var(first + axis)).collect();
                let bounds = sides.into_iter().map(|side| (Linear::number(1), side)).collect();
                Ok(vec![(Argument::Cell(vars.clone()), Meaning::Cell(vars, Vec::new()), bounds)])
            }
            Domain::Fixed => {
                let rules = self.rules;
                let Some((_, own)) = rules.moves.entries().find(|(_, own)| own.name == of.name.text) else {
                    return too_much();
                };
                let Some(param) = own.params.get(place) else { return too_much() };
                let choice = |value: &Value| match value {
                    Value::Int(number) => {
                        let number = Linear::number(i128::from(*number));
                        (Argument::Number(number.clone()), Meaning::Number(number), Vec::new())
                    }
                    Value::Sym(DIR, index) => {
                        let step = rules.dirs.get(*index as usize).map(|dir| dir.delta());
                        let meaning = match step {
                            Some((col, row, 0)) => Meaning::Way(col, row),
                            _ => Meaning::Other,
                        };
                        (Argument::Word(rules.show(value)), meaning, Vec::new())
                    }
                    _ => (Argument::Word(rules.show(value)), Meaning::Other, Vec::new()),
                };
                Ok(param.values.iter().map(choice).collect())
            }
        }
    }

    /// Returns true if the file declares this name.
    fn declares(&self, name: &str) -> bool {
        self.file.items.iter().any(|item| match &item.kind {
            ItemKind::Param { name: own, .. }
            | ItemKind::Const { name: own, .. }
            | ItemKind::TypeAlias { name: own, .. }
            | ItemKind::Board { name: own, .. } => own.text == name,
            ItemKind::State(fields) => fields.iter().any(|field| field.name.text == name),
            _ => false,
        })
    }
}

impl<'r, 't: 'r> Reading<'r, 't> {
    /// Reads `def leftmost = min c in Cell - full: c;` if the move uses it: one more choice, of a cell that has not
    /// changed while the cells before it have. If there is none the move is not legal, since all its conditions must
    /// hold.
    fn ends(&mut self, of: &'r Move) -> Result<(), Refusal> {
        for item in &self.reader.file.items {
            let ItemKind::Def { name, formals: None, body, .. } = &item.kind else { continue };
            let asks = |stmt: &Stmt| match &stmt.kind {
                StmtKind::When(expr) | StmtKind::Let(_, expr) => mentions(expr, &name.text),
                _ => false,
            };
            if !of.body.stmts.iter().any(asks) {
                continue;
            }
            let ExprKind::Quant(which @ (Quantifier::Min | Quantifier::Max), binders, value) =
                &*body.bare().kind
            else {
                return too_much();
            };
            let [Binder { pattern: Pattern::Name(bound), domain, condition: None, .. }] = &binders[..] else {
                return too_much();
            };
            let [length] = &self.reader.board[..] else { return too_much() };
            if value.bare().as_name() != Some(&bound.text) || !self.is_rest(domain) {
                return too_much();
            }
            let var = Linear::var(CHOICE + self.scheme.choices.len() as u32);
            self.scheme.choices.push((Linear::number(1), length.clone()));
            let beside = |by: i128| var.and(by).map_err(large);
            let before = match which {
                Quantifier::Min => Area { low: vec![Linear::number(1)], high: vec![beside(-1)?] },
                _ => Area { low: vec![beside(1)?], high: vec![length.clone()] },
            };
            self.scheme.touched.push(before);
            self.scheme.untouched.push(Area { low: vec![var.clone()], high: vec![var.clone()] });
            self.bind(&name.text, Meaning::Number(var))?;
        }
        Ok(())
    }

    /// Returns true for the unchanged cells: `Cell - full` if the set begins empty, `full` if it begins with all.
    fn is_rest(&self, of: &Expr) -> bool {
        let is_set = |of: &Expr| self.reader.set.is_some() && of.bare().as_name() == self.reader.set;
        match &*of.bare().kind {
            ExprKind::Binary(BinaryOp::Subtract, all, less) if !self.reader.full => {
                let cells = all.bare().as_name().map(|_| self.reader.cells(all));
                cells.is_some_and(|cells| cells.as_ref() == Ok(&self.reader.board)) && is_set(less)
            }
            _ => self.reader.full && is_set(of),
        }
    }

    fn bind(&mut self, name: &'r str, meaning: Meaning) -> Result<(), Refusal> {
        if self.reader.declares(name) || self.scope.iter().any(|(own, _)| *own == name) {
            return too_much();
        }
        self.scope.push((name, meaning));
        Ok(())
    }

    fn stmt(&mut self, stmt: &'r Stmt) -> Result<(), Refusal> {
        match &stmt.kind {
            StmtKind::When(holds) => self.when(holds),
            StmtKind::Let(Pattern::Name(name), value) => {
                let meaning = match self.meaning(value)? {
                    // If it is undefined, the move is not legal.
                    Meaning::Cell(place, there) => {
                        self.scheme.guards.extend(there);
                        Meaning::Cell(place, Vec::new())
                    }
                    Meaning::Cells(areas, there) => {
                        self.scheme.guards.extend(there);
                        Meaning::Cells(areas, Vec::new())
                    }
                    meaning => meaning,
                };
                self.bind(&name.text, meaning)
            }
            StmtKind::Effect(effect) => {
                let name = effect.target.name.text.as_str();
                if Some(name) == self.reader.set {
                    let full = self.reader.full;
                    let fits =
                        matches!((effect.op, full), (EffectOp::Insert, false) | (EffectOp::Subtract, true));
                    let Meaning::Cells(areas, there) = self.meaning(&effect.value)? else {
                        return too_much();
                    };
                    let known = there.iter().all(|term| self.scheme.guards.contains(term));
                    if !fits || !known || !effect.target.path.is_empty() {
                        return too_much();
                    }
                    self.scheme.changed.extend(areas);
                    return Ok(());
                }
                self.counter(effect)
            }
            _ => too_much(),
        }
    }

    /// Reads a change of a number of the state.
    fn counter(&mut self, effect: &'r crate::syntax::ast::Effect) -> Result<(), Refusal> {
        use crate::syntax::ast::Access;
        let index = match &effect.target.path[..] {
            [] => None,
            [Access::Index(index)] => match &index[..] {
                [index] => Some(self.number(index)?.constant().ok_or("an index is no number")?),
                _ => return too_much(),
            },
            _ => return too_much(),
        };
        let old = self.reader.named(&effect.target.name.text, index)?;
        let [(var, 1)] = old.terms[..] else { return too_much() };
        let Some(place) = var.checked_sub(crate::rules::schema::COUNTER) else { return too_much() };
        let value = self.number(&effect.value)?;
        let new = match effect.op {
            EffectOp::Set => value,
            EffectOp::Add => old.plus(1, &value).map_err(large)?,
            EffectOp::Subtract => old.minus(&value).map_err(large)?,
            _ => return too_much(),
        };
        if self.scheme.counters.iter().any(|(other, _)| *other == place) {
            return too_much();
        }
        self.scheme.counters.push((place, new));
        Ok(())
    }

    /// Reads a conjunction of conditions.
    fn when(&mut self, holds: &'r Expr) -> Result<(), Refusal> {
        match &*holds.bare().kind {
            ExprKind::Binary(BinaryOp::And, a, b) => {
                self.when(a)?;
                self.when(b)
            }
            ExprKind::Compare(first, rest) => {
                let mut left = first;
                for (op, right) in rest {
                    self.compare(left, *op, right)?;
                    left = right;
                }
                Ok(())
            }
            _ => too_much(),
        }
    }

    fn compare(&mut self, left: &'r Expr, op: CmpOp, right: &'r Expr) -> Result<(), Refusal> {
        let is_state = |expr: &Expr| self.reader.set.is_some() && expr.bare().as_name() == self.reader.set;
        match op {
            CmpOp::Equal if right.is_empty_set() => {
                // `X & shaded = {}`: no element of X is in the set, which was empty at first.
                let ExprKind::Binary(BinaryOp::Intersect, a, b) = &*left.bare().kind else {
                    return too_much();
                };
                let of = if is_state(b) { a } else { b };
                if self.reader.full || !(is_state(a) || is_state(b)) {
                    return too_much();
                }
                let Meaning::Cells(areas, there) = self.meaning(of)? else { return too_much() };
                self.scheme.guards.extend(there);
                self.scheme.untouched.extend(areas);
                Ok(())
            }
            CmpOp::NotIn if is_state(right) && !self.reader.full => {
                let area = self.one(left)?;
                self.scheme.untouched.push(area);
                Ok(())
            }
            CmpOp::In if is_state(right) && self.reader.full => {
                let areas = match self.meaning(left)? {
                    Meaning::Cells(areas, there) => {
                        self.scheme.guards.extend(there);
                        areas
                    }
                    _ => vec![self.one(left)?],
                };
                // Elements of the set are on the board.
                for area in &areas {
                    for (axis, side) in self.reader.board.iter().enumerate() {
                        self.is_nonempty(&area.low[axis], &area.high[axis])?;
                        self.scheme.guards.push(Linear::number(1).minus(&area.low[axis]).map_err(large)?);
                        self.scheme.guards.push(area.high[axis].minus(side).map_err(large)?);
                    }
                }
                self.scheme.untouched.extend(areas);
                Ok(())
            }
            _ => {
                let (a, b) = (self.number(left)?, self.number(right)?);
                let (ab, ba) = (a.minus(&b).map_err(large)?, b.minus(&a).map_err(large)?);
                let less = |term: Linear| term.and(1).map_err(large);
                match op {
                    CmpOp::Equal | CmpOp::DoubleEqual | CmpOp::Is => self.scheme.guards.extend([ab, ba]),
                    CmpOp::Less => self.scheme.guards.push(less(ab)?),
                    CmpOp::LessEqual => self.scheme.guards.push(ab),
                    CmpOp::Greater => self.scheme.guards.push(less(ba)?),
                    CmpOp::GreaterEqual => self.scheme.guards.push(ba),
                    CmpOp::NotEqual | CmpOp::In | CmpOp::NotIn => return too_much(),
                }
                Ok(())
            }
        }
    }

    /// Checks that a range has elements for all choices, by their lower bounds.
    fn is_nonempty(&self, low: &Linear, high: &Linear) -> Result<(), Refusal> {
        let mut least = high.minus(low).map_err(large)?;
        for (var, factor) in least.terms.clone() {
            let bound = var.checked_sub(CHOICE).and_then(|choice| self.scheme.choices.get(choice as usize));
            match bound.and_then(|(low, _)| low.constant()) {
                Some(bound) if factor > 0 => {
                    least = least.plus(-factor, &Linear::var(var)).map_err(large)?;
                    least = least.and(factor.checked_mul(bound).ok_or(TOO_LARGE)?).map_err(large)?;
                }
                _ => return too_much(),
            }
        }
        if least.constant().is_some_and(|least| least >= 0) { Ok(()) } else { too_much() }
    }

    /// A cell that always exists, as an area.
    fn one(&self, expr: &'r Expr) -> Result<Area, Refusal> {
        match self.meaning(expr)? {
            Meaning::Number(place) if self.reader.board.len() == 1 => {
                Ok(Area { low: vec![place.clone()], high: vec![place] })
            }
            Meaning::Cell(place, there) if there.is_empty() => Ok(Area { low: place.clone(), high: place }),
            _ => too_much(),
        }
    }

    fn number(&self, expr: &Expr) -> Result<Linear, Refusal> {
        let numbers = self.scope.iter().filter_map(|(name, meaning)| match meaning {
            Meaning::Number(term) => Some((*name, term.clone())),
            _ => None,
        });
        let numbers: Vec<(&str, Linear)> = numbers.collect();
        self.reader.number(expr, &numbers)
    }

    fn meaning(&self, expr: &Expr) -> Result<Meaning, Refusal> {
        match &*expr.bare().kind {
            ExprKind::Name(name) => match self.scope.iter().find(|(own, _)| own == name) {
                Some((_, meaning)) => Ok(meaning.clone()),
                None => Ok(Meaning::Number(self.number(expr)?)),
            },
            ExprKind::Range(low, high) if self.reader.board.len() == 1 => {
                let area = Area { low: vec![self.number(low)?], high: vec![self.number(high)?] };
                Ok(Meaning::Cells(vec![area], Vec::new()))
            }
            ExprKind::Set(elements) => {
                let (mut areas, mut all) = (Vec::new(), Vec::new());
                for element in elements {
                    let place = match self.meaning(element)? {
                        Meaning::Number(place) if self.reader.board.len() == 1 => vec![place],
                        Meaning::Cell(place, there) => {
                            all.extend(there);
                            place
                        }
                        _ => return too_much(),
                    };
                    areas.push(Area { low: place.clone(), high: place });
                }
                Ok(Meaning::Cells(areas, all))
            }
            ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract), a, b) => {
                let (Ok(Meaning::Cell(place, mut there)), Ok(Meaning::Way(col, row))) =
                    (self.meaning(a), self.meaning(b))
                else {
                    return Ok(Meaning::Number(self.number(expr)?));
                };
                if *op == BinaryOp::Subtract || place.len() != 2 {
                    return too_much();
                }
                let mut to = Vec::new();
                for ((own, side), by) in place.iter().zip(&self.reader.board).zip([col, row]) {
                    let own = own.and(i128::from(by)).map_err(large)?;
                    there.push(Linear::number(1).minus(&own).map_err(large)?);
                    there.push(own.minus(side).map_err(large)?);
                    to.push(own);
                }
                Ok(Meaning::Cell(to, there))
            }
            _ => Ok(Meaning::Number(self.number(expr)?)),
        }
    }
}

const TOO_LARGE: &str = "its numbers are too large";

/// Returns true if an expression mentions a name.
fn mentions(expr: &Expr, name: &str) -> bool {
    let mut found = expr.as_name() == Some(name);
    walk::children(expr, &mut |part| found |= mentions(part, name));
    found
}
