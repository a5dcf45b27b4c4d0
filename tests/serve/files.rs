//! Folders of files, and a server of static files on loopback.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// A folder for the files of a test, deleted on drop.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("bouton-files-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder");
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A server of the files of a folder, on loopback, below an address with a name. It ends with the process.
pub struct FileServer {
    pub port: u16,
    /// The requested paths.
    pub requested: Arc<Mutex<Vec<String>>>,
}

impl FileServer {
    pub fn start(folder: &Path) -> FileServer {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let requested = Arc::new(Mutex::new(Vec::new()));
        let (folder, noted) = (folder.to_path_buf(), Arc::clone(&requested));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (folder, noted) = (folder.clone(), Arc::clone(&noted));
                std::thread::spawn(move || serve_file(&stream, &folder, &noted));
            }
        });
        FileServer { port, requested }
    }

    /// The address of the page.
    pub fn address(&self, query: &str) -> String {
        format!("http://127.0.0.1:{}{FOLDER}{query}", self.port)
    }
}

/// The path of the folder on its server: not the root, as on many servers of static files.
pub const FOLDER: &str = "/some/folder/";

fn serve_file(mut stream: &TcpStream, folder: &Path, noted: &Mutex<Vec<String>>) {
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let first = lines.next().unwrap_or_default();
    let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
    lines.take_while(|line| !line.is_empty()).for_each(drop);
    noted.lock().expect("no panic").push(path.clone());
    let name = path.split('?').next().and_then(|path| path.strip_prefix(FOLDER)).unwrap_or("/");
    let name = if name.is_empty() { "index.html" } else { name };
    let kind = match name.rsplit('.').next() {
        Some("html") => "text/html",
        Some("js") => "text/javascript",
        Some("css") => "text/css",
        Some("svg") => "image/svg+xml",
        Some("json") => "application/json",
        _ => "application/octet-stream",
    };
    let file = if name.contains('/') { None } else { std::fs::read(folder.join(name)).ok() };
    let (status, body) = file.map_or(("404 Not Found", Vec::new()), |body| ("200 OK", body));
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    let _ = stream.write_all(head.as_bytes());
    let _ = stream.write_all(&body);
}
