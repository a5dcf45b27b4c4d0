//! The files of the explorer's page, for the server and for the playground.

use bouton_report::page;

/// A file of the page.
pub struct Asset {
    /// The name of the file within the folder of the page.
    pub name: &'static str,
    /// The type of its contents.
    pub kind: &'static str,
    pub text: String,
}

impl Asset {
    /// The address of the file on the server.
    pub fn address(&self) -> String {
        format!("/{}", self.name.trim_end_matches(INDEX))
    }
}

/// The page itself, whose address is that of the folder.
const INDEX: &str = "index.html";
const SCRIPT: &str = "text/javascript; charset=utf-8";

/// The scripts of the page that the server and the playground share.
const SCRIPTS: [(&str, &str); 9] = [
    ("page.js", include_str!("serve/assets/page.js")),
    ("address.js", include_str!("serve/assets/address.js")),
    ("gallery.js", include_str!("serve/assets/gallery.js")),
    ("game.js", include_str!("serve/assets/game.js")),
    ("editor.js", include_str!("serve/assets/editor.js")),
    ("prose.js", include_str!("serve/assets/prose.js")),
    ("share.js", include_str!("serve/assets/share.js")),
    ("codemirror.js", include_str!("serve/assets/codemirror.js")),
    ("board.js", page::BOARD_SCRIPT),
];

/// The files that the server and the playground share.
fn shared() -> Vec<Asset> {
    let style = [page::STYLE, page::BOARD_STYLE, include_str!("serve/assets/page.css")].join("\n");
    let icon = include_str!("serve/assets/icon.svg").to_owned();
    let mut all: Vec<Asset> = SCRIPTS.map(|(name, text)| script(name, text)).into();
    all.push(Asset { name: "page.css", kind: "text/css; charset=utf-8", text: style });
    all.push(Asset { name: "icon.svg", kind: "image/svg+xml", text: icon });
    all
}

fn script(name: &'static str, text: &str) -> Asset {
    Asset { name, kind: SCRIPT, text: text.to_owned() }
}

fn index(text: String) -> Asset {
    Asset { name: INDEX, kind: "text/html; charset=utf-8", text }
}

/// The files of the server's page. Its requests go to the server.
pub fn of_server() -> Vec<Asset> {
    let mut all = shared();
    all.push(index(include_str!("serve/assets/page.html").to_owned()));
    all.push(script("server.js", include_str!("serve/assets/server.js")));
    all
}

/// The name of the module of WebAssembly in the playground's folder.
pub const MODULE_FILE: &str = "bouton.wasm";

/// The content policy of the playground's page, which may load from its folder alone. Its server sends none.
const PLAYGROUND_POLICY: &str = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
     script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; connect-src 'self'; \
     img-src 'self'; base-uri 'none'; form-action 'none'\">\n";

/// The files of the playground's page but the module. Its requests go to the module, which has these games.
pub fn of_playground(games: &serde_json::Value) -> Vec<Asset> {
    let page = include_str!("serve/assets/page.html");
    let at = page.find("<title>").unwrap_or(0);
    let mut all = shared();
    all.push(index([&page[..at], PLAYGROUND_POLICY, &page[at..]].concat()));
    all.push(script("server.js", include_str!("playground/server.js")));
    all.push(script("worker.js", include_str!("playground/worker.js")));
    all.push(script("module.js", include_str!("playground/module.js")));
    all.push(Asset { name: "games.json", kind: "application/json", text: games.to_string() });
    all
}
