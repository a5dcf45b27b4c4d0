//! Rays (sliding moves, lines of sight): `some e: aligned(c, e) and r(e) and all x in between(c, e): f(x)`, as in
//! flanking captures in Othello.
//!
//! For all cells `c` at once, the cells that satisfy `r` spread against each direction through the cells that satisfy
//! `f`. For one cell, the first cell of each ray that does not satisfy `f` decides.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::board_fn;
use super::cx::{Cx, Static, Term};
use super::domain::BitDomain;
use super::{Lower, Result};
use bouton_base::bits::BitSet;
use bouton_circuit::ValueId;
use bouton_rules::{
    Binder, BoardFn, BoardId, Domain as Range, EnumKind, Expr, ExprKind, Fold, Pattern, Quant, Value, VarId,
};

/// A line of sight: one cell of a board sees another along a straight line.
pub(super) struct LineOfSight<'e> {
    board: BoardId,
    /// The variable of the cell that looks.
    from: VarId,
    /// The variables of the cell at the other end; all of them denote the same cell.
    to: Vec<VarId>,
    /// The conditions on the cell at the other end.
    ends: Vec<(&'e Expr, bool)>,
    /// The conditions on the cells between them, each with its variable.
    along: Vec<(VarId, &'e Expr)>,
    /// The conditions on the cell that looks.
    starts: Vec<(&'e Expr, bool)>,
}

/// A direction: true if places increase along it; and by the place of a cell, the ray from it; the last ray belongs to
/// no cell.
pub(super) type DirectionRays = (bool, Vec<u64>);

/// A condition, and the truth value that it must have.
type Condition<'e> = (&'e Expr, bool);

impl<'r> Lower<'r> {
    /// Recognizes the line of sight in conditions on a variable, if there is one.
    fn sight(
        &self,
        var: VarId,
        conditions: &[Condition<'r>],
        inside: &[(VarId, &'r Expr)],
        cx: &Cx,
    ) -> Option<LineOfSight<'r>> {
        let mut to = vec![var];
        let mut open: Vec<Condition<'r>> = conditions.to_vec();
        for &(of, set) in inside {
            let ExprKind::Collect(binders, body) = &*set.kind else { return None };
            let [Binder { pattern: Pattern::Var(own), domain: Range::Fixed(values), condition }] =
                &binders[..]
            else {
                return None;
            };
            if of != var || !matches!(&*body.kind, ExprKind::Var(v) if v == own) || !self.whole_board(values)
            {
                return None;
            }
            to.push(*own);
            open.extend(condition.iter().map(|c| (c, true)));
        }
        let mut parts: Vec<Condition<'r>> = Vec::new();
        while let Some((condition, holds)) = open.pop() {
            match &*condition.kind {
                ExprKind::And(both) if holds => open.extend(both.iter().map(|part| (part, true))),
                ExprKind::Not(not) => open.push((not, !holds)),
                _ => parts.push((condition, holds)),
            }
        }
        // The cell that looks is the other end of the lines.
        let pair = |args: &[Expr]| {
            let [a, b] = args else { return None };
            let (ExprKind::Var(a), ExprKind::Var(b)) = (&*a.kind, &*b.kind) else { return None };
            match (to.contains(a), to.contains(b)) {
                (true, false) => Some(*b),
                (false, true) => Some(*a),
                _ => None,
            }
        };
        let mut found: Option<(BoardId, VarId)> = None;
        let mut along = Vec::new();
        let mut others = Vec::new();
        for (condition, holds) in parts {
            match &*condition.kind {
                ExprKind::Board(BoardFn::Aligned, board, args) if holds && pair(args).is_some() => {
                    let here = (*board, pair(args)?);
                    if *found.get_or_insert(here) != here {
                        return None;
                    }
                }
                ExprKind::Quant(Quant::All, binders, body) if holds => {
                    if let [Binder { pattern: Pattern::Var(x), domain: Range::Set(set), condition: None }] =
                        &binders[..]
                        && let ExprKind::Board(BoardFn::Between, board, args) = &*set.kind
                        && let Some(from) = pair(args)
                    {
                        if *found.get_or_insert((*board, from)) != (*board, from) {
                            return None;
                        }
                        along.push((*x, body));
                    } else {
                        others.push((condition, holds));
                    }
                }
                _ => others.push((condition, holds)),
            }
        }
        let (board, from) = found?;
        // Without conditions on the cells between them there is nothing to spread along.
        if along.is_empty() || self.rules.boards[board].directions().is_empty() {
            return None;
        }
        let mentions = |expr: &'r Expr, of: &[VarId]| self.info(expr).vars.iter().any(|v| of.contains(v));
        let settled = |expr: &'r Expr, but: &[VarId]| {
            let vars: Vec<VarId> =
                self.info(expr).vars.iter().copied().filter(|v| !but.contains(v)).collect();
            !self.varies_any(&vars, cx)
        };
        if along
            .iter()
            .any(|(x, body)| mentions(body, &to) || mentions(body, &[from]) || !settled(body, &[*x]))
        {
            return None;
        }
        let (mut ends, mut starts) = (Vec::new(), Vec::new());
        for (condition, holds) in others {
            match (mentions(condition, &to), mentions(condition, &[from])) {
                (true, false) if settled(condition, &to) => ends.push((condition, holds)),
                (false, _) => starts.push((condition, holds)),
                _ => return None,
            }
        }
        Some(LineOfSight { board, from, to, ends, along, starts })
    }

    /// Returns true if an expression contains `between`.
    pub(super) fn looks_along_lines(&self, expr: &'r Expr) -> bool {
        let id = self.exprs.id(expr);
        if let Some(&known) = self.uses_between.borrow().get(id) {
            return known;
        }
        let mut looks = match &*expr.kind {
            ExprKind::Board(BoardFn::Between, ..) => true,
            ExprKind::Call(def, _) if self.rules.defs[*def].group.is_none() => {
                self.looks_along_lines(&self.rules.defs[*def].body)
            }
            _ => false,
        };
        expr.each_part(&mut |part| looks = looks || self.looks_along_lines(part));
        self.uses_between.borrow_mut().insert(id, looks);
        looks
    }

    /// Lowers `aligned(a, b)` and similar relations between a scalar and the cells of lanes.
    pub(super) fn related(
        &mut self,
        function: BoardFn,
        board: BoardId,
        args: &'r [Expr],
        cx: &Cx,
    ) -> Result<Option<ValueId>> {
        let [a, b] = args else { return Ok(None) };
        let (a, b) = (self.term(a, cx)?, self.term(b, cx)?);
        let rules = self.rules;
        let (Term::Choice(domain, bits), Term::Static(lanes)) = (match (&a, &b) {
            (Term::Choice(..), _) => (&a, &b),
            _ => (&b, &a),
        }) else {
            return Ok(None);
        };
        if !matches!(lanes, Static::Each(_)) {
            return Ok(None);
        }
        let related = |lane: usize, value: &Value| {
            let Some(other) = lanes.at(lane) else { return false };
            board_fn::apply(rules, function, board, &[other.clone(), value.clone()])
                == Some(Value::Bool(true))
        };
        // For whole boards the relation is needed often, so a table is cached.
        let whole = self.cells_of_board(board).filter(|all| {
            all.width <= 64
                && domain.width == all.width
                && domain.values.iter().all(|v| *v == Value::None || domain.place(v) == all.place(v))
                && self.are_cells(&Term::Static(lanes.clone()), all, cx)
                && cx.len() == all.values.len()
        });
        let Some(all) = whole else {
            let found = self.image(domain, *bits, cx, &related)?;
            return Ok(Some(self.vector(cx, found)));
        };
        let table = self.relations.get(&(function, board)).cloned().unwrap_or_else(|| {
            let mut table = vec![0u64; all.width as usize + 1];
            for (value, &place) in all.values.iter().zip(&all.places) {
                let lanes = (0..cx.len()).filter(|&lane| related(lane, value));
                lanes.for_each(|lane| table[place as usize] |= 1 << cx.lanes.places[lane]);
            }
            Rc::new(table)
        });
        self.relations.insert((function, board), table.clone());
        let found = self.looked_up(*bits, &table, all.width);
        Ok(Some(self.vector(cx, found)))
    }

    /// Lowers `all x in between(a, b): f(x)` for a scalar and the cells of lanes: the cells that it sees.
    pub(super) fn visible(&mut self, expr: &'r Expr, cx: &Cx) -> Result<Option<ValueId>> {
        let ExprKind::Quant(Quant::All, binders, body) = &*expr.kind else { return Ok(None) };
        let [Binder { pattern: Pattern::Var(x), domain: Range::Set(set), condition: None }] = &binders[..]
        else {
            return Ok(None);
        };
        let ExprKind::Board(BoardFn::Between, board, args) = &*set.kind else { return Ok(None) };
        let [a, b] = &args[..] else { return Ok(None) };
        let (a, b) = (self.term(a, cx)?, self.term(b, cx)?);
        let (of, bit, lanes) = match (a, b) {
            (Term::Choice(of, bit), lanes) | (lanes, Term::Choice(of, bit)) => (of, bit, lanes),
            _ => return Ok(None),
        };
        let vars: Vec<VarId> = self.info(body).vars.iter().copied().filter(|v| v != x).collect();
        let Some(domain) = self.cells_of_board(*board) else { return Ok(None) };
        if domain.width > 64
            || of.width != domain.width
            || of.values.iter().any(|v| *v != Value::None && of.place(v) != domain.place(v))
            || !self.are_cells(&lanes, &domain, cx)
            || self.varies_any(&vars, cx)
        {
            return Ok(None);
        }
        let Some(rays) = self.rays(*board, &domain) else { return Ok(None) };
        let over = self.over(&domain, cx);
        let mut between = over.clone();
        between.bind(*x, cells(&domain));
        let through = self.formula(body, &between)?;
        let through = self.vector(&over, through);
        let mut found = self.build.zero(domain.width);
        for (up, table) in rays.iter() {
            let ray = self.looked_up(bit, table, domain.width);
            let stops = self.build.and_not(ray, through);
            let (stop, before) = self.first_stop(*up, stops);
            let seen = self.build.or(before, stop);
            let seen = self.build.and(ray, seen);
            found = self.build.or(found, seen);
        }
        Ok(Some(self.vector(cx, found)))
    }

    /// Returns the rays of each direction; `None` if rays bend, or if two cells are joined by more than one ray.
    fn rays(&mut self, board: BoardId, domain: &BitDomain) -> Option<Rc<Vec<DirectionRays>>> {
        if let Some(known) = self.rays.get(&board) {
            return known.clone();
        }
        let rays = self.find_rays(board, domain).map(Rc::new);
        self.rays.insert(board, rays.clone());
        rays
    }

    fn find_rays(&self, board: BoardId, domain: &BitDomain) -> Option<Vec<DirectionRays>> {
        let board = &self.rules.boards[board];
        let place = |c: u32| domain.place(&domain.values[c as usize]).unwrap_or(0);
        let mut rays = Vec::new();
        for &dir in board.directions() {
            let mut table = vec![0u64; domain.width as usize + 1];
            let (mut up, mut down) = (false, false);
            for c in 0..board.len() as u32 {
                for e in board.ray(c, dir) {
                    if board.dir(c, e) != Some(dir) {
                        return None;
                    }
                    table[place(c) as usize] |= 1 << place(e);
                    up |= place(e) > place(c);
                    down |= place(e) < place(c);
                }
            }
            if up && down {
                return None;
            }
            rays.push((up, table));
        }
        Some(rays)
    }

    /// Returns the first cell of a ray that stops it, and the cells before that one.
    fn first_stop(&mut self, up: bool, stops: ValueId) -> (ValueId, ValueId) {
        if up {
            (self.build.lowest(stops), self.build.below(stops))
        } else {
            (self.build.highest(stops), self.build.above(stops))
        }
    }

    fn whole_board(&self, values: &[Value]) -> bool {
        match values.first() {
            Some(Value::Sym(id, _)) => match self.rules.enums[*id].kind {
                EnumKind::Cells(board) => values.len() == self.rules.boards[board].len(),
                _ => false,
            },
            _ => false,
        }
    }

    fn cells_of_board(&self, board: BoardId) -> Option<BitDomain> {
        let (id, of) =
            self.rules.enums.entries().find(|(_, e)| matches!(e.kind, EnumKind::Cells(b) if b == board))?;
        let _ = of;
        let cells = 0..self.rules.boards[board].len() as u32;
        Some(BitDomain::new(self.rules, cells.map(|cell| Value::Sym(id, cell)).collect()))
    }

    /// Returns true if each lane is the cell at its place.
    fn are_cells(&self, term: &Term, domain: &BitDomain, cx: &Cx) -> bool {
        let Term::Static(of) = term else { return false };
        cx.lanes.width == domain.width
            && (0..cx.len())
                .all(|lane| of.at(lane).and_then(|v| domain.place(v)) == Some(cx.lanes.places[lane]))
    }

    /// Returns the cells that may be the other end, and those that may lie between, as vectors over the board.
    fn ends_and_passages(
        &mut self,
        sight: &LineOfSight<'r>,
        domain: &BitDomain,
        cx: &Cx,
    ) -> Result<(ValueId, ValueId)> {
        let over = self.over(domain, cx);
        let mut at_end = over.clone();
        at_end.env[sight.from.0 as usize] = None;
        for &to in &sight.to {
            at_end.bind(to, cells(domain));
        }
        let mut ends = self.build.truth(true);
        for (condition, holds) in &sight.ends {
            let here = self.formula(condition, &at_end)?;
            ends = if *holds { self.both(ends, here) } else { self.unless(ends, here) };
        }
        let mut through = self.build.truth(true);
        for (x, body) in &sight.along {
            let mut between = over.clone();
            between.env[sight.from.0 as usize] = None;
            between.bind(*x, cells(domain));
            let here = self.formula(body, &between)?;
            through = self.both(through, here);
        }
        Ok((self.vector(&over, ends), self.vector(&over, through)))
    }

    /// Lowers `some e: ...` with the further condition `last` on each pair, for all cells that look at once; `None` if
    /// this is no line of sight, or if `last` depends on more than the distance.
    pub(super) fn exists_in_sight(
        &mut self,
        var: VarId,
        conditions: &[Condition<'r>],
        inside: &[(VarId, &'r Expr)],
        cx: &Cx,
        last: &mut dyn FnMut(&mut Lower<'r>, &Cx) -> Result<ValueId>,
    ) -> Result<Option<ValueId>> {
        let Some(sight) = self.sight(var, conditions, inside, cx) else { return Ok(None) };
        let Some(domain) = self.cells_of_board(sight.board) else { return Ok(None) };
        let Some(Some(from)) = cx.env.get(sight.from.0 as usize).cloned() else { return Ok(None) };
        if cx.lane.is_some() || !self.are_cells(&from, &domain, cx) {
            return Ok(None);
        }
        let rules = self.rules;
        let board = &rules.boards[sight.board];
        let cell = |lane: usize| match &from {
            Term::Static(of) => of.at(lane).and_then(Value::as_sym),
            _ => None,
        };
        // Finds the least distance at which `last` holds.
        let mut longest = 0;
        let mut near: Option<usize> = None;
        for &dir in board.directions() {
            let rays: Vec<Vec<u32>> =
                (0..cx.len()).map(|lane| cell(lane).map_or(Vec::new(), |c| board.ray(c, dir))).collect();
            let length = rays.iter().map(Vec::len).max().unwrap_or(0);
            longest = longest.max(length);
            for k in 1..=length {
                let lanes: Vec<usize> = (0..cx.len()).filter(|&lane| rays[lane].len() >= k).collect();
                let straight =
                    |&lane: &usize| cell(lane).is_some_and(|c| board.dir(c, rays[lane][k - 1]) == Some(dir));
                if !lanes.iter().all(straight) {
                    return Ok(None);
                }
                let only = Rc::new(cx.lanes.only(&lanes));
                let mut pair = self.restrict_cx(cx, &lanes, &only);
                let id = domain.values[0].clone();
                let Value::Sym(id, _) = id else { return Ok(None) };
                let ends = lanes.iter().map(|&lane| Some(Value::Sym(id, rays[lane][k - 1])));
                let ends = Term::Static(Static::each(ends.collect()));
                for &to in &sight.to {
                    pair.bind(to, ends.clone());
                }
                let asked = last(self, &pair)?;
                let asked = self.vector(&pair, asked);
                let Some(bits) = self.build.constant(asked) else { return Ok(None) };
                let (none, all) = (bits.is_empty(), bits.count() as usize == lanes.len());
                // `last` must fail at all smaller distances, and hold at this one and all greater ones.
                match near {
                    _ if !none && !all => return Ok(None),
                    None if all => near = Some(k),
                    Some(from) if (k >= from) != all => return Ok(None),
                    _ => {}
                }
            }
        }
        let Some(near) = near.filter(|&near| near <= 2) else { return Ok(None) };
        let (ends, through) = self.ends_and_passages(&sight, &domain, cx)?;
        let over = self.over(&domain, cx);
        let mut found = self.build.zero(domain.width);
        for &dir in board.directions() {
            let ray = |c: &Value| c.as_sym().and_then(|c| board.step(c, dir));
            let look: Vec<Option<u32>> = domain
                .values
                .iter()
                .map(|value| ray(value).and_then(|next| domain.place(&domain.values[next as usize])))
                .collect();
            let steps: BTreeSet<i32> = look
                .iter()
                .zip(&domain.places)
                .filter_map(|(look, &place)| look.map(|look| look as i32 - place as i32))
                .collect();
            let by = steps.first().copied().filter(|_| steps.len() == 1);
            let next = |lower: &mut Self, of: ValueId| match by {
                Some(by) => lower.moved(of, -by, domain.width),
                None => lower.gather(&over, of, &look),
            };
            // Cells without a next cell, and cells that are no next cell, are removed once before, not after each step.
            let seen: BTreeSet<u32> = look.iter().flatten().copied().collect();
            let lookers = look.iter().zip(&domain.places).filter(|(look, _)| look.is_some());
            let amid = lookers.map(|(_, &place)| place).filter(|place| seen.contains(place));
            let amid = self.build.bits(BitSet::of(domain.width, amid));
            let through = self.build.and(through, amid);
            // The cells that see an end through at least one cell.
            let beyond = next(self, ends);
            let mut farther = self.build.and(through, beyond);
            if let Some(by) = by {
                farther = self.spread_along(farther, through, by, longest.saturating_sub(1), domain.width);
            } else {
                for _ in 2..longest {
                    let beyond = next(self, farther);
                    let beyond = self.build.and(through, beyond);
                    farther = self.build.or(farther, beyond);
                }
            }
            let all = if near == 1 { self.build.or(farther, ends) } else { farther };
            let here = self.gather(&over, all, &look);
            found = self.build.or(found, here);
        }
        let mut holds = self.vector(cx, found);
        for (condition, positive) in &sight.starts {
            let here = self.formula(condition, cx)?;
            holds = if *positive { self.both(holds, here) } else { self.unless(holds, here) };
        }
        Ok(Some(holds))
    }

    /// Spreads the cells that see an end through one cell to those that see it through up to `longest` cells: each
    /// looks at the place `by` from its own. Doubles the length of runs while that takes fewer operations (Kogge and
    /// Stone 1973).
    fn spread_along(
        &mut self,
        seen: ValueId,
        through: ValueId,
        by: i32,
        longest: usize,
        width: u32,
    ) -> ValueId {
        // A step takes three operations, doubling the runs takes two.
        let cost = |run: usize, done: usize| 3 * longest.saturating_sub(done).div_ceil(run);
        let (mut farther, mut done) = (seen, 1);
        // Upward runs, by their lowest places: shifted, they are the downward runs, so both directions share them.
        let (mut runs, mut run) = (through, 1);
        while done < longest {
            if 2 * run <= done && 2 + cost(2 * run, done) < cost(run, done) {
                let others = self.moved(runs, -by.abs() * run as i32, width);
                runs = self.build.and(runs, others);
                run *= 2;
            }
            let of_way = if by < 0 { self.moved(runs, by.abs() * (run as i32 - 1), width) } else { runs };
            let beyond = self.moved(farther, -by * run as i32, width);
            let beyond = self.build.and(of_way, beyond);
            farther = self.build.or(farther, beyond);
            done += run;
        }
        farther
    }

    /// Lowers `union e in { e where ... }: between(c, e)` for one cell that looks, as the lanes of its elements; `None`
    /// if this is no line of sight.
    pub(super) fn union_in_sight(
        &mut self,
        element: &Term,
        set: &'r Expr,
        cx: &Cx,
    ) -> Result<Option<ValueId>> {
        let ExprKind::Fold(Fold::Union, binders, body) = &*set.kind else { return Ok(None) };
        let [Binder { pattern: Pattern::Var(var), domain, condition }] = &binders[..] else {
            return Ok(None);
        };
        let ExprKind::Board(BoardFn::Between, _, args) = &*body.kind else { return Ok(None) };
        let conditions: Vec<Condition> = condition.iter().map(|c| (c, true)).collect();
        let inside: Vec<(VarId, &Expr)> = match domain {
            Range::Fixed(values) if self.whole_board(values) => Vec::new(),
            Range::Fixed(_) => return Ok(None),
            Range::Set(set) => vec![(*var, set)],
        };
        let Some(sight) = self.sight(*var, &conditions, &inside, cx) else { return Ok(None) };
        let Some(domain) = self.cells_of_board(sight.board) else { return Ok(None) };
        let Some(Some(Term::Choice(of, bit))) = cx.env.get(sight.from.0 as usize).cloned() else {
            return Ok(None);
        };
        let ends = |expr: &Expr, var: VarId| matches!(&*expr.kind, ExprKind::Var(v) if *v == var);
        let both_ends = match &args[..] {
            [a, b] => ends(a, *var) && ends(b, sight.from) || ends(a, sight.from) && ends(b, *var),
            _ => false,
        };
        // A ray is one number of a table.
        if !both_ends
            || domain.width > 64
            || of.width != domain.width
            || of.values.iter().any(|v| of.place(v) != domain.place(v))
            || !self.are_cells(element, &domain, cx)
            || cx.len() != domain.values.len()
        {
            return Ok(None);
        }
        let Some(rays) = self.rays(sight.board, &domain) else { return Ok(None) };
        let (ends, through) = self.ends_and_passages(&sight, &domain, cx)?;
        let mut found = self.build.zero(domain.width);
        for (up, table) in rays.iter() {
            let ray = self.looked_up(bit, table, domain.width);
            let stops = self.build.and_not(ray, through);
            // The cells before the end; none if there is no end. Machine code computes both without a branch.
            let (stop, _) = self.first_stop(*up, stops);
            let end = self.build.and(stop, ends);
            let (_, before) = self.first_stop(*up, end);
            let there = self.build.any(end);
            let there = self.build.spread(there, domain.width);
            let before = self.build.and(before, there);
            let run = self.build.and(ray, before);
            found = self.build.or(found, run);
        }
        for (condition, positive) in &sight.starts {
            let here = self.formula(condition, cx)?;
            found = if *positive { self.both(found, here) } else { self.unless(found, here) };
        }
        Ok(Some(found))
    }
}

/// Returns the term in which each lane is the cell at its place.
fn cells(domain: &BitDomain) -> Term {
    Term::Static(Static::each(domain.values.iter().cloned().map(Some).collect()))
}
