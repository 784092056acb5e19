use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use super::super::{PullError, Step};
use super::part::Part;
use super::{HubError, HubFault, HubModel, Limits};

/// What a host was asked: a path, and the bytes from which on.
type Asked = (String, String);

/// A host of answers.
struct Host {
    name: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Host {
    /// A host that answers a question for a path and a range with these bytes. No connection is ever closed: an answer
    /// that is not whole is waited for.
    fn new(answer: impl Fn(&str, &str) -> Vec<u8> + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let name = listener.local_addr().unwrap().to_string();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&asked);
        thread::spawn(move || {
            let mut open = Vec::new();
            for mut stream in listener.incoming().flatten() {
                if let Some((path, range)) = question(&stream) {
                    // A client that goes away is its own affair.
                    let _ = stream.write_all(&answer(&path, &range));
                    noted.lock().unwrap().push((path, range));
                }
                open.push(stream);
            }
        });
        Self { name, asked }
    }

    fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

fn question(stream: &TcpStream) -> Option<Asked> {
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let path = lines.next()?.split(' ').nth(1)?.to_owned();
    let headers = lines.take_while(|line| !line.is_empty()).map(|line| line.to_ascii_lowercase());
    let range = headers.filter_map(|line| line.strip_prefix("range: bytes=").map(str::to_owned)).last()?;
    Some((path, range))
}

fn answer(head: &str, body: &[u8]) -> Vec<u8> {
    let head = head.replace('\n', "\r\n");
    [format!("HTTP/1.1 {head}\r\nConnection: close\r\n\r\n").as_bytes(), body].concat()
}

fn redirect(to: &str) -> Vec<u8> {
    answer(&format!("302 Found\nContent-Length: 0\nLocation: {to}"), b"")
}

const BYTES: &[u8] = b"0123456789";

/// The answer of a host that gives ranges of [`BYTES`], and says that there are `len` more than it sends.
fn part(range: &str, len: usize) -> Vec<u8> {
    let (from, to) = range.split_once('-').unwrap();
    let to = to.parse().map_or(BYTES.len(), |to: usize| to + 1);
    let body = &BYTES[from.parse().unwrap()..to];
    let (all, lacks) = (body.len(), body.len().saturating_sub(len));
    let head =
        format!("206 Partial Content\nETag: \"tag\"\nContent-Length: {all}\nContent-Range: bytes {from}-{}/10", to - 1);
    answer(&head, &body[..lacks.max(body.len().min(1))])
}

/// A folder of models, and a pull from a host into it.
struct Pull(tempfile::TempDir);

impl Pull {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn from(&self, address: &str, limits: Limits) -> Result<Vec<u8>, PullError> {
        let model = HubModel::parse("a/b/c.gguf").unwrap();
        let path = model.pull(self.0.path(), Some(address), limits, &mut |_: Step<'_>| {})?;
        assert_eq!(path, self.0.path().join("hf/a/b/c.gguf"));
        Ok(fs::read(path).unwrap())
    }

    fn part(&self, tag: &str) -> PathBuf {
        self.0.path().join(".hub/models--a--b/blobs").join(tag).with_extension("part")
    }
}

/// What is wrong with a host.
fn fault(host: &Host, limits: Limits) -> HubError {
    match Pull::new().from(&format!("http://{}", host.name), limits).unwrap_err() {
        PullError::Hub { file, error } => {
            assert_eq!((&*file, &*error.host), ("hf:a/b/c.gguf", &*host.name));
            error
        }
        other => panic!("{other}"),
    }
}

fn short() -> Limits {
    Limits { silence: Duration::from_millis(200), ..Limits::default() }
}

#[test]
fn redirects_have_an_end() {
    let limits = Limits { redirects: 3, ..Limits::default() };
    for to in ["/a/b/resolve/main/c.gguf", "c.gguf", "?again"] {
        let host = Host::new(move |_, _| redirect(to));
        let error = fault(&host, limits);
        assert!(matches!(error.fault, HubFault::Redirects(3)), "{error}");
        assert_eq!(error.to_string(), format!("redirected more than 3 times ({})", host.name));
        assert_eq!(host.asked().len(), 4);
    }
    assert_eq!(Limits::default().redirects, 10);
}

#[test]
fn redirects_are_followed_to_the_file() {
    let files = Host::new(|_, range| part(range, 0));
    let there = format!("http://{}/file", files.name);
    let hub = Host::new(move |path, _| match path {
        "/below/a/b/resolve/main/c.gguf" => redirect("/below/new/b/resolve/main/c.gguf"),
        "/below/new/b/resolve/main/c.gguf" => redirect("../c.gguf"),
        "/below/new/b/resolve/c.gguf" => redirect(&there),
        _ => answer("404 Not Found\nContent-Length: 0", b""),
    });
    let limits = Limits { redirects: 3, ..Limits::default() };
    let pulled = Pull::new().from(&format!("http://{}/below/", hub.name), limits);
    assert_eq!(pulled.unwrap(), BYTES);
    let asked = files.asked();
    assert_eq!(asked, [("/file", "0-0"), ("/file", "0-")].map(|(path, range)| (path.to_owned(), range.to_owned())));
}

#[test]
fn a_redirect_to_no_host_is_not_followed() {
    for to in ["file:///etc/hosts", "http://", "data:,x", "//"] {
        let host = Host::new(move |_, _| redirect(to));
        let error = fault(&host, Limits::default());
        assert!(matches!(&error.fault, HubFault::BadRedirect(found) if found == to), "{error}");
    }
    let host = Host::new(|_, _| answer("302 Found\nContent-Length: 0", b""));
    let error = fault(&host, Limits::default());
    assert!(matches!(error.fault, HubFault::Status { status: 302 }), "{error}");
}

#[test]
fn a_host_that_does_not_answer_is_given_up() {
    let host = Host::new(|_, _| Vec::new());
    let error = fault(&host, short());
    assert!(matches!(error.fault, HubFault::Silent(_)), "{error}");
    assert_eq!(error.to_string(), format!("no byte came for 200ms ({})", host.name));
}

#[test]
fn a_connection_that_is_never_made_is_given_up() {
    let host = Host::new(|_, _| Vec::new());
    let limits = Limits { connect: Duration::from_millis(200), ..Limits::default() };
    // The other side takes no part in the handshake.
    let error = Pull::new().from(&format!("https://{}", host.name), limits).unwrap_err();
    let PullError::Hub { error, .. } = error else { panic!("{error}") };
    assert_eq!(error.to_string(), format!("no connection within 200ms ({})", host.name));
}

#[test]
fn a_file_that_stops_coming_is_given_up_and_gone_on_with() {
    let host = Host::new(|_, range| part(range, 4));
    let pull = Pull::new();
    let error = pull.from(&format!("http://{}", host.name), short()).unwrap_err();
    assert!(error.to_string().contains("no byte came for 200ms"), "{error}");
    // On a machine that is busy with other things even the first bytes may be late.
    let there = fs::read(pull.part("tag")).unwrap_or_default();
    assert!(BYTES.starts_with(&there) && there.len() <= 6);
    let host = Host::new(|_, range| part(range, 0));
    assert_eq!(pull.from(&format!("http://{}", host.name), Limits::default()).unwrap(), BYTES);
    assert_eq!(host.asked()[1].1, format!("{}-", there.len()));
    assert!(!pull.0.path().join(".hub").exists());
}

#[test]
fn a_host_that_gives_all_in_place_of_a_part_is_understood() {
    let pull = Pull::new();
    fs::create_dir_all(pull.part("tag").parent().unwrap()).unwrap();
    fs::write(pull.part("tag"), "XX").unwrap();
    let host = Host::new(|_, _| answer("200 OK\nETag: \"tag\"\nContent-Length: 10", BYTES));
    assert_eq!(pull.from(&format!("http://{}", host.name), Limits::default()).unwrap(), BYTES);
    assert_eq!(host.asked()[1].1, "2-");
}

#[test]
fn a_host_that_gives_another_part_is_refused() {
    let pull = Pull::new();
    fs::create_dir_all(pull.part("tag").parent().unwrap()).unwrap();
    fs::write(pull.part("tag"), "01").unwrap();
    let host = Host::new(|_, range| part(if range == "0-0" { range } else { "4-" }, 0));
    let error = pull.from(&format!("http://{}", host.name), Limits::default()).unwrap_err();
    assert!(error.to_string().contains("asked for the bytes from 2, got those from 4"), "{error}");
    assert_eq!(fs::read(pull.part("tag")).unwrap(), b"01");
}

#[test]
fn an_answer_without_what_is_needed_names_its_host() {
    let tag = "ETag: \"../evil\"\nContent-Range: bytes 0-0/10\nContent-Length: 1";
    let long = format!("ETag: \"{}\"\nContent-Range: bytes 0-0/10\nContent-Length: 1", "e".repeat(129));
    for (head, expected) in [
        ("206 Partial Content\nContent-Length: 1\nContent-Range: bytes 0-0/10", "names no version of the file"),
        (&format!("206 Partial Content\n{tag}"), "names no version of the file"),
        (&format!("206 Partial Content\n{long}"), "names no version of the file"),
        ("206 Partial Content\nETag: \"tag\"\nContent-Length: 1", "names no length of the file"),
        (
            "206 Partial Content\nETag: \"tag\"\nContent-Length: 1\nContent-Range: bytes 0-0/*",
            "names no length of the file",
        ),
        ("404 Not Found\nContent-Length: 1", "the hub has no such file: status 404"),
        ("500 Internal Server Error\nContent-Length: 1", "the hub does not give the file: status 500"),
    ] {
        let head = head.to_owned();
        let error = fault(&Host::new(move |_, _| answer(&head, b"x")), Limits::default());
        assert!(error.to_string().contains(expected), "{error}");
    }
}

#[test]
fn two_do_not_load_the_same_at_once() {
    let host = Host::new(|_, range| part(range, 0));
    let pull = Pull::new();
    let other = Part::open(pull.part("tag")).unwrap();
    let again = || pull.from(&format!("http://{}", host.name), Limits::default());
    assert!(matches!(again().unwrap_err(), PullError::Busy { path } if path == pull.part("tag")));
    drop(other);
    assert_eq!(again().unwrap(), BYTES);
}

#[test]
fn what_is_no_address_is_refused() {
    for found in ["", "http://", "nowhere", "file:///tmp", "http://h/?q", "http://h "] {
        let error = Pull::new().from(found, Limits::default()).unwrap_err();
        assert!(matches!(&error, PullError::Endpoint { found: f } if f == found), "{error}");
    }
}
