//! The guard before all handlers: requests for another host, from another site, or with a body are refused, so that no
//! page of another site can use the server of this machine. One address takes a body, of limited length and in JSON, which
//! pages of other sites cannot send without asking. All answers have a strict content policy.

use axum::extract::{Request, State};
use axum::http::Method;
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::router::Refused;
use bouton::explorer::check::MAX_BODY_BYTES;
use bouton::explorer::refusal::Refusal;

/// The address that takes a body.
pub const CHECK_ADDRESS: &str = "/api/check";

/// The headers of all answers. The page may load from this server alone, and no other page may show it.
const HEADERS: [(HeaderName, &str); 6] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; \
         base-uri 'none'; \
         form-action 'none'; frame-ancestors 'none'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::CACHE_CONTROL, "no-store"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// The type of a body.
const JSON: &str = "application/json";

/// Refuses what is not a request of this server's own page or of a program on this machine.
pub async fn guard(State(port): State<u16>, request: Request, next: Next) -> Response {
    let max_bytes = match request.method() == Method::POST && request.uri().path() == CHECK_ADDRESS {
        true => MAX_BODY_BYTES as u64,
        false => 0,
    };
    let mut response = match refusal(request.headers(), port, max_bytes) {
        Some(refusal) => Refused(refusal).into_response(),
        None => next.run(request).await,
    };
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// The reason to refuse a request by its headers; `max_bytes` is the limit of its body.
fn refusal(headers: &HeaderMap, port: u16, max_bytes: u64) -> Option<Refusal> {
    let text = |name: HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    let is_own = |host: &str| ["127.0.0.1", "localhost"].iter().any(|own| host == format!("{own}:{port}"));
    // A name that an attacker's domain server points at this machine is another host.
    if !text(header::HOST).is_some_and(is_own) {
        return Some(Refusal::new(421, "this server has another name"));
    }
    let is_own_origin = |origin: &str| origin.strip_prefix("http://").is_some_and(is_own);
    if text(header::ORIGIN).is_some_and(|origin| !is_own_origin(origin)) {
        return Some(Refusal::new(403, "requests from other sites are refused"));
    }
    let length = text(header::CONTENT_LENGTH).map_or(Some(0), |length| length.parse::<u64>().ok());
    let fits = length.is_some_and(|length| length <= max_bytes);
    if !fits || headers.contains_key(header::TRANSFER_ENCODING) {
        let why = match max_bytes {
            0 => "no request to this address has a body".to_owned(),
            _ => format!("a request has a length, of at most {max_bytes} bytes"),
        };
        return Some(Refusal::too_large(why));
    }
    let is_json = text(header::CONTENT_TYPE).is_some_and(|kind| kind.split(';').next() == Some(JSON));
    if max_bytes > 0 && !is_json {
        return Some(Refusal::new(415, format!("a request is {JSON}")));
    }
    None
}
