use super::*;
use crate::location::LocationKind;
use cutover_testkit_machine::STALLED;
use cutover_testkit_s3::{BUCKET, S3Server, SECRET_KEY};
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};

/// Storage with `/root-a` and its neighbour `/root-a2`, which has a canary; everything under `live`.
pub(super) fn home() -> (S3Server, ObjectDocuments) {
    let server = S3Server::start().unwrap();
    server.put("live/root-a2/canary.pdf", b"%PDF-1.7 canary").unwrap();
    server.put("live/root-a/a.pdf", b"%PDF-1.4").unwrap();
    let documents = open(&server, &format!("s3://{BUCKET}/live"), SECRET_KEY);
    (server, documents)
}

/// The same with lookups that are waited for as long as a slow machine may take.
pub(super) fn patient_home() -> (S3Server, ObjectDocuments) {
    let (server, _) = home();
    let url = format!("s3://{BUCKET}/live");
    let mut documents = open_with(&server, &url, SECRET_KEY, cloud::Patience::Uploads);
    Arc::get_mut(&mut documents.shared).unwrap().call_timeout = STALLED;
    (server, documents)
}

fn open(server: &S3Server, url: &str, secret: &str) -> ObjectDocuments {
    open_with(server, url, secret, cloud::Patience::Lookups)
}

fn open_with(server: &S3Server, url: &str, secret: &str, patience: cloud::Patience) -> ObjectDocuments {
    let location: Location = url.parse().unwrap();
    let LocationKind::Bucket(place) = location.0.clone() else { panic!("{location}") };
    let builder = server.environment().into_iter().fold(AmazonS3Builder::new(), |builder, (name, value)| {
        builder.with_config(name.to_lowercase().parse().unwrap(), value)
    });
    cloud::choose_cryptography();
    let builder = builder.with_config(AmazonS3ConfigKey::SecretAccessKey, secret);
    let store = cloud::s3(builder, &place.bucket, patience).unwrap();
    let storage = Storage::Bucket(Bucket::new(store.clone(), store, place));
    ObjectDocuments::with_storage(&location, storage, &OutboundRuntime::start().unwrap())
}

#[test]
fn documents_are_classified_by_their_first_bytes() {
    let (server, documents) = home();
    let contents: [(&str, &[u8]); 3] = [("text", b"hello %PDF-"), ("short", b"%PDF"), ("empty", b"")];
    for (name, content) in contents {
        server.put(&format!("live/root-a/in/{name}"), content).unwrap();
    }
    let found = |name: &str| states(&documents, "/root-a", name);
    assert_eq!(found("a.pdf"), [Present, Pdf]);
    for name in ["in/text", "in/short", "in/empty"] {
        assert_eq!(found(name), [Present, Present], "{name}");
    }
    assert_eq!(states(&documents, "/root-a/in", "text"), [Present, Present]);
    for name in ["none", "a.pdf/none", "a", &"x".repeat(1024), &"\u{e9}".repeat(600)] {
        assert_eq!(found(name), [Missing, Missing], "{name}");
    }
    for root in ["/root-b", "/", "", "root-a", "/root-a/../root-a"] {
        assert_eq!(states(&documents, root, "a.pdf"), [Missing, Missing], "{root}");
    }
}

#[test]
fn objects_are_never_read_completely() {
    let (server, documents) = home();
    states(&documents, "/root-a", "a.pdf");
    let seen = server.seen();
    let asked: Vec<_> = seen.iter().map(|seen| (seen.method.as_str(), seen.range.as_deref())).collect();
    assert_eq!(asked, [("HEAD", None), ("GET", Some("bytes=0-4"))]);
}

#[test]
fn unusual_names_are_found_byte_by_byte() {
    let (server, documents) = home();
    for name in ODD_NAMES {
        server.put(&format!("live/root-a/{name}"), b"%PDF-1.4").unwrap();
    }
    for name in ODD_NAMES {
        assert_eq!(states(&documents, "/root-a", name), [Present, Pdf], "{name}");
    }
    for name in LIKE_ODD_NAMES {
        assert_eq!(states(&documents, "/root-a", name), [Missing, Missing], "{name}");
    }
}

#[test]
fn no_path_leads_out_of_a_root() {
    let (server, documents) = home();
    for path in WAYS_OUT {
        assert_eq!(states(&documents, "/root-a", path), [Missing, Missing], "{path}");
    }
    let prefix = format!("/{BUCKET}/live/root-a/");
    let seen = server.seen();
    let outside = |seen: &&cutover_testkit_s3::Seen| {
        !seen.path.starts_with(&prefix) && seen.path.trim_end_matches('/') != format!("/{BUCKET}")
    };
    assert_eq!(seen.iter().find(outside), None);
    assert_eq!(states(&documents, "/root-a2", "canary.pdf"), [Present, Pdf]);
}

#[test]
fn equal_paths_are_looked_up_once() {
    let (server, documents) = home();
    let wanted = [plain("a.pdf"), pdf("a.pdf"), plain("a.pdf")];
    assert_eq!(look_up(&documents, "/root-a", &wanted), Ok(vec![Pdf; 3]));
    assert_eq!(server.seen().len(), 1);
}

#[test]
fn a_missing_bucket_is_unavailable() {
    let (server, documents) = home();
    assert_eq!(pollster::block_on(documents.ready()), Ok(()));
    std::fs::remove_dir_all(server.bucket(BUCKET)).unwrap();
    let none = "document storage is not available: s3://documents/live: there is no such bucket";
    assert_eq!(pollster::block_on(documents.ready()).unwrap_err().to_string(), none);
    assert_eq!(look_up(&documents, "/root-a", &[plain("a.pdf")]).unwrap_err().to_string(), none);
}

#[test]
fn wrong_credentials_are_unavailable_with_their_own_reason() {
    let (server, _documents) = home();
    let documents = open(&server, &format!("s3://{BUCKET}/live"), "another-secret");
    let refused = "s3://documents/live: it refuses access: its credentials must be valid and allow reading \
                   and listing";
    assert_eq!(pollster::block_on(documents.ready()).unwrap_err().0, refused);
    for wanted in [plain("a.pdf"), pdf("a.pdf")] {
        assert_eq!(look_up(&documents, "/root-a", &[wanted]).unwrap_err().0, refused);
    }
}
