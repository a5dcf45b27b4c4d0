//! Lines of sight: `some e: aligned(c, e) and r(e) and all x in between(c, e): f(x)`, as discs are shut in in Othello.
//!
//! Asked of all cells `c` at once, what satisfies `r` is led against each direction through what satisfies `f`. Asked
//! of one cell, the first cell of each ray that does not satisfy `f` decides.

use std::rc::Rc;

use super::cx::{Cx, Static, Term};
use super::domain::Domain;
use super::{Lower, Result};
use crate::circuit::ValueId;
use crate::rules::board::Dir;
use crate::rules::{
    Binder, BoardFn, BoardId, Domain as Range, EnumKind, Expr, ExprKind, Fold, Pattern, Quant, Value, VarId,
};

/// A cell of a board looks along straight lines at another.
pub(super) struct Sight<'e> {
    board: BoardId,
    /// Who looks.
    from: VarId,
    /// At whom; all of these stand for it.
    to: Vec<VarId>,
    /// What is asked of the cell that is looked at.
    ends: Vec<(&'e Expr, bool)>,
    /// What is asked of the cells between them, each under its variable.
    along: Vec<(VarId, &'e Expr)>,
    /// What is asked of who looks.
    starts: Vec<(&'e Expr, bool)>,
}

/// A condition, and whether it must hold.
type Condition<'e> = (&'e Expr, bool);

impl<'r> Lower<'r> {
    /// The line of sight that conditions on a variable speak of, if they do.
    fn sight<'e>(
        &self,
        var: VarId,
        conditions: &[Condition<'e>],
        inside: &[(VarId, &'e Expr)],
        cx: &Cx,
    ) -> Option<Sight<'e>> {
        let mut to = vec![var];
        let mut open: Vec<Condition<'e>> = conditions.to_vec();
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
        let mut parts: Vec<Condition<'e>> = Vec::new();
        while let Some((condition, holds)) = open.pop() {
            match &*condition.kind {
                ExprKind::And(both) if holds => open.extend(both.iter().map(|part| (part, true))),
                ExprKind::Not(not) => open.push((not, !holds)),
                _ => parts.push((condition, holds)),
            }
        }
        // Who looks is the other end of the lines.
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
        // Without something between them there is nothing to be led along.
        if along.is_empty() || self.rules.boards[board].directions().is_empty() {
            return None;
        }
        let mentions = |expr: &Expr, of: &[VarId]| self.info(expr).vars.iter().any(|v| of.contains(v));
        let settled = |expr: &Expr, but: &[VarId]| {
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
        Some(Sight { board, from, to, ends, along, starts })
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

    fn cells_of_board(&self, board: BoardId) -> Option<Domain> {
        let (id, of) =
            self.rules.enums.entries().find(|(_, e)| matches!(e.kind, EnumKind::Cells(b) if b == board))?;
        let _ = of;
        let cells = 0..self.rules.boards[board].len() as u32;
        Some(Domain::new(self.rules, cells.map(|cell| Value::Sym(id, cell)).collect()))
    }

    /// Whether each lane is the cell at its place.
    fn are_cells(&self, term: &Term, domain: &Domain, cx: &Cx) -> bool {
        let Term::Static(of) = term else { return false };
        cx.lanes.width == domain.width
            && (0..cx.len())
                .all(|lane| of.at(lane).and_then(|v| domain.place(v)) == Some(cx.lanes.places[lane]))
    }

    /// The cells that may be looked at, and those that may lie between, as vectors over the board.
    fn seen(&mut self, sight: &Sight, domain: &Domain, cx: &Cx) -> Result<(ValueId, ValueId)> {
        let over = self.over(domain, cx);
        let cells = || Term::Static(Static::each(domain.values.iter().cloned().map(Some).collect()));
        let mut at_end = over.clone();
        at_end.env[sight.from.0 as usize] = None;
        for &to in &sight.to {
            at_end.bind(to, cells());
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
            between.bind(*x, cells());
            let here = self.formula(body, &between)?;
            through = self.both(through, here);
        }
        Ok((self.vector(&over, ends), self.vector(&over, through)))
    }

    /// `some e: ...` with something more to be asked of each pair, for all cells who look at once; none where this is
    /// no line of sight, or where what is asked in the end depends on more than the distance.
    pub(super) fn exists_in_sight(
        &mut self,
        var: VarId,
        conditions: &[Condition],
        inside: &[(VarId, &Expr)],
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
        // How near is too near for what is asked in the end.
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
                // Too near, or near enough for this and all that is farther.
                match near {
                    _ if !none && !all => return Ok(None),
                    None if all => near = Some(k),
                    Some(from) if (k >= from) != all => return Ok(None),
                    _ => {}
                }
            }
        }
        let Some(near) = near.filter(|&near| near <= 2) else { return Ok(None) };
        let (ends, through) = self.seen(&sight, &domain, cx)?;
        let over = self.over(&domain, cx);
        let mut found = self.build.zero(domain.width);
        for &dir in board.directions() {
            let ray = |c: &Value| c.as_sym().and_then(|c| board.step(c, dir));
            let look: Vec<Option<u32>> = domain
                .values
                .iter()
                .map(|value| ray(value).and_then(|next| domain.place(&domain.values[next as usize])))
                .collect();
            // What looks through one cell and more.
            let next = self.gather(&over, ends, &look);
            let mut farther = self.build.and(through, next);
            for _ in 2..longest {
                let next = self.gather(&over, farther, &look);
                let next = self.build.and(through, next);
                farther = self.build.or(farther, next);
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

    /// The cells of `union e in { e where ... }: between(c, e)` for one cell that looks, as lanes; none where this is
    /// no line of sight.
    pub(super) fn union_in_sight(&mut self, element: &Term, set: &Expr, cx: &Cx) -> Result<Option<ValueId>> {
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
        let rules = self.rules;
        let board = &rules.boards[sight.board];
        let straight = |c: u32, dir: Dir| board.ray(c, dir).iter().all(|&e| board.dir(c, e) == Some(dir));
        if !(0..board.len() as u32).all(|c| board.directions().iter().all(|&dir| straight(c, dir))) {
            return Ok(None);
        }
        let (ends, through) = self.seen(&sight, &domain, cx)?;
        let first = self.build.first(bit);
        let mut found = self.build.zero(domain.width);
        for &dir in board.directions() {
            let place = |c: u32| domain.place(&domain.values[c as usize]).unwrap_or(0);
            // By the place of who looks; the last entry is for nobody.
            let mut table = vec![0u64; domain.width as usize + 1];
            let (mut up, mut down) = (false, false);
            for c in 0..board.len() as u32 {
                for e in board.ray(c, dir) {
                    table[place(c) as usize] |= 1 << place(e);
                    up |= place(e) > place(c);
                    down |= place(e) < place(c);
                }
            }
            if up && down {
                return Ok(None);
            }
            let ray = self.build.lookup(first, table.into_iter().map(|ray| ray as i64).collect());
            let ray = self.build.pack(ray, domain.width);
            let stops = self.build.and_not(ray, through);
            let (stop, before) = if up {
                (self.build.lowest(stops), self.build.below(stops))
            } else {
                (self.build.highest(stops), self.build.above(stops))
            };
            let hit = self.build.and(stop, ends);
            let hit = self.build.any(hit);
            let hit = self.build.spread(hit, domain.width);
            let run = self.build.and(ray, before);
            let run = self.build.and(run, hit);
            found = self.build.or(found, run);
        }
        for (condition, positive) in &sight.starts {
            let here = self.formula(condition, cx)?;
            found = if *positive { self.both(found, here) } else { self.unless(found, here) };
        }
        Ok(Some(found))
    }
}
