use super::document::{Document, Documents};
use super::lost::{Lost, LostAccounts};
use super::standing::Ended;
use crate::across::Compared;
use crate::identity::{Identity, IdentityHash};
use crate::input::Location;
use crate::journal::{AcceptedAccounts, Index, Outcome, key, request_key};
use crate::pipeline::Worker;
use crate::request::{Kind, Selection};
use crate::validate::{Checked, Checker};
use bytes::Bytes;
use cutover_core::{Level, State};
use cutover_model::Totals;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::sync::Arc;

/// A checked account, or another checked request, ready to be sent.
#[derive(Debug)]
pub(super) struct Prepared {
    pub(super) location: Location,
    pub(super) kind: Kind,
    /// By what copies of it are found.
    pub(super) identity: Option<IdentityHash>,
    pub(super) checked: Checked,
    /// Its control totals, if they can be computed.
    pub(super) totals: Option<Totals>,
    /// Its outcome in an earlier run.
    pub(super) earlier: Option<Outcome>,
    /// True if the service already has the account to import, so that a dry run must not replace it.
    pub(super) left_out: bool,
    /// Set if the service accepted it in an earlier run and has lost it.
    pub(super) lost: Option<Lost>,
    /// The state in which it has ended at the service without an import, if an earlier run sent it.
    pub(super) ended: Option<State>,
    /// True if an earlier run sent other bytes of the account.
    pub(super) is_changed: bool,
    /// What is to be sent, if anything.
    pub(super) body: Option<Body>,
}

/// What is sent.
#[derive(Debug, Clone)]
pub(super) enum Body {
    /// A line of JSON.
    Line(Bytes),
    /// A document, which is read while it is sent.
    Document(Document),
}

impl Body {
    /// The line; empty for a document.
    pub(super) fn line(&self) -> Bytes {
        match self {
            Self::Line(line) => line.clone(),
            Self::Document(_) => Bytes::new(),
        }
    }
}

impl Prepared {
    /// An account or another request too large to be decoded.
    pub(super) fn too_large(kind: Kind, location: Location) -> Self {
        let checked = Checked::too_large(kind);
        Self {
            location,
            kind,
            identity: None,
            checked,
            totals: None,
            earlier: None,
            left_out: false,
            lost: None,
            ended: None,
            is_changed: false,
            body: None,
        }
    }

    /// The account or business that it is about, if requests about that one are to follow each other.
    pub(super) fn turn(&self) -> Option<u64> {
        let (supplier, number) = (self.checked.supplier()?, self.checked.number()?);
        (!self.kind.is_account()).then(|| key(Some(supplier), Some(number), 0))
    }
}

/// Checks accounts, looks them up in the journal, and builds the lines to send.
#[derive(Debug)]
pub(super) struct Preparer {
    /// What the inputs hold, if not accounts.
    pub(super) requests: Option<Selection>,
    /// The documents of `documents upload`.
    pub(super) documents: Option<Documents>,
    pub(super) checker: Checker,
    pub(super) index: Index,
    /// Accounts that were sent to be imported, for a dry run.
    pub(super) staged: AcceptedAccounts,
    pub(super) lost: Arc<LostAccounts>,
    pub(super) ended: Ended,
    pub(super) again: bool,
    pub(super) retry_refused: bool,
    pub(super) no_validate: bool,
    pub(super) dry_run: bool,
}

impl Worker for Preparer {
    type Output = Prepared;

    fn process(&self, location: Location, account: &[u8]) -> Prepared {
        let account = account.trim_ascii();
        let kind = self.requests.map_or(Kind::Account, |requests| requests.kind_of(account));
        let (mut checked, decoded, document) = match (kind, &self.documents) {
            (Kind::Account, _) => {
                let (checked, decoded) = self.checker.check(location, account);
                (checked, decoded, None)
            }
            (Kind::Document, Some(documents)) => {
                let (checked, document) = documents.read(&self.checker, location);
                (checked, None, document)
            }
            _ => (self.checker.check_request(kind, location, account), None, None),
        };
        let identity = match kind {
            Kind::Account | Kind::Business | Kind::Document => {
                checked.identity.as_ref().and_then(Identity::hash)
            }
            _ => Some(IdentityHash::of_bytes(account)),
        };
        let would_be_refused = checked.is_faulty();
        if self.no_validate && decoded.is_some() {
            checked.findings.clear();
            checked.compared = Compared::default();
        }
        let totals = decoded.and_then(|decoded| self.checker.totals(&checked, &decoded).ok());
        let fingerprint = checked.fingerprint;
        let key = request_key(kind, checked.supplier(), checked.number(), fingerprint);
        let (earlier, lost) = (self.index.outcome(key, fingerprint), self.lost.get(key));
        let has_it = earlier.is_some_and(Outcome::is_stored);
        let ended = self.ended.get(key).filter(|_| has_it && lost.is_none());
        let has_failed = ended.is_some_and(|state| state != State::Cancelled);
        let left_out = self.staged.contains(key) && lost.is_none();
        let is_changed = self.index.has_other(key, fingerprint);
        if has_it && !has_failed {
            // The service took exactly these bytes, even if the rules would refuse them later, for example by
            // date.
            checked.findings.retain(|finding| finding.level != Level::Error);
        }
        let is_done = match earlier {
            Some(Outcome::Accepted | Outcome::AlreadyThere) => !self.again && lost.is_none() && !has_failed,
            // The service may have refused it for contracts, documents or settings, which may have changed since.
            Some(Outcome::Refused) => {
                !self.retry_refused && (would_be_refused || self.index.is_refused_for_good(key))
            }
            Some(Outcome::Failed | Outcome::InProgress | Outcome::Faulty) | None => false,
        };
        let is_sent = !left_out && !is_done && !checked.is_faulty();
        let body = is_sent.then(|| match document {
            Some(document) => Body::Document(document),
            None if self.dry_run => Body::Line(dry_run_line(account)),
            None => Body::Line(line(account)),
        });
        Prepared {
            location,
            kind,
            identity,
            checked,
            totals,
            earlier,
            left_out,
            lost,
            ended,
            is_changed,
            body,
        }
    }
}

/// Joins an account into one line. In JSON, raw line breaks occur only between tokens.
fn line(account: &[u8]) -> Bytes {
    let mut line = account.to_vec();
    line.iter_mut().filter(|byte| matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
    line.into()
}

/// Wraps an account in an envelope that requests a dry run; other task parameters are kept.
fn dry_run_line(account: &[u8]) -> Bytes {
    #[derive(serde::Deserialize)]
    struct Envelope<'a> {
        #[serde(borrow)]
        payload: Option<&'a RawValue>,
        #[serde(default)]
        task_params: Option<Value>,
    }
    let text = String::from_utf8_lossy(account);
    let envelope: Option<Envelope<'_>> = serde_json::from_str(&text).ok();
    let (payload, params) = match envelope {
        Some(Envelope { payload: Some(payload), task_params }) => (Cow::from(payload.get()), task_params),
        _ => (text.clone(), None),
    };
    let mut params = match params {
        Some(Value::Object(params)) => params,
        _ => Map::new(),
    };
    params.insert("is_dry_run".to_owned(), true.into());
    let envelope = format!("{{\"task_params\":{},\"payload\":{payload}}}", Value::Object(params));
    line(envelope.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: Bytes) -> String {
        String::from_utf8(bytes.to_vec()).unwrap()
    }

    #[test]
    fn an_account_is_one_line() {
        assert_eq!(text(line(b"{\r\n \"a\": \"b\\n\"\n}")), "{   \"a\": \"b\\n\" }");
    }

    #[test]
    fn a_dry_run_is_requested_in_the_envelope() {
        let dry = "{\"task_params\":{\"is_dry_run\":true},\"payload\":{\"a\": 1.10}}";
        assert_eq!(text(dry_run_line(b"{\"a\": 1.10}")), dry);
        assert_eq!(text(dry_run_line(b"{\"payload\": {\"a\": 1.10}}")), dry);
        assert_eq!(text(dry_run_line(b"{\"payload\": {\"a\": 1.10}, \"task_params\": null}")), dry);
        let with =
            b"{\"payload\": {}, \"task_params\": {\"schedule_window_end\": \"x\", \"is_dry_run\": false}}";
        assert_eq!(
            text(dry_run_line(with)),
            "{\"task_params\":{\"schedule_window_end\":\"x\",\"is_dry_run\":true},\"payload\":{}}"
        );
    }
}
