//! Asking hosts for parts of files.

use std::io::{ErrorKind, Read};
use std::time::Duration;

use ureq::http::{Response, header};
use ureq::{Agent, Body, Timeout};
use url::Url;

use super::error::{HubError, HubFault};

/// How long a host is waited for, and how often one may send elsewhere. The time of a load as a whole has no limit:
/// files are large.
#[derive(Clone, Copy, Debug)]
pub(in crate::pull) struct Limits {
    /// The most redirects on the way to an answer.
    pub redirects: usize,
    /// The most time until there is a connection.
    pub connect: Duration,
    /// The most time until there is an answer, or another byte of it.
    pub silence: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { redirects: 10, connect: Duration::from_secs(30), silence: Duration::from_secs(30) }
    }
}

/// What asks.
pub(super) struct Client {
    agent: Agent,
    limits: Limits,
}

/// A host's answer that is a success.
pub(super) struct Answer {
    /// Where it came from, after all redirects.
    pub url: Url,
    /// What the hub says that the file's version is: large files are elsewhere, and only the hub knows their hash.
    pub tag: Option<String>,
    /// The first byte of the file that it has, and the file's length.
    pub range: Option<(u64, u64)>,
    response: Response<Body>,
    limits: Limits,
}

impl Client {
    pub fn new(limits: Limits) -> Self {
        let config = Agent::config_builder()
            .user_agent(concat!("vt/", env!("CARGO_PKG_VERSION")))
            .accept_encoding("identity")
            .http_status_as_error(false)
            // Followed here, as the hub's answers on the way say what the file is.
            .max_redirects(0)
            .timeout_resolve(Some(limits.connect))
            .timeout_connect(Some(limits.connect))
            .timeout_recv_response(Some(limits.silence))
            .timeout_per_read(Some(limits.silence))
            .timeout_per_write(Some(limits.silence));
        Self { agent: config.build().into(), limits }
    }

    /// Asks for a range of bytes: `0-0`, or `5-` for all from the sixth.
    pub fn get(&self, mut url: Url, range: &str) -> Result<Answer, HubError> {
        let mut tag = None;
        for _ in 0..=self.limits.redirects {
            let request = self.agent.get(url.as_str()).header(header::RANGE, format!("bytes={range}"));
            let response = request.call().map_err(|error| HubError::new(&url, fault(error, self.limits)))?;
            tag = tag.or_else(|| text(&response, "x-linked-etag").map(str::to_owned));
            match redirect(&url, &response)? {
                Some(next) => url = next,
                None => return Answer::new(url, tag, response, self.limits),
            }
        }
        Err(HubError::new(&url, HubFault::Redirects(self.limits.redirects)))
    }
}

impl Answer {
    fn new(url: Url, tag: Option<String>, response: Response<Body>, limits: Limits) -> Result<Self, HubError> {
        let status = response.status();
        if !status.is_success() {
            return Err(HubError::new(&url, HubFault::Status { status: status.as_u16() }));
        }
        let tag = tag.or_else(|| text(&response, header::ETAG.as_str()).map(str::to_owned));
        let tag = tag.map(|tag| tag.replace('"', ""));
        Ok(Self { tag, range: range(&response), url, response, limits })
    }

    /// The next bytes; none at the end, be it early.
    pub fn read(&mut self, buffer: &mut [u8]) -> Result<usize, HubError> {
        match self.response.body_mut().as_reader().read(buffer) {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(0),
            read => read.map_err(|error| HubError::new(&self.url, fault(error.into(), self.limits))),
        }
    }
}

/// Where an answer sends to.
fn redirect(url: &Url, response: &Response<Body>) -> Result<Option<Url>, HubError> {
    if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
        return Ok(None);
    }
    let Some(to) = text(response, header::LOCATION.as_str()) else { return Ok(None) };
    let next = url.join(to).ok().filter(is_web);
    next.map(Some).ok_or_else(|| HubError::new(url, HubFault::BadRedirect(to.to_owned())))
}

/// Whether an address is one that can be asked.
pub(super) fn is_web(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https") && url.has_host()
}

/// The first byte of an answer, and the length of the whole: a host may give all in place of a range.
fn range(response: &Response<Body>) -> Option<(u64, u64)> {
    if response.status() != 206 {
        return Some((0, text(response, header::CONTENT_LENGTH.as_str())?.parse().ok()?));
    }
    let range = text(response, header::CONTENT_RANGE.as_str())?.strip_prefix("bytes ")?;
    let (part, whole) = range.split_once('/')?;
    let (from, _) = part.split_once('-')?;
    Some((from.parse().ok()?, whole.parse().ok()?))
}

fn text<'a>(response: &'a Response<Body>, header: &str) -> Option<&'a str> {
    response.headers().get(header)?.to_str().ok()
}

fn fault(error: ureq::Error, limits: Limits) -> HubFault {
    match error {
        ureq::Error::Timeout(Timeout::Resolve | Timeout::Connect) => HubFault::Unreachable(limits.connect),
        ureq::Error::Timeout(_) => HubFault::Silent(limits.silence),
        ureq::Error::Io(error) => HubFault::Broken(error.to_string()),
        error => HubFault::Broken(error.to_string()),
    }
}
