//! Lowering of least fixpoints: `inductive` definitions and `flood`, sets that grow until nothing is added.

use std::rc::Rc;
use std::sync::Arc;

use super::cx::{Cx, Lanes, Static, Term};
use super::domain::BitDomain;
use super::partial_eval::KnownTurn;
use super::{Lower, LowerError, Result, unsupported};
use bouton_base::bits::BitSet;
use bouton_base::source::Span;
use bouton_circuit::ValueId;
use bouton_rules::{BoardId, DefId, Expr, ExprKind, Value, VarId};

/// The maximal width of a relation.
const MAX_RELATION_WIDTH: u64 = 4096;

/// The dependencies of a relation, as a cache key: its definition, the values of the parameters that never change, the
/// position, and the turn with the player who makes the move.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct RelationKey {
    def: DefId,
    constant: Vec<Value>,
    state: Vec<ValueId>,
    turn: KnownTurn,
}

/// A relation under construction.
#[derive(Debug)]
pub struct OpenRelation {
    key: RelationKey,
    var: ValueId,
}

/// The roles of the parameters of an inductive definition.
struct ParamRoles {
    /// The parameters that every recursive use passes on unchanged.
    constant: Vec<usize>,
    /// The others, each with its domain.
    varying: Vec<(usize, BitDomain)>,
    width: u32,
}

impl<'r> Lower<'r> {
    /// Lowers an application of an inductive definition.
    pub(super) fn inductive(&mut self, def: DefId, args: &'r [Expr], cx: &Cx, span: Span) -> Result<ValueId> {
        let form = self.form(def, span)?;
        let (inner, fits) = self.enter(def, args, cx, span)?;
        let params = &self.rules.defs[def].params;
        let term = |i: usize| inner.env[params[i].0 as usize].clone().ok_or(LowerError::Varies);
        let mut constant = Vec::new();
        for &i in &form.constant {
            match term(i)? {
                Term::Static(Static::One(Some(value))) => constant.push(value),
                Term::Static(Static::One(None)) => return Ok(self.build.truth(false)),
                _ => return Err(LowerError::Varies),
            }
        }
        let key = RelationKey { def, constant, state: cx.state.to_vec(), turn: cx.turn };
        let relation = self.relation(&key, &form, cx, span)?;
        let terms: Result<Vec<Term>> = form.varying.iter().map(|(i, _)| term(*i)).collect();
        let terms = terms?;
        if let ([Term::Choice(domain, bits)], [(_, of)]) = (&terms[..], &form.varying[..]) {
            let bits = self.recast(domain, *bits, of);
            let both = self.build.and(bits, relation);
            let found = self.build.any(both);
            return Ok(self.both(found, fits));
        }
        let mut combinations: Vec<(Vec<Static>, ValueId)> = vec![(Vec::new(), fits)];
        for term in &terms {
            let cases = self.case_list(term, cx)?;
            let mut next = Vec::new();
            for (values, condition) in &combinations {
                for (value, of) in &cases {
                    let both = self.both(*condition, *of);
                    next.push((values.iter().cloned().chain([value.clone()]).collect(), both));
                }
            }
            combinations = next;
        }
        let mut found = self.build.truth(false);
        for (values, condition) in combinations {
            let look: Vec<Option<u32>> = (0..cx.len())
                .map(|lane| {
                    let each = values.iter().zip(&form.varying);
                    each.map(|(v, (_, d))| Some((d.width, d.place(v.at(lane)?)?)))
                        .try_fold(0, |at, place| place.map(|(width, place)| at * width + place))
                })
                .collect();
            let here = self.gather(cx, relation, &look);
            let here = self.both(here, condition);
            found = self.either(found, here);
        }
        Ok(found)
    }

    /// Returns the relation as a vector: under construction, cached, or built now.
    fn relation(&mut self, key: &RelationKey, form: &ParamRoles, cx: &Cx, span: Span) -> Result<ValueId> {
        if let Some(growing) = self.open_relations.iter().find(|growing| growing.key == *key) {
            return Ok(growing.var);
        }
        if let Some(&value) = self.fixed.get(key) {
            return Ok(value);
        }
        let of = &self.rules.defs[key.def];
        if self.rules.defs.entries().any(|(id, d)| id != key.def && d.group == of.group) {
            return unsupported("definitions that are inductive together", span);
        }
        // The lanes are all combinations of the parameters that vary.
        let mut rows: Vec<(Vec<Value>, u32)> = vec![(Vec::new(), 0)];
        for (_, domain) in &form.varying {
            let mut next = Vec::with_capacity(rows.len() * domain.values.len());
            for (row, at) in &rows {
                for (value, &place) in domain.values.iter().zip(&domain.places) {
                    next.push((
                        row.iter().cloned().chain([value.clone()]).collect(),
                        at * domain.width + place,
                    ));
                }
            }
            rows = next;
        }
        let places: Vec<u32> = rows.iter().map(|(_, place)| *place).collect();
        let stride = match &form.varying[..] {
            [(_, domain)] => domain.stride,
            _ => None,
        };
        let lanes = Lanes::new(places, form.width, stride);
        let mask = lanes.mask.clone();
        let mut inner =
            Cx { lanes: Rc::new(lanes), env: vec![None; of.vars.len()], lane: None, ..cx.clone() };
        for (n, (i, _)) in form.varying.iter().enumerate() {
            let values = rows.iter().map(|(row, _)| Some(row[n].clone())).collect();
            inner.bind(of.params[*i], Term::Static(Static::each(values)));
        }
        for (&i, value) in form.constant.iter().zip(&key.constant) {
            inner.bind(of.params[i], Term::Static(Static::One(Some(value.clone()))));
        }
        let var = self.build.param(mask);
        self.open_relations.push(OpenRelation { key: key.clone(), var });
        let body = self.formula(&of.body, &inner);
        self.open_relations.pop();
        let body = body?;
        let body = self.vector(&inner, body);
        let next = self.build.or(var, body);
        let first = self.build.zero(form.width);
        let fixed = self.build.fix(vec![(var, first)], vec![next])[0];
        // A fixpoint that uses another relation under construction holds only for this round of that relation.
        if self.open_relations.is_empty() {
            self.fixed.insert(key.clone(), fixed);
        }
        Ok(fixed)
    }

    fn form(&self, def: DefId, span: Span) -> Result<ParamRoles> {
        let of = &self.rules.defs[def];
        let mut constant: Vec<usize> = (0..of.params.len()).collect();
        self.passed_on(&of.body, def, &of.params, &mut constant);
        let mut varying = Vec::new();
        let mut width = 1u64;
        for (i, &param) in of.params.iter().enumerate() {
            if constant.contains(&i) {
                continue;
            }
            let Some(values) = self.rules.type_values(&of.vars[param].ty, MAX_RELATION_WIDTH as usize) else {
                return unsupported("a relation over very many values", span);
            };
            let domain = BitDomain::new(self.rules, values);
            width *= u64::from(domain.width);
            varying.push((i, domain));
        }
        if width > MAX_RELATION_WIDTH {
            return unsupported("a relation over very many values", span);
        }
        Ok(ParamRoles { constant, varying, width: width as u32 })
    }

    /// Removes the parameters that some use of the definition in an expression does not pass on unchanged.
    fn passed_on(&self, expr: &'r Expr, def: DefId, params: &[VarId], constant: &mut Vec<usize>) {
        if let ExprKind::Call(of, args) = &*expr.kind {
            if *of == def {
                constant.retain(|&i| matches!(&*args[i].kind, ExprKind::Var(var) if *var == params[i]));
            } else if self.rules.defs[*of].group == self.rules.defs[def].group {
                constant.clear();
            }
        }
        expr.each_part(&mut |part| self.passed_on(part, def, params, constant));
    }

    /// Returns the cells of `within` that are connected to `from`.
    pub(super) fn flood(
        &mut self,
        board: BoardId,
        from: &'r Expr,
        within: &'r Expr,
        cx: &Cx,
    ) -> Result<(Arc<BitDomain>, ValueId)> {
        let of = &self.rules.boards[board];
        let cells = (0..of.len() as u32).map(|c| Value::Sym(of.cells, c)).collect();
        let domain = Arc::new(BitDomain::new(self.rules, cells));
        let (d, bits) = self.set_bits(within, cx)?;
        let within = self.recast(&d, bits, &domain);
        let start = match from.ty.element() {
            Some(_) => {
                let (d, bits) = self.set_bits(from, cx)?;
                self.recast(&d, bits, &domain)
            }
            None => {
                let vars = self.info(from).vars;
                let settled =
                    if self.varies_any(&vars, cx) { self.project_cx(cx, &vars)? } else { cx.clone() };
                let cell = self.term(from, &settled)?;
                self.bits_of(&cell, &domain, &settled)?
            }
        };
        let first = self.build.and(start, within);
        let over = self.over(&domain, &Cx::empty());
        let var = self.build.param(BitSet::of(domain.width, domain.places.iter().copied()));
        let reached = self.image_of_set(&domain, var, &over, &|lane, value| {
            value.as_sym().is_some_and(|c| of.neighbors(c).contains(&(lane as u32)))
        })?;
        let reached = self.vector(&over, reached);
        let step = self.build.and(reached, within);
        let next = self.build.or(var, step);
        let fixed = self.build.fix(vec![(var, first)], vec![next])[0];
        Ok((domain, fixed))
    }

    /// Returns a scalar as the bit of its value.
    pub(super) fn bits_of(&mut self, term: &Term, domain: &BitDomain, cx: &Cx) -> Result<ValueId> {
        if let Term::Choice(of, bits) = term {
            return Ok(self.recast(of, *bits, domain));
        }
        let mut found = self.build.zero(domain.width);
        for (value, condition) in self.case_list(term, cx)? {
            let Static::One(value) = value else { return Err(LowerError::Varies) };
            let Some(place) = value.and_then(|v| domain.place(&v)) else { continue };
            let bit = self.build.resize(condition, domain.width);
            let bit = self.build.shift(bit, place as i32);
            found = self.build.or(found, bit);
        }
        Ok(found)
    }
}
