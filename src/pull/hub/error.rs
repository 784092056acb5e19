//! Why a hub did not give a file.

use std::time::Duration;

use thiserror::Error;
use url::{Position, Url};

/// A hub, or a host that it sent to, did not give a file.
#[derive(Debug, Error)]
#[error("{fault} ({host})")]
pub struct HubError {
    /// The host, with the port if the address has one.
    pub host: String,
    /// What went wrong.
    pub fault: HubFault,
}

/// What went wrong with a hub.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum HubFault {
    /// Each answer sends elsewhere.
    #[error("redirected more than {0} times")]
    Redirects(usize),
    /// An answer sends to what is no address.
    #[error("redirected to `{0}`, which is no address of a host")]
    BadRedirect(String),
    /// There is no connection.
    #[error("no connection within {0:?}")]
    Unreachable(Duration),
    /// There is a connection, but nothing comes.
    #[error("no byte came for {0:?}")]
    Silent(Duration),
    /// It answered with a status that is no success.
    #[error("{}: status {status}", explained(*status))]
    Status {
        /// The status.
        status: u16,
    },
    /// It does not say which version of the file it has, or how long it is.
    #[error("the hub's answer names no {0} of the file")]
    Missing(&'static str),
    /// It gave another part of the file than the one that was asked for.
    #[error("asked for the bytes from {asked}, got those from {got}")]
    Range {
        /// The first byte that is missing.
        asked: u64,
        /// The first byte that came.
        got: u64,
    },
    /// The connection ended early.
    #[error("the connection ended after {found} of {expected} bytes")]
    Ended {
        /// The bytes that are there.
        found: u64,
        /// The bytes of the file.
        expected: u64,
    },
    /// The connection cannot be made, or breaks.
    #[error("{0}")]
    Broken(String),
}

impl HubError {
    pub(super) fn new(url: &Url, fault: HubFault) -> Self {
        Self { host: url[Position::BeforeHost..Position::AfterPort].to_owned(), fault }
    }
}

/// What a status means where a file was asked for.
fn explained(status: u16) -> &'static str {
    match status {
        404 => "the hub has no such file",
        401 => "the hub has no such repository, or it is not for everyone",
        403 => "the repository is not for everyone",
        429 => "too many requests",
        _ => "the hub does not give the file",
    }
}
