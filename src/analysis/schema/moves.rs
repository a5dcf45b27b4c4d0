//! Moves as schemes over symbolic parameters.

use super::{Refusal, SchemaDomain, SchemaReader, TermScope, overflow, unsupported};
use bouton_base::linear::Linear;
use bouton_rules::parametric::{Area, Argument, CHOICE_BASE, MoveScheme};
use bouton_rules::{DIR, Value};
use bouton_syntax::ast::{
    BinaryOp, Binder, CmpOp, EffectOp, Expr, ExprKind, ItemKind, MoveDecl, Pattern, Quantifier, Stmt,
    StmtKind, TypeKind,
};
use bouton_syntax::visit;

/// The meaning of a name in a move.
#[derive(Clone, PartialEq, Debug)]
enum Meaning {
    Number(Linear),
    /// A cell of a board, with the terms that must be at most 0 for it to exist.
    Cell(Vec<Linear>, Vec<Linear>),
    /// Cells, likewise. A range is empty if its last is smaller than its first.
    Cells(Vec<Area>, Vec<Linear>),
    /// Columns and rows of a step.
    Direction(i64, i64),
    /// A value of which no property is used.
    Opaque,
}

/// A scheme of a move under construction, with the names in scope.
struct SchemeBuilder<'r, 't> {
    reader: &'r SchemaReader<'t>,
    scope: Vec<(&'r str, Meaning)>,
    scheme: MoveScheme,
}

/// The maximal number of schemes of one move.
const MAX_SCHEMES: usize = 64;

/// An alternative for one parameter of a move: its argument and meaning, and the bounds of new choices.
type ParamChoice = (Argument, Meaning, Vec<(Linear, Linear)>);

impl SchemaReader<'_> {
    /// Returns a scheme for each combination of choices that do not become variables.
    pub(super) fn schemes_of(&self, of: &MoveDecl) -> Result<Vec<MoveScheme>, Refusal> {
        if !of.is_unrestricted() {
            return unsupported();
        }
        let scheme = MoveScheme {
            name: of.name.text.clone(),
            arguments: Vec::new(),
            choices: Vec::new(),
            guards: Vec::new(),
            untouched: Vec::new(),
            touched: Vec::new(),
            changed: Vec::new(),
            counters: Vec::new(),
        };
        let mut readings = vec![SchemeBuilder { reader: self, scope: Vec::new(), scheme }];
        for (place, param) in of.params.iter().enumerate() {
            let TypeKind::Expr(ty) = &param.ty.kind else { return unsupported() };
            let mut longer = Vec::new();
            for reading in &readings {
                let first = CHOICE_BASE + reading.scheme.choices.len() as u32;
                for (argument, meaning, bounds) in self.choices(of, place, ty, first)? {
                    let mut reading = SchemeBuilder {
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
            if longer.len() > MAX_SCHEMES {
                return Err("a move has too many kinds of choices".into());
            }
            readings = longer;
        }
        let mut schemes = Vec::new();
        for mut reading in readings {
            reading.bind_extremes(of)?;
            of.body.stmts.iter().try_for_each(|stmt| reading.stmt(stmt))?;
            schemes.push(reading.scheme);
        }
        Ok(schemes)
    }

    /// The alternatives for a parameter of a move; new choices are numbered from `first`.
    fn choices(
        &self,
        of: &MoveDecl,
        place: usize,
        ty: &Expr,
        first: u32,
    ) -> Result<Vec<ParamChoice>, Refusal> {
        let indexes = ty.bare().as_name().is_some() && ty.bare().as_name() == self.key;
        match self.domain(ty)? {
            SchemaDomain::Numbers(..) if indexes => {
                let number = |index: i64| Linear::number(index.into());
                let of =
                    |index| (Argument::Number(number(index)), Meaning::Number(number(index)), Vec::new());
                Ok(self.indices(ty)?.into_iter().map(of).collect())
            }
            SchemaDomain::Numbers(low, high) => {
                let var = Linear::var(first);
                Ok(vec![(Argument::Number(var.clone()), Meaning::Number(var), vec![(low, high)])])
            }
            SchemaDomain::Cells => {
                let sides = self.cells(ty)?;
                let vars: Vec<Linear> =
                    (0..sides.len() as u32).map(|axis| Linear::var(first + axis)).collect();
                let bounds = sides.into_iter().map(|side| (Linear::number(1), side)).collect();
                Ok(vec![(Argument::Cell(vars.clone()), Meaning::Cell(vars, Vec::new()), bounds)])
            }
            SchemaDomain::Fixed => {
                let rules = self.rules;
                let Some((_, own)) = rules.moves.entries().find(|(_, own)| own.name == of.name.text) else {
                    return unsupported();
                };
                let Some(param) = own.params.get(place) else { return unsupported() };
                let choice = |value: &Value| match value {
                    Value::Int(number) => {
                        let number = Linear::number(i128::from(*number));
                        (Argument::Number(number.clone()), Meaning::Number(number), Vec::new())
                    }
                    Value::Sym(DIR, index) => {
                        let step = rules.dirs.get(*index as usize).map(|dir| dir.delta());
                        let meaning = match step {
                            Some((col, row, 0)) => Meaning::Direction(col, row),
                            _ => Meaning::Opaque,
                        };
                        (Argument::Word(rules.show(value)), meaning, Vec::new())
                    }
                    _ => (Argument::Word(rules.show(value)), Meaning::Opaque, Vec::new()),
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

impl<'r, 't: 'r> SchemeBuilder<'r, 't> {
    /// Reads `def leftmost = min c in Cell - full: c;` if the move uses it: one more choice, of a cell that has not
    /// changed while the cells before it have. If there is none the move is not legal, since all its conditions must
    /// hold.
    fn bind_extremes(&mut self, of: &'r MoveDecl) -> Result<(), Refusal> {
        for item in &self.reader.file.items {
            // One with a declared range is undefined outside of it.
            let ItemKind::Def { name, formals: None, ty: None, body } = &item.kind else { continue };
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
                return unsupported();
            };
            let [Binder { pattern: Pattern::Name(bound), domain, condition: None, .. }] = &binders[..] else {
                return unsupported();
            };
            let [length] = &self.reader.board[..] else { return unsupported() };
            if value.bare().as_name() != Some(&bound.text) || !self.is_unchanged_set(domain) {
                return unsupported();
            }
            let var = Linear::var(CHOICE_BASE + self.scheme.choices.len() as u32);
            self.scheme.choices.push((Linear::number(1), length.clone()));
            let beside = |by: i128| var.plus_constant(by).map_err(overflow);
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
    fn is_unchanged_set(&self, of: &Expr) -> bool {
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
            return unsupported();
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
                        return unsupported();
                    };
                    let known = there.iter().all(|term| self.scheme.guards.contains(term));
                    if !fits || !known || !effect.target.path.is_empty() {
                        return unsupported();
                    }
                    self.scheme.changed.extend(areas);
                    return Ok(());
                }
                self.counter(effect)
            }
            _ => unsupported(),
        }
    }

    /// Reads a change of a number of the state.
    fn counter(&mut self, effect: &'r bouton_syntax::ast::Effect) -> Result<(), Refusal> {
        use bouton_syntax::ast::Access;
        let index = match &effect.target.path[..] {
            [] => None,
            [Access::Index(index)] => match &index[..] {
                [index] => Some(self.number(index)?.constant().ok_or("an index is no number")?),
                _ => return unsupported(),
            },
            _ => return unsupported(),
        };
        let old = self.reader.named(&effect.target.name.text, index)?;
        let [(var, 1)] = old.terms[..] else { return unsupported() };
        let Some(place) = var.checked_sub(bouton_rules::parametric::COUNTER_BASE) else {
            return unsupported();
        };
        let value = self.number(&effect.value)?;
        let new = match effect.op {
            EffectOp::Set => value,
            EffectOp::Add => old.plus(1, &value).map_err(overflow)?,
            EffectOp::Subtract => old.minus(&value).map_err(overflow)?,
            _ => return unsupported(),
        };
        if self.scheme.counters.iter().any(|(other, _)| *other == place) {
            return unsupported();
        }
        self.reader.check_size(&new, &self.scheme.choices)?;
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
            _ => unsupported(),
        }
    }

    fn compare(&mut self, left: &'r Expr, op: CmpOp, right: &'r Expr) -> Result<(), Refusal> {
        let is_state = |expr: &Expr| self.reader.set.is_some() && expr.bare().as_name() == self.reader.set;
        match op {
            CmpOp::Equal if right.is_empty_set() => {
                // `X & shaded = {}`: no element of X is in the set, which was empty at first.
                let ExprKind::Binary(BinaryOp::Intersect, a, b) = &*left.bare().kind else {
                    return unsupported();
                };
                let of = if is_state(b) { a } else { b };
                if self.reader.full || !(is_state(a) || is_state(b)) {
                    return unsupported();
                }
                let Meaning::Cells(areas, there) = self.meaning(of)? else { return unsupported() };
                self.scheme.guards.extend(there);
                self.scheme.untouched.extend(areas);
                Ok(())
            }
            CmpOp::NotIn if is_state(right) && !self.reader.full => {
                let area = self.single_cell(left)?;
                self.scheme.untouched.push(area);
                Ok(())
            }
            CmpOp::In if is_state(right) && self.reader.full => {
                let areas = match self.meaning(left)? {
                    Meaning::Cells(areas, there) => {
                        self.scheme.guards.extend(there);
                        areas
                    }
                    _ => vec![self.single_cell(left)?],
                };
                // Elements of the set are on the board.
                for area in &areas {
                    for (axis, side) in self.reader.board.iter().enumerate() {
                        self.is_nonempty(&area.low[axis], &area.high[axis])?;
                        self.scheme.guards.push(Linear::number(1).minus(&area.low[axis]).map_err(overflow)?);
                        self.scheme.guards.push(area.high[axis].minus(side).map_err(overflow)?);
                    }
                }
                self.scheme.untouched.extend(areas);
                Ok(())
            }
            _ => {
                let (a, b) = (self.number(left)?, self.number(right)?);
                let (ab, ba) = (a.minus(&b).map_err(overflow)?, b.minus(&a).map_err(overflow)?);
                let less = |term: Linear| term.plus_constant(1).map_err(overflow);
                match op {
                    CmpOp::Equal | CmpOp::DoubleEqual | CmpOp::Is => self.scheme.guards.extend([ab, ba]),
                    CmpOp::Less => self.scheme.guards.push(less(ab)?),
                    CmpOp::LessEqual => self.scheme.guards.push(ab),
                    CmpOp::Greater => self.scheme.guards.push(less(ba)?),
                    CmpOp::GreaterEqual => self.scheme.guards.push(ba),
                    CmpOp::NotEqual | CmpOp::In | CmpOp::NotIn => return unsupported(),
                }
                Ok(())
            }
        }
    }

    /// Checks that a range has elements for all choices, by their lower bounds.
    fn is_nonempty(&self, low: &Linear, high: &Linear) -> Result<(), Refusal> {
        let mut least = high.minus(low).map_err(overflow)?;
        for (var, factor) in least.terms.clone() {
            let bound =
                var.checked_sub(CHOICE_BASE).and_then(|choice| self.scheme.choices.get(choice as usize));
            match bound.and_then(|(low, _)| low.constant()) {
                Some(bound) if factor > 0 => {
                    least = least.plus(-factor, &Linear::var(var)).map_err(overflow)?;
                    least =
                        least.plus_constant(factor.checked_mul(bound).ok_or(TOO_LARGE)?).map_err(overflow)?;
                }
                _ => return unsupported(),
            }
        }
        if least.constant().is_some_and(|least| least >= 0) { Ok(()) } else { unsupported() }
    }

    /// A cell that always exists, as an area.
    fn single_cell(&self, expr: &'r Expr) -> Result<Area, Refusal> {
        match self.meaning(expr)? {
            Meaning::Number(place) if self.reader.board.len() == 1 => {
                Ok(Area { low: vec![place.clone()], high: vec![place] })
            }
            Meaning::Cell(place, there) if there.is_empty() => Ok(Area { low: place.clone(), high: place }),
            _ => unsupported(),
        }
    }

    fn number(&self, expr: &Expr) -> Result<Linear, Refusal> {
        let numbers = self.scope.iter().filter_map(|(name, meaning)| match meaning {
            Meaning::Number(term) => Some((*name, term.clone())),
            _ => None,
        });
        let names: Vec<(&str, Linear)> = numbers.collect();
        self.reader.number(expr, TermScope { names: &names, choices: &self.scheme.choices })
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
                        _ => return unsupported(),
                    };
                    areas.push(Area { low: place.clone(), high: place });
                }
                Ok(Meaning::Cells(areas, all))
            }
            ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract), a, b) => {
                let (Ok(Meaning::Cell(place, mut there)), Ok(Meaning::Direction(col, row))) =
                    (self.meaning(a), self.meaning(b))
                else {
                    return Ok(Meaning::Number(self.number(expr)?));
                };
                if *op == BinaryOp::Subtract || place.len() != 2 {
                    return unsupported();
                }
                let mut to = Vec::new();
                for ((own, side), by) in place.iter().zip(&self.reader.board).zip([col, row]) {
                    let own = own.plus_constant(i128::from(by)).map_err(overflow)?;
                    there.push(Linear::number(1).minus(&own).map_err(overflow)?);
                    there.push(own.minus(side).map_err(overflow)?);
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
pub(crate) fn mentions(expr: &Expr, name: &str) -> bool {
    let mut found = expr.as_name() == Some(name);
    visit::children(expr, &mut |part| found |= mentions(part, name));
    found
}
