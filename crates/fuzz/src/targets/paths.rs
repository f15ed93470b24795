use super::Target;
use cutover_app::port::{DocumentState, Documents, WantedDocument};
use cutover_core::Zone;
use cutover_model::{Limits, decode_notes};
use cutover_outbound::{Location, ObjectDocuments, OutboundRuntime};
use cutover_rules::documents_of_notes;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Paths of documents.
pub(crate) const TARGET: Target = Target {
    name: "paths",
    description: "paths of documents, bare and in a note: nothing outside of the supplier's root is found",
    run,
    seeds,
    words: &[
        "..",
        "../",
        "%2e%2e",
        "%252e",
        "%5c",
        "\\",
        "//",
        "://",
        "file:///",
        "C:",
        "up",
        "other",
        "out",
        "abs",
        "loop",
        "within",
        "sub",
        "plain.txt",
        "secret.pdf",
        "top.pdf",
        "outside.pdf",
        "/a",
        "a2",
        "b",
    ],
    max: 1 << 10,
    executions: 280_000,
};

/// Root of the supplier. Files in it do not begin as PDFs, and all files outside do, so finding a PDF means
/// leaving the root.
const ROOT: &str = "/a";

fn run(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let mut paths = vec![text.to_owned()];
    paths.extend(by_the_rules(text));
    let wanted: Vec<_> = paths.into_iter().map(|path| WantedDocument { path, must_be_pdf: true }).collect();
    let states = pollster::block_on(DOCUMENTS.look_up(ROOT, &wanted)).expect("a folder answers");
    for (wanted, state) in wanted.iter().zip(states) {
        assert!(state != DocumentState::Pdf, "{:?} leads out of the root", wanted.path);
        let is_there = ["plain.txt", "sub/plain.txt", "within"].contains(&wanted.path.as_str());
        assert!(!is_there || state == DocumentState::Present, "{:?} is not found", wanted.path);
    }
    if let Ok(location) = text.parse::<Location>() {
        let shown = location.to_string();
        // Folders are shown as URLs, in which `..` and repeated slashes are normalized.
        assert!(
            shown.starts_with("file:") || shown.parse::<Location>().as_ref() == Ok(&location),
            "{text:?}: {shown}"
        );
    }
}

/// Paths to look up according to the rules for a note with this path.
fn by_the_rules(path: &str) -> Vec<String> {
    let body = serde_json::json!({"notes": [{"body": "N", "document_paths": [path]}]}).to_string();
    let decoded = decode_notes(body.as_bytes(), Zone::UTC, Limits::default()).expect("it is JSON");
    let wanted = decoded.draft.as_ref().map(documents_of_notes).unwrap_or_default();
    wanted.into_iter().map(|document| document.path).collect()
}

static DOCUMENTS: LazyLock<ObjectDocuments> = LazyLock::new(|| {
    let folder = create_documents().expect("files can be written below target");
    let runtime = OutboundRuntime::start().expect("threads can be started");
    ObjectDocuments::open(&Location::folder(folder), &runtime).expect("the folder is there")
});

/// Creates the folders of some suppliers, if they are missing, and returns the path of all.
fn create_documents() -> io::Result<PathBuf> {
    let outside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/xtask/fuzz/documents");
    let documents = outside.join("all");
    for folder in ["a/sub", "a2", "b"] {
        fs::create_dir_all(documents.join(folder))?;
    }
    for (file, content) in [
        ("../outside.pdf", "%PDF-1.7 outside"),
        ("top.pdf", "%PDF-1.7 of nobody"),
        ("a2/secret.pdf", "%PDF-1.7 of a sibling"),
        ("b/secret.pdf", "%PDF-1.7 of another"),
        ("a/plain.txt", "plain"),
        ("a/sub/plain.txt", "plain"),
    ] {
        fs::write(documents.join(file), content)?;
    }
    link(&documents.join("a"), &outside.canonicalize()?.join("outside.pdf"))?;
    Ok(documents)
}

/// Creates links in the supplier's root: several out of it, a loop, and one that stays inside.
#[cfg(unix)]
fn link(root: &Path, outside: &Path) -> io::Result<()> {
    let links = [
        ("up", ".."),
        ("other", "../b"),
        ("out", "../../outside.pdf"),
        ("loop", "loop"),
        ("within", "plain.txt"),
    ];
    let links = links.map(|(name, to)| (name, Path::new(to)));
    for (name, to) in links.into_iter().chain([("abs", outside)]) {
        match std::os::unix::fs::symlink(to, root.join(name)) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

#[cfg(not(unix))]
fn link(root: &Path, _: &Path) -> io::Result<()> {
    fs::write(root.join("within"), "plain")
}

fn seeds() -> Vec<Vec<u8>> {
    let texts = [
        "plain.txt",
        "sub/plain.txt",
        "within",
        "/plain.txt",
        " plain.txt ",
        "up/b/secret.pdf",
        "other/secret.pdf",
        "out",
        "abs",
        "loop/x",
        "../b/secret.pdf",
        "../a2/secret.pdf",
        "../../outside.pdf",
        "sub/../../top.pdf",
        "%2e%2e/top.pdf",
        "..%2ftop.pdf",
        "%252e%252e/top.pdf",
        "..\\top.pdf",
        "sub//plain.txt",
        "./plain.txt",
        "a\0b",
        "s3://bucket/key",
        "file:///srv/documents",
        "s3://bucket/a/b",
        "C:/a",
        "ä/日本.pdf",
    ];
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}
