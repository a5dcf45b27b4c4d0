//! Selection of the n-th lane: the n-th one in a set.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Signature, Value, types::I64};
use cranelift_frontend::FunctionBuilder;

use super::values::{KnownWord, constant};

/// Builds the bit of the n-th lane, counted from 0, of a set that has more than n. `counts` are the population counts
/// of the words that may be nonzero.
pub(super) fn nth(
    b: &mut FunctionBuilder,
    signature: &Signature,
    set: &[KnownWord],
    counts: &[Value],
    n: Value,
) -> Vec<KnownWord> {
    let words: Vec<usize> = (0..set.len()).filter(|&i| set[i].maybe != 0).collect();
    let mut bit = vec![constant(b, 0); set.len()];
    if let [i] = words[..] {
        bit[i] = KnownWord { value: nth_of_word(b, signature, set[i].value, n), maybe: set[i].maybe };
        return bit;
    }
    // The lane is in the word where the rest is below the count. In earlier words the rest is larger; in later ones it
    // is negative, which is a larger unsigned number still.
    let zero = b.ins().iconst(I64, 0);
    let (mut word, mut place, mut rest) = (zero, zero, n);
    let mut inside = Vec::new();
    for (&i, &count) in words.iter().zip(counts) {
        let here = b.ins().icmp(IntCC::UnsignedLessThan, rest, count);
        word = b.ins().select(here, set[i].value, word);
        place = b.ins().select(here, rest, place);
        rest = b.ins().isub(rest, count);
        inside.push(here);
    }
    let one = nth_of_word(b, signature, word, place);
    for (&i, here) in words.iter().zip(inside) {
        bit[i] = KnownWord { value: b.ins().select(here, one, zero), maybe: set[i].maybe };
    }
    bit
}

fn nth_of_word(b: &mut FunctionBuilder, signature: &Signature, word: Value, n: Value) -> Value {
    let address = b.ins().iconst(I64, nth_bit_fn() as usize as i64);
    let signature = b.import_signature(signature.clone());
    let call = b.ins().call_indirect(signature, address, &[word, n]);
    b.inst_results(call)[0]
}

type NthBitFn = extern "C" fn(u64, u64) -> u64;

/// Returns the function that finds a bit: one instruction, if the processor has it.
fn nth_bit_fn() -> NthBitFn {
    #[cfg(target_arch = "x86_64")]
    if std::is_x86_feature_detected!("bmi2") {
        return nth_bit_by_pdep;
    }
    nth_bit_by_clearing
}

#[cfg(target_arch = "x86_64")]
extern "C" fn nth_bit_by_pdep(word: u64, n: u64) -> u64 {
    #[target_feature(enable = "bmi2")]
    fn pdep(word: u64, n: u64) -> u64 {
        std::arch::x86_64::_pdep_u64(1 << (n % 64), word)
    }
    // SAFETY: `nth_bit_fn` has checked that the processor supports the instruction.
    unsafe { pdep(word, n) }
}

/// Clears the lowest ones, one by one.
extern "C" fn nth_bit_by_clearing(mut word: u64, n: u64) -> u64 {
    for _ in 0..n {
        word &= word.wrapping_sub(1);
    }
    word & word.wrapping_neg()
}
