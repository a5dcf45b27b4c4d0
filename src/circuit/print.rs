//! Prints circuits as text, complete and readable; [`parse`](super::parse) parses it.
//!
//! ```text
//! words 1
//! slot s0 "stones" 0:0 bits<9> 0x1ff          # its name, its word and bit, its width, the bits that may be 1
//!
//! v0: bits<9> = slot s0
//! v1: bits<9> = not v0
//! v2: bits<9> = param 0
//! v3: bits<9> = or v0, v2
//! v4: bits<1> = bits 0x1
//! v5: int = int -1
//!
//! control k0 "to move" mover 0 {
//!   group g0 {                                # or: group g0 pass {
//!     lets {
//!       let v0, v1
//!     }
//!     set v1 bit v2
//!     body {
//!       let v3
//!       yield k0 with s0 = v3
//!     }
//!   }
//!   stuck {
//!     over v4 ending 0 scores v5              # or: over v4 unless_stuck dead_after_move ending 0
//!   }
//! }
//!
//! initial k0 0x0
//! ```
//!
//! The other statements are `require v1`, `fault v1`, `if v1 { … } else { … }` and `fix x0 { … }`. A fixpoint itself is
//! `fix x0 { v4 from v1 to v7 }` beside the controls, a line for each variable. Empty parts are omitted.

use std::fmt::{self, Display, Write};

use super::{Circuit, Control, GroupId, Op, StateUpdate, Stmt, StmtBlock, TerminalTest, Ty, ValueId};

/// The column at which a list of `let`s starts a new line.
const WRAP_COLUMN: usize = 100;

/// A constructor of an operation from its operands.
type MakeOp<const N: usize> = fn([ValueId; N]) -> Op;

/// The names and constructors of the operations that have operands and no other data.
pub(super) const UNARY: &[(&str, MakeOp<1>)] = &[
    ("not", |[a]| Op::Not(a)),
    ("resize", |[a]| Op::Resize(a)),
    ("spread", |[a]| Op::Spread(a)),
    ("any", |[a]| Op::Any(a)),
    ("count", |[a]| Op::Count(a)),
    ("first", |[a]| Op::First(a)),
    ("lowest", |[a]| Op::Lowest(a)),
    ("highest", |[a]| Op::Highest(a)),
    ("below", |[a]| Op::Below(a)),
    ("above", |[a]| Op::Above(a)),
    ("one_hot", |[a]| Op::OneHot(a)),
    ("pack", |[a]| Op::Pack(a)),
    ("unpack", |[a]| Op::Unpack(a)),
];

/// The same for two operands; see [`UNARY`].
pub(super) const BINARY: &[(&str, MakeOp<2>)] = &[
    ("and", |[a, b]| Op::And(a, b)),
    ("or", |[a, b]| Op::Or(a, b)),
    ("xor", |[a, b]| Op::Xor(a, b)),
    ("and_not", |[a, b]| Op::AndNot(a, b)),
    ("add", |[a, b]| Op::Add(a, b)),
    ("sub", |[a, b]| Op::Sub(a, b)),
    ("mul", |[a, b]| Op::Mul(a, b)),
    ("div", |[a, b]| Op::Div(a, b)),
    ("mod", |[a, b]| Op::Mod(a, b)),
    ("min", |[a, b]| Op::Min(a, b)),
    ("max", |[a, b]| Op::Max(a, b)),
    ("less", |[a, b]| Op::Less(a, b)),
    ("equal", |[a, b]| Op::Equal(a, b)),
];

/// The same for three operands; see [`UNARY`].
pub(super) const TERNARY: &[(&str, MakeOp<3>)] = &[("select", |[a, b, c]| Op::Select(a, b, c))];

impl Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ty::Bits(width) => write!(f, "bits<{width}>"),
            Ty::Int => f.write_str("int"),
        }
    }
}

pub fn print(circuit: &Circuit) -> String {
    let mut printer = CircuitPrinter { text: String::new(), depth: 0 };
    printer.circuit(circuit);
    printer.text
}

struct CircuitPrinter {
    text: String,
    depth: usize,
}

impl CircuitPrinter {
    fn line(&mut self, line: impl Display) {
        // Writing to a string never fails.
        let _ = writeln!(self.text, "{:indent$}{line}", "", indent = 2 * self.depth);
    }

    fn gap(&mut self) {
        self.text.push('\n');
    }

    fn braces(&mut self, head: impl Display, inside: impl FnOnce(&mut CircuitPrinter)) {
        self.line(format_args!("{head} {{"));
        self.inside(inside);
        self.line("}");
    }

    fn inside(&mut self, inside: impl FnOnce(&mut CircuitPrinter)) {
        self.depth += 1;
        inside(self);
        self.depth -= 1;
    }

    /// Prints a block with its name, unless it is empty.
    fn block(&mut self, name: impl Display, block: &StmtBlock) {
        if !block.stmts.is_empty() {
            self.braces(name, |p| p.stmts(block));
        }
    }

    fn circuit(&mut self, circuit: &Circuit) {
        self.line(format_args!("words {}", circuit.layout.words));
        for (id, slot) in circuit.layout.slots.entries() {
            let (ty, maybe) = (Ty::Bits(slot.width()), &slot.maybe);
            self.line(format_args!(
                "slot {id} {} {}:{} {ty} {maybe:?}",
                quoted(&slot.name),
                slot.word,
                slot.bit
            ));
        }
        for stacking in &circuit.stackings {
            let (slots, step, places) = (list(&stacking.slots), stacking.step, &stacking.places);
            let ty = Ty::Bits(places.len());
            self.line(format_args!("stacking {slots} by {step} in {ty} {places:?}"));
        }
        self.gap();
        for (id, node) in circuit.values.entries() {
            self.line(format_args!("{id}: {} = {}", node.ty, operation(&node.op)));
        }
        for (id, fix) in circuit.fixes.entries() {
            self.gap();
            self.braces(format_args!("fix {id}"), |p| {
                for (&(var, first), next) in fix.vars.iter().zip(&fix.next) {
                    p.line(format_args!("{var} from {first} to {next}"));
                }
            });
        }
        for (id, control) in circuit.controls.entries() {
            self.gap();
            let holds: Vec<String> = control
                .constant_slots
                .iter()
                .map(|(slot, bits)| format!("{slot} = bits<{}> {bits:?}", bits.len()))
                .collect();
            let holds = if holds.is_empty() { String::new() } else { format!(" holds {}", holds.join(", ")) };
            let chance = if control.chance { " chance" } else { "" };
            let head =
                format!("control {id} {} mover {}{chance}{holds}", quoted(&control.name), control.mover);
            self.braces(head, |p| p.control(circuit, control));
        }
        self.gap();
        let words: Vec<String> = circuit.initial.words.iter().map(|word| format!("{word:#x}")).collect();
        self.line(format!("initial {} {}", circuit.initial.control, words.join(", ")).trim_end());
    }

    fn control(&mut self, circuit: &Circuit, control: &Control) {
        self.block("before", &control.before);
        for &group in &control.groups {
            self.group(circuit, group);
        }
        self.block("stuck", &control.stuck);
    }

    fn group(&mut self, circuit: &Circuit, id: GroupId) {
        let group = &circuit.groups[id];
        self.braces(format_args!("group {id}{}", if group.pass { " pass" } else { "" }), |p| {
            p.block("lets", &group.lets);
            p.line(format_args!("set {} bit {}", group.set, group.bit));
            p.block("setup", &group.setup);
            p.block("body", &group.body);
        });
    }

    fn stmts(&mut self, block: &StmtBlock) {
        let mut lets = String::new();
        for (i, stmt) in block.stmts.iter().enumerate() {
            let Stmt::Let(value) = stmt else {
                self.stmt(stmt);
                continue;
            };
            lets = if lets.is_empty() { format!("let {value}") } else { format!("{lets}, {value}") };
            let more = matches!(block.stmts.get(i + 1), Some(Stmt::Let(_)));
            if !more || 2 * self.depth + lets.len() > WRAP_COLUMN {
                self.line(std::mem::take(&mut lets));
            }
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Let(value) => self.line(format_args!("let {value}")),
            Stmt::Fix(fix, rounds) => self.braces(format_args!("fix {fix}"), |p| p.stmts(rounds)),
            Stmt::Over(over) => self.line(end(over)),
            Stmt::If(when, yes, no) => {
                self.line(format_args!("if {when} {{"));
                self.inside(|p| p.stmts(yes));
                if !no.stmts.is_empty() {
                    self.line("} else {");
                    self.inside(|p| p.stmts(no));
                }
                self.line("}");
            }
            Stmt::Require(value) => self.line(format_args!("require {value}")),
            Stmt::Fault(value) => self.line(format_args!("fault {value}")),
            Stmt::Yield(after) => self.line(position_after(after)),
        }
    }
}

fn end(over: &TerminalTest) -> String {
    let unless_stuck = if over.unless_stuck { " unless_stuck" } else { "" };
    let dead = if over.dead_after_move { " dead_after_move" } else { "" };
    let scores =
        if over.scores.is_empty() { String::new() } else { format!(" scores {}", list(&over.scores)) };
    format!("over {}{unless_stuck}{dead} ending {}{scores}", over.when, over.ending)
}

fn position_after(after: &StateUpdate) -> String {
    let slots: Vec<String> = after.slots.iter().map(|(slot, value)| format!("{slot} = {value}")).collect();
    let with = if slots.is_empty() { "" } else { " with " };
    let weight = after.weight.map_or(String::new(), |weight| format!(" weight {weight}"));
    format!("yield {}{weight}{with}{}", after.to, slots.join(", "))
}

fn operation(op: &Op) -> String {
    match op {
        Op::Bits(bits) => format!("bits {bits:?}"),
        Op::Int(n) => format!("int {n}"),
        Op::Slot(slot) => format!("slot {slot}"),
        Op::Param(number) => format!("param {number}"),
        Op::Fixed(fix, i) => format!("fixed {fix}, {i}"),
        Op::Shift(a, by) => format!("shift {a}, {by}"),
        Op::Lookup(a, table) => format!("lookup {a}, [{}]", list(table)),
        _ => {
            let mut operands = Vec::new();
            op.each_operand(|operand| operands.push(operand));
            format!("{} {}", name(op, &operands), list(&operands))
        }
    }
}

fn name(op: &Op, operands: &[ValueId]) -> &'static str {
    fn find<const N: usize>(
        table: &'static [(&'static str, MakeOp<N>)],
        op: &Op,
        operands: [ValueId; N],
    ) -> Option<&'static str> {
        table.iter().find(|(_, make)| make(operands) == *op).map(|&(name, _)| name)
    }
    let name = match *operands {
        [a] => find(UNARY, op, [a]),
        [a, b] => find(BINARY, op, [a, b]),
        [a, b, c] => find(TERNARY, op, [a, b, c]),
        _ => None,
    };
    name.expect("every operation is in its table")
}

fn list<T: Display>(items: &[T]) -> String {
    items.iter().map(T::to_string).collect::<Vec<_>>().join(", ")
}

/// Puts a name in quotes.
fn quoted(name: &str) -> String {
    let mut text = String::from("\"");
    for c in name.chars() {
        match c {
            '"' | '\\' => text.extend(['\\', c]),
            '\n' => text.push_str("\\n"),
            c => text.push(c),
        }
    }
    text.push('"');
    text
}
