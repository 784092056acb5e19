//! `vt pull hf:...`, from a hub of our own.

use std::collections::HashMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::thread;

use sha2::{Digest, Sha256};

use crate::common::{Models, stderr};
use crate::failure;

/// A file of the hub.
#[derive(Clone)]
struct Served {
    bytes: Vec<u8>,
    /// What the hub says its sha256 is.
    tag: String,
    /// After so many bytes each connection ends.
    cut: Option<usize>,
}

impl Served {
    fn whole(bytes: &[u8]) -> Self {
        let tag = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        Self { bytes: bytes.to_vec(), tag, cut: None }
    }
}

type Files = Arc<Mutex<HashMap<String, Served>>>;

/// A hub on this machine: large files are redirected, as a hub does it.
struct Hub {
    address: String,
    files: Files,
    /// Where each load of a file started.
    starts: Arc<Mutex<Vec<usize>>>,
}

impl Hub {
    fn new(files: &[(&str, Served)]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let files: Files = Arc::new(Mutex::new(files.iter().map(|(n, f)| ((*n).to_owned(), f.clone())).collect()));
        let starts = Arc::new(Mutex::new(Vec::new()));
        let (served, noted, base) = (Arc::clone(&files), Arc::clone(&starts), address.clone());
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                // A client that goes away is its own affair.
                let _ = answer(stream, &base, &served, &noted);
            }
        });
        Self { address, files, starts }
    }

    fn set(&self, name: &str, file: Served) {
        self.files.lock().unwrap().insert(name.to_owned(), file);
    }

    fn vt(&self, models: &Models, arguments: &[&str]) -> Command {
        let mut command = models.vt(&[]);
        command.args(arguments).env("HF_ENDPOINT", &self.address);
        for proxy in ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
            command.env_remove(proxy);
        }
        command
    }
}

fn answer(mut stream: TcpStream, base: &str, files: &Files, starts: &Mutex<Vec<usize>>) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let request = lines.next().unwrap_or_else(|| Ok(String::new()))?;
    let mut range = None;
    for line in lines {
        let line = line?.to_ascii_lowercase();
        if line.is_empty() {
            break;
        }
        range = line.strip_prefix("range: bytes=").map(str::to_owned).or(range);
    }
    let path = request.split(' ').nth(1).unwrap_or_default();
    let name = path.replace("/resolve/main/", "/").replacen("/blob", "", 1);
    let Some(file) = files.lock().unwrap().get(name.trim_start_matches('/')).cloned() else {
        return stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    };
    if path.contains("/resolve/main/") {
        let head = "HTTP/1.1 302 Found\r\nContent-Length: 0\r\nConnection: close\r\nX-Repo-Commit: c0ffee";
        return write!(stream, "{head}\r\nX-Linked-ETag: \"{}\"\r\nLocation: {base}/blob{name}\r\n\r\n", file.tag);
    }
    let range = range.unwrap_or_else(|| "0-".into());
    let (from, to) = range.split_once('-').unwrap();
    let (from, all) = (from.parse::<usize>().unwrap(), file.bytes.len());
    let to = to.parse::<usize>().map_or(all, |to| (to + 1).min(all));
    if !range.ends_with("-0") {
        starts.lock().unwrap().push(from);
    }
    let body = &file.bytes[from.min(to)..to];
    write!(stream, "HTTP/1.1 206 Partial Content\r\nConnection: close\r\nContent-Length: {}\r\n", body.len())?;
    write!(stream, "Content-Range: bytes {from}-{}/{all}\r\nETag: \"{}\"\r\n\r\n", to.saturating_sub(1), file.tag)?;
    stream.write_all(&body[..file.cut.unwrap_or(usize::MAX).min(body.len())])
}

/// All files below a folder.
fn below(folder: PathBuf) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { below(path) } else { vec![path] }).collect()
}

const NAME: &str = "some/model/tiny.gguf";

#[test]
fn a_model_is_pulled_once_and_named_everywhere() {
    let models = Models::new();
    let whole = fs::read(models.path("whole.gguf")).unwrap();
    let hub = Hub::new(&[(NAME, Served::whole(&whole))]);
    let name = format!("hf:{NAME}");
    let output = hub.vt(&models, &["pull", &name]).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let path = models.path("pulled").join("hf").join(NAME);
    assert_eq!(String::from_utf8(output.stdout).unwrap(), format!("{}\n", path.display()));
    assert_eq!(fs::read(&path).unwrap(), whole);
    assert_eq!(below(models.path("pulled")), [path]);
    for arguments in [&["pull", &name][..], &["tokenize", &name, "hello"], &["check", &name]] {
        let mut command = hub.vt(&models, arguments);
        let output = command.env("HF_ENDPOINT", "http://127.0.0.1:9").output().unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{}", stderr(&output));
    }
    fs::remove_dir_all(models.path("pulled")).unwrap();
    let output = hub.vt(&models, &["tokenize", &name, "hello"]).output().unwrap();
    assert!(output.status.success() && stderr(&output).starts_with("fetching into "));
    assert_eq!(*hub.starts.lock().unwrap(), [0, 0]);
}

#[test]
fn a_load_that_breaks_off_is_gone_on_with() {
    let models = Models::new();
    let bytes: Vec<u8> = (0..100_000u32).flat_map(u32::to_le_bytes).collect();
    let cut = Served { cut: Some(150_000), ..Served::whole(&bytes) };
    let hub = Hub::new(&[(NAME, cut)]);
    let name = format!("hf:{NAME}");
    let path = models.path("pulled").join("hf").join(NAME);
    let output = hub.vt(&models, &["pull", &name]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).lines().last().unwrap().starts_with(&format!("error: {name}: ")) && !path.exists());
    assert!(stderr(&output).contains("the connection ended after ") && stderr(&output).contains(" of 400000 bytes ("));
    hub.set(NAME, Served::whole(&bytes));
    let output = hub.vt(&models, &["pull", &name]).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(fs::read(&path).unwrap(), bytes);
    let starts = hub.starts.lock().unwrap().clone();
    assert!(starts.len() == 2 && starts[0] == 0 && (1..=150_000).contains(&starts[1]), "{starts:?}");
    assert_eq!(below(models.path("pulled")), [path]);
}

#[test]
fn what_is_not_the_file_is_not_kept() {
    let models = Models::new();
    let other = Served { tag: Served::whole(b"right").tag, ..Served::whole(b"wrong") };
    let hub = Hub::new(&[(NAME, other)]);
    let name = format!("hf:{NAME}");
    for _ in 0..2 {
        let output = hub.vt(&models, &["pull", &name]).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).lines().last().unwrap().contains("the sha256 of tiny.gguf is"), "{}", stderr(&output));
        assert!(!below(models.path("pulled")).iter().any(|path| path.extension().is_some_and(|end| end == "gguf")));
    }
    hub.set(NAME, Served::whole(b"right"));
    assert!(hub.vt(&models, &["pull", &name]).status().unwrap().success());
    assert_eq!(fs::read(models.path("pulled").join("hf").join(NAME)).unwrap(), b"right");
}

#[test]
fn all_files_of_a_set_are_pulled() {
    let models = Models::new();
    let names: Vec<String> = (1..=3).map(|i| format!("some/model/q4/m-{i:05}-of-00003.gguf")).collect();
    let files: Vec<_> = names.iter().map(|name| (name.as_str(), Served::whole(name.as_bytes()))).collect();
    let hub = Hub::new(&files[..2]);
    let name = format!("hf:{}", names[1]);
    let output = hub.vt(&models, &["pull", &name]).output().unwrap();
    let last = stderr(&output).lines().last().unwrap().to_owned();
    assert!(output.status.code() == Some(1) && last.contains("no such file") && last.contains(&names[2]), "{last}");
    hub.set(&names[2], files[2].1.clone());
    let output = hub.vt(&models, &["pull", &name]).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    for name in &names {
        assert_eq!(fs::read(models.path("pulled").join("hf").join(name)).unwrap(), name.as_bytes());
    }
    // The two that were there were not loaded again.
    assert_eq!(hub.starts.lock().unwrap().len(), 3);
}

#[test]
fn what_is_no_name_of_a_hub_is_refused() {
    let models = Models::new();
    let hub = Hub::new(&[]);
    for name in ["hf:", "hf:owner/repo", "hf:owner/repo/file.bin", "hf:../repo/file.gguf", "hf:a/b/c d.gguf"] {
        assert!(failure(hub.vt(&models, &["pull", name]), 2).contains("expected hf:OWNER/REPO/FILE.gguf"));
        assert!(failure(hub.vt(&models, &["run", name, "-p", "a"]), 1).contains("expected hf:OWNER/REPO/FILE.gguf"));
    }
    let output = hub.vt(&models, &["pull", "hf:no/such/file.gguf"]).output().unwrap();
    let last = stderr(&output).lines().last().unwrap().to_owned();
    assert!(
        output.status.code() == Some(1) && last.contains("hf:no/such/file.gguf: the hub has no such file"),
        "{last}"
    );
    let mut elsewhere = hub.vt(&models, &["pull", "hf:no/such/file.gguf"]);
    let output = elsewhere.env("HF_ENDPOINT", "http://127.0.0.1:9").output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        failure(
            {
                elsewhere.env("HF_ENDPOINT", "nowhere");
                elsewhere
            },
            2
        )
        .contains("HF_ENDPOINT")
    );
    assert_eq!(below(models.path("pulled")), Vec::<PathBuf>::new());
}

#[test]
fn an_error_of_a_hub_names_its_host() {
    let models = Models::new();
    let hub = Hub::new(&[]);
    let host = hub.address.trim_start_matches("http://");
    let last = |mut command: Command| {
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        stderr(&output).lines().last().unwrap().to_owned()
    };
    let message = last(hub.vt(&models, &["pull", "hf:no/such/file.gguf"]));
    assert_eq!(message, format!("error: hf:no/such/file.gguf: the hub has no such file: status 404 ({host})"));
    let mut elsewhere = hub.vt(&models, &["pull", "hf:no/such/file.gguf"]);
    elsewhere.env("HF_ENDPOINT", "http://127.0.0.1:9/hub");
    let message = last(elsewhere);
    assert!(message.starts_with("error: hf:no/such/file.gguf: ") && message.ends_with(" (127.0.0.1:9)"), "{message}");
}

#[test]
fn a_bad_address_of_a_hub_is_the_fault_of_the_variable() {
    let models = Models::new();
    let hub = Hub::new(&[]);
    for address in ["http://", "https://:443", "http://host:port", "http://a b"] {
        let mut command = hub.vt(&models, &["pull", &format!("hf:{NAME}")]);
        command.env("HF_ENDPOINT", address);
        let message = failure(command, 2);
        assert!(message.starts_with("error: HF_ENDPOINT: ") && message.contains(&format!("`{address}`")), "{message}");
    }
}

#[test]
fn odd_names_of_a_hub_are_refused_in_a_short_line() {
    let models = Models::new();
    let hub = Hub::new(&[]);
    let long = format!("hf:a/b/{}.gguf", "e".repeat(100_000));
    let deep = format!("hf:a/b{}/c.gguf", "/d".repeat(1000));
    for name in
        ["hf:a/b/\u{1b}[31mc.gguf", "hf:a/b/c\n.gguf", "hf:a/b/../../c.gguf", "hf:a/b/\u{202e}c.gguf", &long, &deep]
    {
        let message = failure(hub.vt(&models, &["pull", name]), 2);
        assert!(message.starts_with("error: expected hf:OWNER/REPO/FILE.gguf, found `hf:a/b/"), "{message}");
        assert!(message.lines().count() == 1 && message.len() < 300, "{message}");
        assert!(!message.trim_end().contains(|c: char| c.is_control() || c == '\u{202e}'), "{message}");
    }
    assert!(failure(hub.vt(&models, &["pull", "hf:a/b/c\u{1b}.gguf"]), 2).contains("c\u{fffd}.gguf`"));
}
