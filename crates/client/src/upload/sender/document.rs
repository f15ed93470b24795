//! Sends a document, which is read from its file meanwhile.

use super::super::document::Document;
use super::super::prepare::Prepared;
use super::answer::{Answer, Finding, LineOutcome, MAX_ANSWER, code, foreign, refused};
use crate::journal::Outcome;
use crate::service::{Fault, REQUEST_TIMEOUT, Reply, Service};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use cutover_core::{Code, NON_FIELD_ERRORS};
use http_body::{Body, Frame, SizeHint};
use reqwest::header::CONTENT_TYPE;
use serde_json::Value;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::PathBuf;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

/// Bytes that are read and sent at a time.
const CHUNK: usize = 64 << 10;
/// Bytes a second that a connection sends at least; a slower one is given up.
const LEAST_RATE: u64 = 16 << 10;

/// Sends a document.
///
/// # Errors
/// [`Fault`] if it was not answered.
pub(super) async fn send(
    service: &Service,
    account: &Prepared,
    document: &Document,
) -> Result<LineOutcome, Fault> {
    if std::fs::metadata(&document.file).is_ok_and(|found| found.len() != document.size) {
        return Ok(LineOutcome::Final(changed()));
    }
    let supplier = account.checked.supplier().unwrap_or_default();
    let path = account.kind.path().iter().copied().chain([supplier, "documents"]);
    let path: Vec<&str> = path.chain(document.path.iter().map(String::as_str)).collect();
    let url = service.url(&path, "");
    let digest = format!("sha-256=:{}:", STANDARD.encode(document.sha256));
    let time = REQUEST_TIMEOUT + Duration::from_secs(document.size / LEAST_RATE);
    let response = service
        .send(|http| {
            let body = reqwest::Body::wrap(FileBody::new(document));
            let request = http.put(url.clone()).header(CONTENT_TYPE, "application/octet-stream");
            request.header("content-digest", &digest).timeout(time).body(body)
        })
        .await?;
    let reply = Reply::read_up_to(MAX_ANSWER, response).await?;
    outcome(reply.status.as_u16(), &reply.body)
}

/// Interprets a status and body (contract D10).
fn outcome(status: u16, body: &Value) -> Result<LineOutcome, Fault> {
    Ok(match status {
        201 if body.is_object() => LineOutcome::Final(Answer::bare(status, Outcome::Accepted)),
        200 if body.is_object() => LineOutcome::Final(Answer::bare(status, Outcome::AlreadyThere)),
        // It was damaged on its way, or changed in the folder.
        400 if code(body) == Code::ContentDigestMismatch.as_str() => match refused(status, body) {
            LineOutcome::Final(answer) => LineOutcome::Retry(answer),
            other => other,
        },
        400 | 409 | 413 => refused(status, body),
        401 => LineOutcome::TokenExpired,
        403 if code(body) == Code::DocumentUploadsRefused.as_str() => return Err(Fault::permanent(REFUSED)),
        404 => return Err(Fault::permanent(UNKNOWN)),
        408 | 429 | 502..=504 | 520..=530 => {
            LineOutcome::Fault(Fault::transient(format!("the service answers {status}")))
        }
        500..=599 => LineOutcome::Retry(Answer::failed()),
        _ => foreign(status),
    })
}

const REFUSED: &str =
    "the service takes no documents: its operator has turned that off, or it may not write to the storage";
const UNKNOWN: &str = "the service answers 404 to a document: the supplier is unknown there, or the service is of an older version";

/// The answer for a file that is not the one that was read before.
fn changed() -> Answer {
    let finding = Finding {
        attr: NON_FIELD_ERRORS.to_owned(),
        code: Code::UnreadableInput.as_str().to_owned(),
        detail: "The file changed while the run read it; run the same command again.".to_owned(),
    };
    Answer { findings: vec![finding], ..Answer::bare(0, Outcome::Failed) }
}

/// The bytes of a file, read as they are sent.
struct FileBody {
    path: PathBuf,
    /// `None` until the first bytes are wanted.
    file: Option<File>,
    left: u64,
}

impl FileBody {
    fn new(document: &Document) -> Self {
        Self { path: document.file.clone(), file: None, left: document.size }
    }

    /// Reads the next bytes; none at the end.
    fn read(&mut self) -> io::Result<Bytes> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(File::open(&self.path)?),
        };
        let mut chunk = Vec::with_capacity(CHUNK);
        file.take(self.left.min(CHUNK as u64)).read_to_end(&mut chunk)?;
        if chunk.is_empty() && self.left > 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        self.left -= chunk.len() as u64;
        Ok(chunk.into())
    }
}

impl Body for FileBody {
    type Data = Bytes;
    type Error = io::Error;

    /// Reads without waiting for others: a file of this machine answers soon.
    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        let next = self.read().map(|bytes| (!bytes.is_empty()).then(|| Frame::data(bytes)));
        Poll::Ready(next.transpose())
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn answers_have_their_meanings() {
        let of = |status, body| outcome(status, &body);
        let stored = json!({"bytes": 7, "sha256": "x"});
        for (status, expected) in [(201, Outcome::Accepted), (200, Outcome::AlreadyThere)] {
            let Ok(LineOutcome::Final(answer)) = of(status, stored.clone()) else { panic!("{status}") };
            assert_eq!(answer.outcome, expected);
        }
        for (status, code) in [(409, "document_already_exists"), (413, "payload_too_large")] {
            let Ok(LineOutcome::Final(answer)) = of(status, json!({"detail": "x", "code": code})) else {
                panic!("{code}")
            };
            assert_eq!((answer.outcome, answer.findings[0].code.as_str()), (Outcome::Refused, code));
        }
        let damaged = json!({"detail": "x", "code": "content_digest_mismatch"});
        assert!(matches!(of(400, damaged), Ok(LineOutcome::Retry(_))));
        assert!(matches!(of(503, json!({})), Ok(LineOutcome::Fault(Fault::Transient { .. }))));
        let off = json!({"detail": "x", "code": "document_uploads_refused"});
        for (status, body) in [(404, json!({"code": "not_found"})), (403, off)] {
            assert!(matches!(of(status, body), Err(Fault::Permanent(_))), "{status}");
        }
    }

    #[test]
    fn a_file_that_became_shorter_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        std::fs::write(&file, vec![b'x'; CHUNK + 1]).unwrap();
        let document = Document { file, path: vec!["a".into()], size: CHUNK as u64 + 2, sha256: [0; 32] };
        let mut body = FileBody::new(&document);
        assert_eq!([body.read().unwrap().len(), body.read().unwrap().len()], [CHUNK, 1]);
        assert_eq!(body.read().unwrap_err().kind(), ErrorKind::UnexpectedEof);
    }
}
