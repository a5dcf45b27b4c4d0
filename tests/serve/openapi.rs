//! The answers against their description in OpenAPI: each has the described form, and each described address is there.

use jsonschema::Validator;
use serde_json::{Value, json};

use crate::server::Server;

/// The description, as the server gives it.
fn description(server: &Server) -> Value {
    server.json("/api/openapi.json")
}

/// The validator of a named schema of the description.
fn validator(description: &Value, name: &str) -> Validator {
    let schema =
        json!({ "$ref": format!("#/components/schemas/{name}"), "components": description["components"] });
    jsonschema::validator_for(&schema).unwrap_or_else(|why| panic!("{name}: {why}"))
}

/// Returns the reasons why a value does not have the form of a schema.
fn faults(description: &Value, name: &str, value: &Value) -> Vec<String> {
    validator(description, name)
        .iter_errors(value)
        .map(|fault| format!("{}: {fault}", fault.instance_path()))
        .collect()
}

/// The name of the schema of an address's answer; `None` if the answer is no JSON.
fn schema_of(description: &Value, path: &str, status: u16) -> Option<String> {
    let part = path.split('?').next().expect("a path");
    let parts: Vec<&str> = part.trim_start_matches("/api/").split('/').collect();
    let address = match parts[..] {
        ["games", _] => "/api/games/{id}".to_owned(),
        ["games", _, answer] => format!("/api/games/{{id}}/{answer}"),
        _ => part.to_owned(),
    };
    let methods = &description["paths"][&address];
    let operation = methods.get("get").or(methods.get("post")).unwrap_or(&Value::Null);
    assert!(operation.is_object(), "{address} is not described");
    let status = if status == 200 { "200" } else { "default" };
    let content = &operation["responses"][status]["content"]["application/json"];
    Some(content["schema"]["$ref"].as_str()?.rsplit('/').next()?.to_owned())
}

#[test]
fn answers_have_the_described_form() {
    let server = Server::start("games");
    let description = description(&server);
    for path in [
        "/api/games",
        "/api/templates",
        "/api/games/nothing/rules",
        "/api/games/chess",
        "/api/games/tictactoe/position?p=b2",
        "/api/games/tictactoe/position?p=a1&p=b1&p=a2&p=b2&p=a3",
        "/api/games/pig/position?p=roll",
        "/api/games/nim/position",
        "/api/games/battleship/position?as=Shooter",
        "/api/games/rock_paper_scissors/position",
        "/api/games/tictactoe/reply?p=b2&level=weak",
        "/api/games/pig/reply?p=roll&seed=7",
        "/api/games/tictactoe/review?p=a1&p=b1&p=c1",
        "/api/games/tictactoe/review",
        "/api/games/tictactoe/position?p=z9",
        "/api/games/tictactoe/position?x=1",
        "/api/games/nothing",
        "/api/games/nothing/values",
        "/api/games/tictactoe/lookup",
        "/api/games/tictactoe/reply?level=best",
        "/api/games/battleship/review",
    ] {
        let answer = server.get(path);
        let name = schema_of(&description, path, answer.status).expect("JSON");
        assert_eq!(name == "Refusal", answer.status != 200, "{path}: {}", answer.status);
        let value = serde_json::from_str(&answer.body).unwrap_or_else(|why| panic!("{path}: {why}"));
        assert_eq!(faults(&description, &name, &value), [""; 0], "{path}");
    }
    // A form that is not the described one is noticed.
    let position = server.json("/api/games/tictactoe/position");
    assert!(!faults(&description, "Game", &position).is_empty());
}

#[test]
fn checks_have_the_described_form() {
    let server = Server::start("games/tictactoe.bou");
    let description = description(&server);
    let text = server.get("/api/games/tictactoe/rules").body;
    let broken = text.replace("at[c] := me", "att[c] := me");
    let endless = "game \"E\"; players A, B; state { left: 0..2 = 1; } \
                   move turn() as \"t\" { left := 2 - left; } play normal;";
    for body in [
        json!({ "text": text, "explore": 1000 }),
        json!({ "text": broken, "preset": null }),
        json!({ "text": endless, "explore": 1000 }),
        json!({ "text": text, "settings": { "n": "3" } }),
        json!({ "text": "use \"std/lines\"; use \"x\";" }),
        json!({ "text": 1 }),
        json!({ "text": text, "preset": "x" }),
    ] {
        let of_request = faults(&description, "CheckRequest", &body);
        let answer = server.post("/api/check", &body);
        assert!(of_request.is_empty() || answer.status == 400, "{body}: {of_request:?}");
        let name = if answer.status == 200 { "Check" } else { "Refusal" };
        let value = serde_json::from_str(&answer.body).unwrap_or_else(|why| panic!("{body}: {why}"));
        assert_eq!(faults(&description, name, &value), [""; 0], "{body}: {value}");
    }
}

#[test]
fn events_have_the_described_form() {
    let server = Server::start("games");
    let description = description(&server);
    for (path, last) in [
        ("/api/games/tictactoe/values?p=b2", "SolutionEvent"),
        ("/api/games/pig/values", "SolutionEvent"),
        ("/api/games/nim/values", "SolutionEvent"),
        ("/api/games/rock_paper_scissors/values", "SolutionEvent"),
        ("/api/games/tictactoe/values?p=z9", "FailureEvent"),
    ] {
        let body = server.get(path).body;
        let names = body.lines().filter_map(|line| line.strip_prefix("event: "));
        let data = body.lines().filter_map(|line| line.strip_prefix("data: "));
        let mut seen = Vec::new();
        for (name, data) in names.zip(data) {
            let schema = match name {
                "progress" => "ProgressEvent",
                "solution" => "SolutionEvent",
                "failure" => "FailureEvent",
                _ => panic!("{path}: the event `{name}` is not described"),
            };
            let value = serde_json::from_str(data).unwrap_or_else(|why| panic!("{path}: {why}"));
            assert_eq!(faults(&description, schema, &value), [""; 0], "{path}");
            seen.push(schema);
        }
        assert_eq!(seen.last(), Some(&last), "{path}");
    }
}

#[test]
fn described_addresses_are_those_of_the_server() {
    let server = Server::start("games/tictactoe.bou");
    let description = description(&server);
    for (path, methods) in description["paths"].as_object().expect("paths") {
        let answer = match methods.get("post") {
            Some(_) => server.post(path, &json!({ "text": "" })),
            None => server.get(&path.replace("{id}", "tictactoe")),
        };
        let is_there = answer.status == 200 || answer.body.contains("no table");
        assert!(is_there, "{path}: {} {}", answer.status, answer.body);
    }
    let schemas = description["components"]["schemas"].as_object().expect("schemas");
    schemas.keys().for_each(|name| drop(validator(&description, name)));
}
