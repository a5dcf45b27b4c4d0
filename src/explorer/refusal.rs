//! Refusals of requests.

use serde_json::{Value as Json, json};

use crate::Error;

/// A refusal: a status of HTTP and a sentence.
#[derive(Clone, Debug)]
pub struct Refusal {
    pub status: u16,
    pub message: String,
}

impl Refusal {
    pub fn new(status: u16, message: impl Into<String>) -> Refusal {
        Refusal { status, message: message.into() }
    }

    /// The request is wrong.
    pub fn bad(message: impl Into<String>) -> Refusal {
        Refusal::new(400, message)
    }

    /// The request is well-formed, but cannot be fulfilled.
    pub fn unfit(message: impl Into<String>) -> Refusal {
        Refusal::new(422, message)
    }

    /// The request has more bytes than the limit.
    pub fn too_large(message: impl Into<String>) -> Refusal {
        Refusal::new(413, message)
    }

    /// A limit was reached.
    pub fn unavailable(message: impl Into<String>) -> Refusal {
        Refusal::new(503, message)
    }

    /// There is nothing of this name.
    pub fn missing(message: impl Into<String>) -> Refusal {
        Refusal::new(404, message)
    }

    /// The body of the answer.
    pub fn body(&self) -> Json {
        json!({ "error": self.message })
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Refusal {
        match error {
            Error::Limit { .. } => Refusal::unavailable(error.to_string()),
            _ => Refusal::unfit(error.to_string()),
        }
    }
}
