//! Integer arithmetic in Cranelift: floored division, and no traps.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value, types::I64};
use cranelift_frontend::FunctionBuilder;

use bouton_circuit::Op;

/// Builds an operation of two numbers; `by` is the second if it is constant.
pub(super) fn arithmetic(b: &mut FunctionBuilder, op: &Op, x: Value, y: Value, by: Option<i64>) -> Value {
    match op {
        Op::Add(..) => b.ins().iadd(x, y),
        Op::Sub(..) => b.ins().isub(x, y),
        Op::Mul(..) => b.ins().imul(x, y),
        Op::Min(..) => b.ins().smin(x, y),
        Op::Max(..) => b.ins().smax(x, y),
        // A shift rounds down, and a mask gives a remainder that is never negative.
        Op::Div(..)
            if let Some(n @ 1..) = by
                && n.count_ones() == 1 =>
        {
            b.ins().sshr_imm_u(x, i64::from(n.trailing_zeros()))
        }
        Op::Mod(..)
            if let Some(n @ 1..) = by
                && n.count_ones() == 1 =>
        {
            b.ins().band_imm_s(x, n - 1)
        }
        Op::Div(..) => divide(b, x, y).0,
        Op::Mod(..) => divide(b, x, y).1,
        _ => panic!("{op:?} is no arithmetic"),
    }
}

/// Builds the floored quotient and the nonnegative remainder; both 0 where the divisor is 0.
fn divide(b: &mut FunctionBuilder, x: Value, y: Value) -> (Value, Value) {
    // The divisors 0 and -1 become 1, because the processor traps on them (division by -1 may overflow).
    let after = b.ins().iadd_imm_s(y, 1);
    let special = b.ins().icmp_imm_u(IntCC::UnsignedLessThanOrEqual, after, 1);
    let one = b.ins().iconst(I64, 1);
    let divisor = b.ins().select(special, one, y);
    let quotient = b.ins().sdiv(x, divisor);
    let product = b.ins().imul(quotient, divisor);
    let rest = b.ins().isub(x, product);

    // The quotient decreases by one if there is a remainder and the signs differ.
    let signs = b.ins().bxor(rest, divisor);
    let differ = b.ins().icmp_imm_s(IntCC::SignedLessThan, signs, 0);
    let left = b.ins().icmp_imm_u(IntCC::NotEqual, rest, 0);
    let above = b.ins().band(differ, left);
    let above = b.ins().uextend(I64, above);
    let floor = b.ins().isub(quotient, above);
    let negative = b.ins().ineg(x);
    let zero = b.ins().iconst(I64, 0);
    let odd = b.ins().select(y, negative, zero);
    let floor = b.ins().select(special, odd, floor);

    let size = b.ins().iabs(divisor);
    let raised = b.ins().iadd(rest, size);
    let below = b.ins().icmp_imm_s(IntCC::SignedLessThan, rest, 0);
    let rest = b.ins().select(below, raised, rest);
    (floor, rest)
}

/// Builds the table entry at an index; 0 where there is none. `sure` means that the index is always in range.
pub(super) fn lookup(b: &mut FunctionBuilder, place: Value, table: &[i64], sure: bool) -> Value {
    if table.is_empty() {
        return b.ins().iconst(I64, 0);
    }
    if sure {
        return entry(b, place, table);
    }
    let inside = b.ins().icmp_imm_u(IntCC::UnsignedLessThan, place, table.len() as i64);
    let zero = b.ins().iconst(I64, 0);
    let place = b.ins().select(inside, place, zero);
    let entry = entry(b, place, table);
    b.ins().select(inside, entry, zero)
}

/// Builds the table entry at an index in range.
fn entry(b: &mut FunctionBuilder, place: Value, table: &[i64]) -> Value {
    // The circuit that owns the table outlives the code.
    let start = b.ins().iconst(I64, table.as_ptr() as i64);
    let offset = b.ins().ishl_imm_u(place, 3);
    let at = b.ins().iadd(start, offset);
    b.ins().load(I64, MemFlagsData::trusted().with_readonly().with_can_move(), at, 0)
}
