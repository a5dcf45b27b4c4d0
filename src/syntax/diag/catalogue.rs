//! The catalogue of diagnostic codes, with a page for each (`bouton explain CODE`).

use super::Severity;

/// A code of the catalogue, such as `E0101`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Code(&'static str);

impl Code {
    /// The code as text, such as `E0101`.
    pub fn name(self) -> &'static str {
        self.0
    }

    /// The severity, from the first letter: E error, W warning, N note.
    pub fn severity(self) -> Severity {
        match self.0.as_bytes()[0] {
            b'E' => Severity::Error,
            b'W' => Severity::Warning,
            _ => Severity::Note,
        }
    }

    /// Finds a code by name, ignoring case.
    pub fn find(name: &str) -> Option<Code> {
        CODES.iter().find(|(code, _)| code.0.eq_ignore_ascii_case(name)).map(|&(code, _)| code)
    }
}

impl std::fmt::Debug for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

/// The page of a code: its meaning, a wrong example, a right one.
pub fn explain(code: Code) -> &'static str {
    CODES.iter().find(|&&(c, _)| c == code).map_or("", |&(_, page)| page)
}

macro_rules! catalogue {
    ($($code:ident)*) => {
        impl Code {
            $(#[doc = concat!("See `bouton explain ", stringify!($code), "`.")]
            pub const $code: Code = Code(stringify!($code));)*
        }

        /// Every code with its page, in order.
        pub const CODES: &[(Code, &str)] = &[
            $((Code::$code, include_str!(concat!("explain/", stringify!($code), ".md"))),)*
        ];
    };
}

catalogue! {
    E0001 E0002 E0003 E0004 E0005 E0006 E0007 E0008 E0009 E0010 E0011 E0012 E0013
    E0101 E0102 E0103 E0104 E0105 E0106 E0107 E0108 E0109 W0110 W0111 W0112 W0120 W0121 W0122 W0123 W0124 W0125 W0126
    E0201 E0202 E0203 E0210 E0211 E0212 E0220 W0221 E0230 E0231
    E0301 E0303 E0304 E0305 E0310 E0311 W0312 W0313 W0314 E0320 E0321 E0322 E0323 E0324 W0325 E0330 W0340 W0341 W0342 W0343 W0410
    E0401 W0402 E0403 E0404 W0420
    E0501 E0502 E0503 E0504 E0505 E0506 E0507 E0520 W0530 W0531 W0532 W0533 W0534 W0535 W0536 W0540 W0541
    E0601 E0602 E0603 N0604
    E0701 E0702 E0703 E0704 E0705 E0706 E0707 E0708 E0709 W0710 W0711 E0712 E0713 W0714 W0715
}
