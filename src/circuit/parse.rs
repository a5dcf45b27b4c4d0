//! The parser of the circuit text that [`print`](super::print) writes.
//!
//! *Invariant:* the parser checks the syntax only; the [verifier](super::verify) checks that the result is a valid
//! circuit. Ids are in order and without gaps, except those of groups, which may come in any order.

use std::fmt::Display;
use std::sync::Arc;

use super::print::{BINARY, TERNARY, UNARY};
use super::{
    Circuit, Control, Fixpoint, GroupId, Layout, MoveGroup, Op, Position, Slot, Stacking, StateUpdate, Stmt,
    StmtBlock, TerminalTest, Ty, ValueId, ValueNode,
};
use bouton_base::bits::{BitSet, words_for};
use bouton_base::id::{Id, IdVec};

/// A syntax error in a circuit text.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct CircuitParseError {
    /// The line, counted from 1.
    pub line: u32,
    pub message: String,
}

type Result<T> = std::result::Result<T, CircuitParseError>;

/// Parses a circuit. The caller verifies the result.
pub fn parse(text: &str) -> Result<Circuit> {
    let mut reader = CircuitParser { tokens: tokens(text)?, at: 0 };
    reader.circuit()
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum CircuitToken {
    /// A keyword or an id.
    Word(String),
    /// A number as written.
    Number(String),
    /// A name without its quotes.
    Name(String),
    /// A punctuation character.
    Punct(char),
    End,
}

impl Display for CircuitToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            CircuitToken::Word(text) | CircuitToken::Number(text) => write!(f, "`{text}`"),
            CircuitToken::Name(name) => write!(f, "{name:?}"),
            CircuitToken::Punct(sign) => write!(f, "`{sign}`"),
            CircuitToken::End => f.write_str("the end"),
        }
    }
}

/// Splits a text into tokens with their lines; the last token is [`Token::End`].
fn tokens(text: &str) -> Result<Vec<(CircuitToken, u32)>> {
    let mut tokens = Vec::new();
    let mut last = 1;
    for (line, number) in text.lines().zip(1..) {
        last = number;
        let mut chars = line.chars().peekable();
        while let Some(&c) = chars.peek() {
            let token = match c {
                '#' => break,
                c if c.is_whitespace() => {
                    chars.next();
                    continue;
                }
                '"' => {
                    chars.next();
                    CircuitToken::Name(unquoted(&mut chars).ok_or_else(|| CircuitParseError {
                        line: number,
                        message: "a name without its second quote".into(),
                    })?)
                }
                c if c.is_alphanumeric() || c == '-' || c == '_' => {
                    let mut word = String::from(c);
                    chars.next();
                    while let Some(c) = chars.next_if(|c| c.is_alphanumeric() || *c == '_') {
                        word.push(c);
                    }
                    if c.is_ascii_digit() || c == '-' {
                        CircuitToken::Number(word)
                    } else {
                        CircuitToken::Word(word)
                    }
                }
                sign => {
                    chars.next();
                    CircuitToken::Punct(sign)
                }
            };
            tokens.push((token, number));
        }
    }
    tokens.push((CircuitToken::End, last));
    Ok(tokens)
}

/// Reads the rest of a quoted name; `None` if its second quote is missing.
fn unquoted(chars: &mut impl Iterator<Item = char>) -> Option<String> {
    let mut name = String::new();
    loop {
        match chars.next()? {
            '"' => return Some(name),
            '\\' => match chars.next()? {
                'n' => name.push('\n'),
                c => name.push(c),
            },
            c => name.push(c),
        }
    }
}

struct CircuitParser {
    tokens: Vec<(CircuitToken, u32)>,
    at: usize,
}

impl CircuitParser {
    fn circuit(&mut self) -> Result<Circuit> {
        let mut layout = Layout::default();
        let mut values = IdVec::new();
        let mut stackings = Vec::new();
        let mut fixes = IdVec::new();
        let mut controls = IdVec::new();
        let mut groups = Vec::new();
        self.word("words")?;
        layout.words = self.number()?;
        loop {
            let CircuitToken::Word(word) = self.peek() else { return Err(self.unexpected("an item")) };
            match word.as_str() {
                "slot" => {
                    self.next();
                    self.next_id(&layout.slots)?;
                    let slot = self.slot()?;
                    layout.slots.push(slot);
                }
                "stacking" => {
                    self.next();
                    stackings.push(self.stacking()?);
                }
                "fix" => {
                    self.next();
                    self.next_id(&fixes)?;
                    fixes.push(self.fixpoint()?);
                }
                "control" => {
                    self.next();
                    self.next_id(&controls)?;
                    controls.push(self.control(&mut groups)?);
                }
                "initial" => break,
                _ => {
                    self.next_id(&values)?;
                    values.push(self.value()?);
                }
            }
        }
        self.next();
        let initial = self.position()?;
        if *self.peek() != CircuitToken::End {
            return Err(self.unexpected("the end"));
        }
        Ok(Circuit { layout, values, fixes, controls, groups: self.in_order(groups)?, stackings, initial })
    }

    fn stacking(&mut self) -> Result<Stacking> {
        let slots = self.list(CircuitParser::id)?;
        self.word("by")?;
        let step = self.number()?;
        self.word("in")?;
        let Ty::Bits(width) = self.ty()? else { return Err(self.error("places are bits")) };
        Ok(Stacking { slots, places: self.bits(width)?, step })
    }

    fn slot(&mut self) -> Result<Slot> {
        let name = self.name()?;
        let word = self.number()?;
        self.sign(':')?;
        let bit = self.number()?;
        let width = match self.ty()? {
            Ty::Bits(width) => width,
            Ty::Int => return Err(self.error("a slot has bits")),
        };
        Ok(Slot { name, word, bit, maybe: self.bits(width)? })
    }

    fn value(&mut self) -> Result<ValueNode> {
        self.sign(':')?;
        let ty = self.ty()?;
        self.sign('=')?;
        let name = self.any_word()?;
        Ok(ValueNode { op: self.op(&name, ty)?, ty })
    }

    fn op(&mut self, name: &str, ty: Ty) -> Result<Op> {
        let find = |of: &str| of == name;
        if let Some((_, make)) = UNARY.iter().find(|(of, _)| find(of)) {
            return Ok(make(self.operands()?));
        }
        if let Some((_, make)) = BINARY.iter().find(|(of, _)| find(of)) {
            return Ok(make(self.operands()?));
        }
        if let Some((_, make)) = TERNARY.iter().find(|(of, _)| find(of)) {
            return Ok(make(self.operands()?));
        }
        Ok(match name {
            "bits" => match ty {
                Ty::Bits(width) => Op::Bits(self.bits(width)?),
                Ty::Int => return Err(self.error("bits are no int")),
            },
            "int" => Op::Int(self.number()?),
            "slot" => Op::Slot(self.id()?),
            "param" => Op::Param(self.number()?),
            "fixed" => {
                let fix = self.id()?;
                self.sign(',')?;
                Op::Fixed(fix, self.number()?)
            }
            "shift" => {
                let a = self.id()?;
                self.sign(',')?;
                Op::Shift(a, self.number()?)
            }
            "lookup" => {
                let a = self.id()?;
                self.sign(',')?;
                self.sign('[')?;
                let empty = *self.peek() == CircuitToken::Punct(']');
                let table = if empty { Vec::new() } else { self.list(CircuitParser::number)? };
                self.sign(']')?;
                Op::Lookup(a, Arc::from(table))
            }
            _ => {
                self.at -= 1;
                return Err(self.error(format!("there is no operation `{name}`")));
            }
        })
    }

    fn operands<const N: usize>(&mut self) -> Result<[ValueId; N]> {
        let mut operands = [ValueId(0); N];
        for (i, operand) in operands.iter_mut().enumerate() {
            if i > 0 {
                self.sign(',')?;
            }
            *operand = self.id()?;
        }
        Ok(operands)
    }

    fn fixpoint(&mut self) -> Result<Fixpoint> {
        let mut fix = Fixpoint { vars: Vec::new(), next: Vec::new() };
        self.sign('{')?;
        while !self.skip(&CircuitToken::Punct('}')) {
            let var = self.id()?;
            self.word("from")?;
            fix.vars.push((var, self.id()?));
            self.word("to")?;
            fix.next.push(self.id()?);
        }
        Ok(fix)
    }

    fn control(&mut self, groups: &mut Vec<(GroupId, MoveGroup)>) -> Result<Control> {
        let name = self.name()?;
        self.word("mover")?;
        let mover = self.number()?;
        let chance = self.skip(&CircuitToken::Word("chance".into()));
        let holds = if self.skip(&CircuitToken::Word("holds".into())) {
            self.list(CircuitParser::held)?
        } else {
            Vec::new()
        };
        self.sign('{')?;
        let before = self.block("before")?;
        let mut own = Vec::new();
        while self.skip(&CircuitToken::Word("group".into())) {
            let id = self.id()?;
            own.push(id);
            groups.push((id, self.group()?));
        }
        let stuck = self.block("stuck")?;
        self.sign('}')?;
        Ok(Control { name, mover, chance, constant_slots: holds, before, groups: own, stuck })
    }

    fn held(&mut self) -> Result<(super::SlotId, BitSet)> {
        let slot = self.id()?;
        self.sign('=')?;
        let Ty::Bits(width) = self.ty()? else { return Err(self.error("a slot holds bits")) };
        Ok((slot, self.bits(width)?))
    }

    fn group(&mut self) -> Result<MoveGroup> {
        let pass = self.skip(&CircuitToken::Word("pass".into()));
        self.sign('{')?;
        let lets = self.block("lets")?;
        self.word("set")?;
        let set = self.id()?;
        self.word("bit")?;
        let bit = self.id()?;
        let setup = self.block("setup")?;
        let body = self.block("body")?;
        self.sign('}')?;
        Ok(MoveGroup { lets, set, bit, pass, setup, body })
    }

    /// Sorts the groups by their ids, which must have no gaps.
    fn in_order(&self, mut groups: Vec<(GroupId, MoveGroup)>) -> Result<IdVec<GroupId, MoveGroup>> {
        groups.sort_by_key(|&(id, _)| id);
        let wrong = groups.iter().zip(0..).find(|((id, _), i)| id.0 != *i);
        match wrong {
            Some(((id, _), i)) => {
                Err(self.error(format!("group {id} stands where {} is missing", GroupId(i))))
            }
            None => Ok(groups.into_iter().map(|(_, group)| group).collect()),
        }
    }

    /// Parses a block with its name; an empty block if the name is not there.
    fn block(&mut self, name: &str) -> Result<StmtBlock> {
        if self.skip(&CircuitToken::Word(name.into())) { self.braces() } else { Ok(StmtBlock::default()) }
    }

    fn braces(&mut self) -> Result<StmtBlock> {
        let mut stmts = Vec::new();
        self.sign('{')?;
        while !self.skip(&CircuitToken::Punct('}')) {
            self.stmt(&mut stmts)?;
        }
        Ok(StmtBlock { stmts })
    }

    fn stmt(&mut self, stmts: &mut Vec<Stmt>) -> Result<()> {
        let stmt = match self.any_word()?.as_str() {
            "let" => {
                stmts.extend(self.list(CircuitParser::id)?.into_iter().map(Stmt::Let));
                return Ok(());
            }
            "fix" => Stmt::Fix(self.id()?, self.braces()?),
            "over" => Stmt::Over(self.over()?),
            "if" => {
                let when = self.id()?;
                let yes = self.braces()?;
                Stmt::If(when, yes, self.block("else")?)
            }
            "require" => Stmt::Require(self.id()?),
            "fault" => Stmt::Fault(self.id()?),
            "yield" => {
                let to = self.id()?;
                let weighed = self.skip(&CircuitToken::Word("weight".into()));
                let weight = if weighed { Some(self.id()?) } else { None };
                let with = self.skip(&CircuitToken::Word("with".into()));
                let slots = if with { self.list(CircuitParser::change)? } else { Vec::new() };
                Stmt::Yield(StateUpdate { slots, to, weight })
            }
            word => {
                self.at -= 1;
                return Err(self.error(format!("there is no statement `{word}`")));
            }
        };
        stmts.push(stmt);
        Ok(())
    }

    fn over(&mut self) -> Result<TerminalTest> {
        let when = self.id()?;
        let unless_stuck = self.skip(&CircuitToken::Word("unless_stuck".into()));
        let dead_after_move = self.skip(&CircuitToken::Word("dead_after_move".into()));
        self.word("ending")?;
        let ending = self.number()?;
        let scored = self.skip(&CircuitToken::Word("scores".into()));
        let scores = if scored { self.list(CircuitParser::id)? } else { Vec::new() };
        Ok(TerminalTest { when, unless_stuck, dead_after_move, ending, scores })
    }

    fn change(&mut self) -> Result<(super::SlotId, ValueId)> {
        let slot = self.id()?;
        self.sign('=')?;
        Ok((slot, self.id()?))
    }

    fn position(&mut self) -> Result<Position> {
        let control = self.id()?;
        let none = *self.peek() == CircuitToken::End;
        let words = if none { Vec::new() } else { self.list(|reader| reader.bits(64))? };
        Ok(Position { control, words: words.iter().map(|word| word.words()[0]).collect() })
    }

    fn ty(&mut self) -> Result<Ty> {
        if self.skip(&CircuitToken::Word("int".into())) {
            return Ok(Ty::Int);
        }
        self.word("bits")?;
        self.sign('<')?;
        let width = self.number()?;
        self.sign('>')?;
        Ok(Ty::Bits(width))
    }

    /// Parses a vector of this width in hexadecimal digits.
    fn bits(&mut self, width: u32) -> Result<BitSet> {
        let CircuitToken::Number(text) = self.peek() else { return Err(self.unexpected("bits")) };
        let digits: Option<Vec<u32>> = text
            .strip_prefix("0x")
            .and_then(|t| t.chars().filter(|&c| c != '_').map(|c| c.to_digit(16)).collect());
        let Some(digits) = digits else { return Err(self.unexpected("bits in hexadecimal digits")) };
        let mut words = vec![0; words_for(width.max(4 * digits.len() as u32))];
        for (digit, i) in digits.iter().rev().zip(0..) {
            words[i / 16] |= u64::from(*digit) << (4 * (i % 16));
        }
        let bits = BitSet::from_words(64 * words.len() as u32, &words);
        if bits.iter().any(|bit| bit >= width) {
            return Err(self.error(format!("more than {width} bits")));
        }
        self.next();
        Ok(bits.resize(width))
    }

    fn list<T>(&mut self, item: impl Fn(&mut CircuitParser) -> Result<T>) -> Result<Vec<T>> {
        let mut items = vec![item(self)?];
        while self.skip(&CircuitToken::Punct(',')) {
            items.push(item(self)?);
        }
        Ok(items)
    }

    fn number<T: std::str::FromStr>(&mut self) -> Result<T> {
        let number = match self.peek() {
            CircuitToken::Number(text) => text.parse().ok(),
            _ => None,
        };
        let number = number.ok_or_else(|| self.unexpected("a number"))?;
        self.next();
        Ok(number)
    }

    fn name(&mut self) -> Result<String> {
        match self.peek().clone() {
            CircuitToken::Name(name) => {
                self.next();
                Ok(name)
            }
            _ => Err(self.unexpected("a name in quotes")),
        }
    }

    fn id<I: Id + Display>(&mut self) -> Result<I> {
        let id = match self.peek() {
            CircuitToken::Word(word) => {
                let number = word.get(1..).and_then(|digits| digits.parse::<u32>().ok());
                number.map(|number| I::new(number as usize)).filter(|id| id.to_string() == *word)
            }
            _ => None,
        };
        let id = id.ok_or_else(|| self.unexpected(&format!("an id such as {}", I::new(0))))?;
        self.next();
        Ok(id)
    }

    /// Parses the id of the next entry.
    fn next_id<I: Id + Display, T>(&mut self, entries: &IdVec<I, T>) -> Result<()> {
        let wanted = entries.next_id();
        if *self.peek() != CircuitToken::Word(wanted.to_string()) {
            return Err(self.unexpected(&wanted.to_string()));
        }
        self.next();
        Ok(())
    }

    fn any_word(&mut self) -> Result<String> {
        match self.peek().clone() {
            CircuitToken::Word(word) => {
                self.next();
                Ok(word)
            }
            _ => Err(self.unexpected("a word")),
        }
    }

    fn word(&mut self, word: &str) -> Result<()> {
        if self.skip(&CircuitToken::Word(word.into())) {
            Ok(())
        } else {
            Err(self.unexpected(&format!("`{word}`")))
        }
    }

    fn sign(&mut self, sign: char) -> Result<()> {
        if self.skip(&CircuitToken::Punct(sign)) {
            Ok(())
        } else {
            Err(self.unexpected(&format!("`{sign}`")))
        }
    }

    /// Consumes a token if it is this one.
    fn skip(&mut self, token: &CircuitToken) -> bool {
        let here = self.peek() == token;
        self.at += usize::from(here);
        here
    }

    fn peek(&self) -> &CircuitToken {
        &self.tokens[self.at].0
    }

    fn next(&mut self) {
        self.at += usize::from(*self.peek() != CircuitToken::End);
    }

    fn error(&self, what: impl Into<String>) -> CircuitParseError {
        CircuitParseError { line: self.tokens[self.at].1, message: what.into() }
    }

    fn unexpected(&self, wanted: &str) -> CircuitParseError {
        self.error(format!("{wanted} is expected, not {}", self.peek()))
    }
}

#[cfg(test)]
mod tests;
