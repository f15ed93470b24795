use crate::error::Error;
use crate::request::Selection;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// First line of a journal: the service that it is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Subject {
    /// Version of the format. The first member, so that a journal is recognised by its first bytes.
    pub(super) cutover_journal: u32,
    /// Base URL of the service.
    pub(crate) base_url: String,
    /// True if the accounts were sent as dry runs.
    pub(crate) dry_run: bool,
    /// The requests that it is about, if not accounts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) requests: Option<Selection>,
    /// Id of the installation, if the service told it: it decides, whatever the URL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) installation: Option<String>,
}

/// Version 2 has lines with the history of the service's database.
pub(super) const VERSION: u32 = 2;
/// Version 3 is about other requests than accounts, which earlier versions of the program would take for accounts.
const VERSION_OF_REQUESTS: u32 = 3;

impl Subject {
    pub(crate) fn new(base_url: &str, dry_run: bool) -> Self {
        Self {
            cutover_journal: VERSION,
            base_url: base_url.to_owned(),
            dry_run,
            requests: None,
            installation: None,
        }
    }

    /// A journal of other requests than accounts.
    pub(crate) fn of_requests(base_url: &str, requests: Selection) -> Self {
        let of = Self::new(base_url, false);
        Self { cutover_journal: VERSION_OF_REQUESTS, requests: Some(requests), ..of }
    }

    /// The same at this installation.
    pub(crate) fn at(self, installation: Option<String>) -> Self {
        Self { installation, ..self }
    }

    /// True if both are about the same service and kind of run.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let is_same_place = match (&self.installation, &other.installation) {
            (Some(one), Some(other)) => one == other,
            _ => self.base_url == other.base_url,
        };
        self.is_known() && self.dry_run == other.dry_run && self.requests == other.requests && is_same_place
    }

    /// True if this program knows the version of the format.
    fn is_known(&self) -> bool {
        match self.requests {
            Some(_) => self.cutover_journal == VERSION_OF_REQUESTS,
            None => (1..=VERSION).contains(&self.cutover_journal),
        }
    }
}

/// Checks that a journal is about the wanted subject.
///
/// # Errors
/// [`Error`] that names the subject of the journal.
pub(super) fn check(path: &Path, of: &Subject, wanted: &Subject) -> Result<(), Error> {
    if of.is_same(wanted) { Ok(()) } else { Err(other_subject(path, of, wanted)) }
}

fn other_subject(path: &Path, of: &Subject, wanted: &Subject) -> Error {
    let name = |requests: Option<Selection>| requests.map_or("accounts", Selection::name);
    let what = match of {
        _ if !of.is_known() => "is of a newer version of this program".to_owned(),
        _ if of.requests != wanted.requests => {
            let (is, wanted) = (name(of.requests), name(wanted.requests));
            format!("is about {is}: give another one for {wanted} with --journal")
        }
        Subject { installation: Some(_), .. }
            if of.dry_run == wanted.dry_run && wanted.installation.is_some() =>
        {
            format!(
                "is about {}, another installation: give another one for {} with --journal",
                of.base_url, wanted.base_url
            )
        }
        Subject { base_url, .. } if *base_url != wanted.base_url => {
            format!("is about {base_url}: give another one for {} with --journal", wanted.base_url)
        }
        Subject { .. } => "is about dry runs, or this one is: give another one with --journal".to_owned(),
    };
    refused(path, &what)
}

/// An error that says what is wrong with a journal.
pub(super) fn refused(path: &Path, what: &str) -> Error {
    Error::refused(format!("{} {what}", path.display()))
}
