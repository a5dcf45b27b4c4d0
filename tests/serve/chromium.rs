//! Chromium without a window, driven by the DevTools protocol over its standard pipes: messages in JSON, each ended by a
//! zero byte.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::server::PATIENCE;

/// The time between two looks at a condition that a page is to fulfil.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The time after which a condition counts as never true.
const PAGE_PATIENCE: Duration = Duration::from_secs(40);

/// Shows an element and returns the middle of it, or null if there is none. From then on events of the mouse reach that
/// element only, and only while it does not wait for the server, until `stopClicks`, which returns true if the element
/// was not clicked.
const PLACE_TO_CLICK: &str = r"selector => {
    const element = document.querySelector(selector);
    if (!element) return null;
    element.scrollIntoView({ block: 'center' });
    const kinds = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click'];
    let clicked = false;
    const keep = event => {
        const path = event.composedPath().filter(of => of instanceof Element);
        const meets = path.some(of => of.matches(selector)) && !path.some(of => of.ariaBusy === 'true');
        clicked ||= meets && event.type === 'click';
        if (event.isTrusted && !meets) {
            event.stopImmediatePropagation();
            event.preventDefault();
        }
    };
    kinds.forEach(kind => window.addEventListener(kind, keep, true));
    window.stopClicks = () => {
        kinds.forEach(kind => window.removeEventListener(kind, keep, true));
        delete window.stopClicks;
        return !clicked;
    };
    const box = element.getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 2];
}";

/// A browser with one page.
pub struct Browser {
    child: Child,
    profile: PathBuf,
    to: ChildStdin,
    from: Receiver<Value>,
    session: Option<String>,
    next: u64,
    /// The addresses that the page has requested, and the messages on its console.
    pub requests: Vec<String>,
    pub console: Vec<String>,
}

impl Browser {
    /// Starts the browser; returns `None`, and prints why, if there is none.
    pub fn start(name: &str) -> Option<Browser> {
        let named = std::env::var("BOUTON_BROWSER").ok();
        let program = named.into_iter().chain(["chromium".into(), "google-chrome".into()]).find(|name| {
            let asked =
                Command::new(name).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
            asked.is_ok_and(|status| status.success())
        });
        let Some(program) = program else {
            eprintln!("skipped: there is no chromium, so the explorer is not looked at in a browser");
            return None;
        };
        let profile = std::env::temp_dir().join(format!("bouton-explorer-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&profile).expect("a folder for the profile");
        // The browser reads messages from descriptor 3 and writes them to descriptor 4. Its sockets stand beside its
        // profile, so that they go with it.
        let mut child = Command::new("sh")
            .env("TMPDIR", &profile)
            .args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null", &program])
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--no-first-run",
                "--remote-debugging-pipe",
            ])
            .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
            .arg(format!("--user-data-dir={}", profile.display()))
            .arg("about:blank")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the browser runs");
        let to = child.stdin.take().expect("a pipe");
        let from = messages(child.stdout.take().expect("a pipe"));
        let (requests, console) = (Vec::new(), Vec::new());
        let mut browser = Browser { child, profile, to, from, session: None, next: 0, requests, console };
        let page = browser.call("Target.createTarget", json!({ "url": "about:blank" }));
        let attached = json!({ "targetId": page["targetId"], "flatten": true });
        let session =
            browser.call("Target.attachToTarget", attached)["sessionId"].as_str().map(str::to_owned);
        browser.session = Some(session.expect("a session"));
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        Some(browser)
    }

    /// Calls a method and waits for its result.
    pub fn call(&mut self, method: &str, params: Value) -> Value {
        self.try_call(method, params).unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    /// Calls a method and waits for its result, or for what the browser says against it.
    fn try_call(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        self.next += 1;
        let mut message = json!({ "id": self.next, "method": method, "params": params });
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        self.to.write_all(format!("{message}\0").as_bytes()).expect("the browser reads");
        loop {
            let answer = self.from.recv_timeout(PATIENCE);
            let answer = answer.unwrap_or_else(|why| panic!("{method}: the browser does not answer: {why}"));
            if answer["id"] == self.next {
                let error = &answer["error"];
                return if error.is_null() { Ok(answer["result"].clone()) } else { Err(error.clone()) };
            }
            self.note(&answer);
        }
    }

    /// Notes a request, or a message on the console.
    fn note(&mut self, event: &Value) {
        let params = &event["params"];
        match event["method"].as_str() {
            Some("Network.requestWillBeSent") => {
                self.requests.extend(params["request"]["url"].as_str().map(str::to_owned));
            }
            Some("Runtime.consoleAPICalled") => self.console.push(params["args"].to_string()),
            Some("Runtime.exceptionThrown") => self.console.push(params["exceptionDetails"].to_string()),
            Some("Log.entryAdded") => self.console.push(params["entry"].to_string()),
            _ => {}
        }
    }

    /// Sets the width of the screen, and light or dark colours.
    pub fn set_screen(&mut self, width: u32, is_dark: bool) {
        let is_narrow = width < 500;
        let size = json!({ "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": is_narrow });
        self.call("Emulation.setDeviceMetricsOverride", size);
        let scheme = if is_dark { "dark" } else { "light" };
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.call("Emulation.setEmulatedMedia", json!({ "features": features }));
    }

    /// Writes a picture of the upper part of the page into the folder that `BOUTON_SHOTS` names, to be looked at.
    pub fn shoot(&mut self, name: &str) {
        let Some(folder) = std::env::var_os("BOUTON_SHOTS") else { return };
        let size = self.value("[innerWidth, Math.min(document.documentElement.scrollHeight, 1200)]");
        let clip = json!({ "x": 0, "y": 0, "width": size[0], "height": size[1], "scale": 1 });
        let how = json!({ "format": "webp", "quality": 80, "captureBeyondViewport": true, "clip": clip });
        let shot = self.call("Page.captureScreenshot", how);
        let data = shot["data"].as_str().expect("a picture");
        let bytes = data_encoding::BASE64.decode(data.as_bytes()).expect("base 64");
        std::fs::write(PathBuf::from(folder).join(format!("{name}.webp")), bytes).expect("a file");
    }

    /// Opens an address.
    pub fn open(&mut self, address: &str) {
        self.call("Page.navigate", json!({ "url": address }));
    }

    /// The value of an expression on the page.
    pub fn value(&mut self, script: &str) -> Value {
        let answer = self.call("Runtime.evaluate", evaluation(script));
        assert!(answer["exceptionDetails"].is_null(), "{script}: {answer}");
        answer["result"]["value"].clone()
    }

    /// Waits until an expression on the page is true.
    pub fn wait(&mut self, script: &str) {
        let end = Instant::now() + PAGE_PATIENCE;
        // During a navigation there may be no document for a moment, or the page that is asked goes away: the script
        // then throws, or the browser refuses.
        let guarded =
            format!("(() => {{ try {{ return Boolean({script}); }} catch {{ return false; }} }})()");
        while !self
            .try_call("Runtime.evaluate", evaluation(&guarded))
            .is_ok_and(|answer| answer["result"]["value"] == json!(true))
        {
            if Instant::now() > end {
                let text = self.value("document.body.innerText");
                panic!("never true: {script}\n{text}\n{:?}", self.console);
            }
            thread::sleep(POLL_INTERVAL);
        }
    }

    /// Clicks with the mouse on the middle of the first element that a selector finds.
    ///
    /// Values that arrive draw the page anew and move what is on it, also between the look at the element's place and the
    /// click. A click that meets something else is kept from the page, and tried again.
    pub fn click(&mut self, selector: &str) {
        let end = Instant::now() + PAGE_PATIENCE;
        let place = format!("({PLACE_TO_CLICK})({selector:?})");
        loop {
            let at = self.value(&place);
            if !at.is_null() {
                for kind in ["mousePressed", "mouseReleased"] {
                    let event =
                        json!({ "type": kind, "x": at[0], "y": at[1], "button": "left", "clickCount": 1 });
                    self.call("Input.dispatchMouseEvent", event);
                }
                // Where the click leads to another page, nothing is left of this one.
                let missed = self.try_call("Runtime.evaluate", evaluation("window.stopClicks?.()"));
                if missed.is_ok_and(|answer| answer["result"]["value"] != json!(true)) {
                    return;
                }
            }
            assert!(Instant::now() < end, "{selector} cannot be clicked");
            thread::sleep(POLL_INTERVAL);
        }
    }

    /// Presses a key.
    pub fn press(&mut self, key: &str) {
        self.press_with(key, 0);
    }

    /// Presses a key with modifiers: 1 Alt, 2 Ctrl, 8 Shift, or their sum.
    pub fn press_with(&mut self, key: &str, modifiers: u32) {
        // Editors look at the number of the key as well.
        let number = match key {
            "Tab" => 9,
            "F8" => 119,
            "." => 190,
            _ => 0,
        };
        for kind in ["keyDown", "keyUp"] {
            let event = json!({
                "type": kind, "key": key, "code": key, "modifiers": modifiers, "windowsVirtualKeyCode": number,
            });
            self.call("Input.dispatchKeyEvent", event);
        }
    }
}

/// The parameters of a call that evaluates an expression on a page.
fn evaluation(script: &str) -> Value {
    json!({ "expression": script, "returnByValue": true, "awaitPromise": true })
}

/// The messages that a browser writes, as they come.
fn messages(from: ChildStdout) -> Receiver<Value> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        for message in BufReader::new(from).split(0).map_while(Result::ok) {
            let read = serde_json::from_slice(&message);
            if read.is_ok_and(|message| sender.send(message).is_err()) {
                return;
            }
        }
    });
    receiver
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        // The processes of its pages end a moment later, and write until then.
        for _ in 0..20 {
            if std::fs::remove_dir_all(&self.profile).is_ok() || !self.profile.exists() {
                break;
            }
            thread::sleep(POLL_INTERVAL);
        }
    }
}
