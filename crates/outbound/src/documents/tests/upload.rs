//! Documents that are written, to a folder and to a bucket alike.

use super::*;
use cutover_app::port::DOCUMENT_PIECE;
use cutover_testkit_machine::wait_until;
use cutover_testkit_s3::{BUCKET, Fault};
use sha2::{Digest, Sha256};
use std::path::PathBuf;

const ROOT: &str = "/root-a";

/// A storage, and the folder that has what it stores.
struct Home {
    documents: ObjectDocuments,
    stored: PathBuf,
    _owner: Box<dyn std::any::Any>,
}

fn in_folder() -> Home {
    let home = tempfile::tempdir().unwrap();
    let documents = open(&Location::folder(home.path())).unwrap();
    Home { documents, stored: home.path().join("root-a"), _owner: Box::new(home) }
}

fn in_bucket() -> Home {
    let (server, documents) = bucket::patient_home();
    let stored = server.bucket(BUCKET).join("live/root-a");
    Home { documents, stored, _owner: Box::new(server) }
}

fn begin(home: &Home, path: &str) -> Result<Box<dyn DocumentUpload>, NotStored> {
    pollster::block_on(home.documents.upload(ROOT, path))
}

/// Writes a document in pieces, as a client of the port does.
fn store(home: &Home, path: &str, content: &[u8]) -> Result<bool, NotStored> {
    let mut upload = begin(home, path)?;
    let pieces = content.chunks_exact(DOCUMENT_PIECE);
    let last = pieces.remainder().to_vec();
    pieces.into_iter().try_for_each(|piece| pollster::block_on(upload.write(piece.to_vec())))?;
    pollster::block_on(upload.finish(last))
}

fn has(home: &Home, path: &str, content: &[u8]) -> bool {
    let sha256 = Sha256::digest(content).into();
    let content = DocumentDigest { size: content.len() as u64, sha256 };
    pollster::block_on(home.documents.has_content(ROOT, path, content)).unwrap()
}

/// Names in the root, without those that the server of the tests adds.
fn names(home: &Home) -> Vec<String> {
    let entries = std::fs::read_dir(&home.stored).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.retain(|name| name != "a.pdf");
    names.sort();
    names
}

fn large() -> Vec<u8> {
    (0..2 * DOCUMENT_PIECE + 9).map(|at| (at % 251) as u8).collect()
}

#[test]
fn what_is_written_is_found_and_never_replaced() {
    for home in [in_folder(), in_bucket()] {
        for (path, content) in [("s/t/small.pdf", b"%PDF-1.7".to_vec()), ("large.pdf", large())] {
            assert!(!has(&home, path, &content), "{path}");
            assert_eq!(store(&home, path, &content), Ok(true), "{path}");
            assert_eq!(std::fs::read(home.stored.join(path)).unwrap(), content);
            assert!(
                has(&home, path, &content) && !has(&home, path, &[&content[1..], b"x"].concat()),
                "{path}"
            );
            assert_eq!(store(&home, path, &[&content[..], b"x"].concat()), Ok(false), "{path}");
            assert!(has(&home, path, &content), "{path}");
        }
        assert_eq!(states(&home.documents, ROOT, "s/t/small.pdf"), [Present, Pdf]);
    }
}

#[test]
fn unusual_names_are_kept_and_unsafe_ones_refused() {
    for home in [in_folder(), in_bucket()] {
        for path in ODD_NAMES {
            assert_eq!(store(&home, path, path.as_bytes()), Ok(true), "{path}");
            assert_eq!(states(&home.documents, ROOT, path), [Present, Present], "{path}");
        }
        for path in WAYS_OUT.iter().filter(|path| !crate::location::is_safe(path)) {
            assert_eq!(begin(&home, path).err(), Some(NotStored::Unnameable), "{path}");
        }
        assert!(store(&home, &"x".repeat(1_024), b"x").is_err());
        let root = pollster::block_on(home.documents.upload("/../root-b", "a.pdf"));
        assert_eq!(root.err(), Some(NotStored::Unnameable));
    }
}

#[test]
fn what_is_dropped_leaves_nothing() {
    for home in [in_folder(), in_bucket()] {
        assert_eq!(store(&home, "first.pdf", b"x"), Ok(true));
        let mut upload = begin(&home, "broken.pdf").unwrap();
        pollster::block_on(upload.write(vec![b'x'; DOCUMENT_PIECE])).unwrap();
        drop(upload);
        wait_until("the part is removed", || names(&home) == ["first.pdf"]);
        assert_eq!(states(&home.documents, ROOT, "broken.pdf"), [Missing, Missing]);
    }
}

#[test]
fn a_path_through_a_document_is_taken() {
    let home = in_folder();
    assert_eq!(store(&home, "a.pdf", b"x"), Ok(true));
    assert_eq!(store(&home, "a.pdf/b.pdf", b"x"), Ok(false));
    assert_eq!(store(&home, "c/d.pdf", b"x"), Ok(true));
    assert_eq!(store(&home, "c", b"x"), Ok(false));
    wait_until("the parts are removed", || names(&home) == ["c"]);
}

#[cfg(unix)]
#[test]
fn no_link_leads_an_upload_out_of_the_root() {
    let home = in_folder();
    let outside = home.stored.parent().unwrap().join("root-a2");
    std::fs::create_dir_all(&outside).unwrap();
    assert_eq!(store(&home, "in/a.pdf", b"x"), Ok(true));
    std::os::unix::fs::symlink("../root-a2", home.stored.join("out")).unwrap();
    std::os::unix::fs::symlink("in", home.stored.join("inside")).unwrap();
    assert_eq!(store(&home, "out/b.pdf", b"x"), Ok(false));
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 0);
    assert_eq!(store(&home, "inside/b.pdf", b"x"), Ok(true));
    assert!(has(&home, "in/b.pdf", b"x"));
    std::os::unix::fs::symlink("root-a2", outside.with_file_name("root-c")).unwrap();
    assert!(pollster::block_on(home.documents.upload("/root-c", "a.pdf")).is_err());
}

#[test]
fn storage_that_refuses_is_told_from_one_that_fails() {
    let (server, documents) = bucket::patient_home();
    let stored = server.bucket(BUCKET).join("live/root-a");
    let home = Home { documents, stored, _owner: Box::new(()) };
    server.set_fault(Fault::Status(403));
    assert!(matches!(store(&home, "b.pdf", b"x"), Err(NotStored::Refused(_))));
    assert!(matches!(store(&home, "b.pdf", &large()), Err(NotStored::Refused(_))));
    server.set_fault(Fault::None);
    assert_eq!(store(&home, "b.pdf", b"x"), Ok(true));
}
