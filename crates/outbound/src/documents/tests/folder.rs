use super::*;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// A documents folder with `/root-a` and its neighbour `/root-a2`, which has a canary.
fn home() -> (TempDir, ObjectDocuments) {
    let home = tempfile::tempdir().unwrap();
    fs::create_dir_all(home.path().join("root-a/in")).unwrap();
    put(home.path(), "root-a2/canary.pdf", b"%PDF-1.7 canary");
    let documents = open(&Location::folder(home.path())).unwrap();
    (home, documents)
}

fn put(home: &Path, path: &str, content: &[u8]) {
    let file = home.join(path);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, content).unwrap();
}

fn ready(documents: &ObjectDocuments) -> Result<(), DocumentsUnavailable> {
    pollster::block_on(documents.ready())
}

#[test]
fn the_default_creates_its_folder_and_is_ready() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("a/documents");
    let runtime = OutboundRuntime::start().unwrap();
    let documents = ObjectDocuments::create(&Location::folder(&folder), &runtime).unwrap();
    assert!(folder.is_dir());
    assert_eq!(ready(&documents), Ok(()));
}

#[test]
fn a_missing_folder_is_not_opened() {
    let home = tempfile::tempdir().unwrap();
    let error = open(&Location::folder(home.path().join("missing"))).err().unwrap().to_string();
    assert!(error.contains("missing/: No such file or directory"), "{error}");
}

#[test]
fn a_folder_that_vanished_is_unavailable_until_it_is_back() {
    let (home, documents) = home();
    let (away, folder) = (home.path().with_extension("away"), home.path());
    fs::rename(folder, &away).unwrap();
    assert!(ready(&documents).is_err());
    let error = look_up(&documents, "/root-a2", &[plain("canary.pdf")]).unwrap_err().to_string();
    assert!(error.contains("No such file or directory") && !error.contains("canary"), "{error}");
    fs::rename(&away, folder).unwrap();
    assert_eq!(ready(&documents), Ok(()));
    assert_eq!(states(&documents, "/root-a2", "canary.pdf"), [Present, Pdf]);
}

#[test]
fn documents_are_classified_by_their_first_bytes() {
    let (home, documents) = home();
    let contents: [(&str, &[u8]); 4] =
        [("pdf", b"%PDF-1.4"), ("text", b"hello %PDF-"), ("short", b"%PDF"), ("empty", b"")];
    for (name, content) in contents {
        put(home.path(), &format!("root-a/in/{name}"), content);
    }
    let found = |name: &str| states(&documents, "/root-a", name);
    assert_eq!(found("in/pdf"), [Present, Pdf]);
    for name in ["in/text", "in/short", "in/empty"] {
        assert_eq!(found(name), [Present, Present], "{name}");
    }
    for name in ["in", "in/pdf/x", "none", "none/pdf", &"x".repeat(300), &"x/".repeat(5000)] {
        assert_eq!(found(name), [Missing, Missing], "{name}");
    }
    assert_eq!(states(&documents, "/root-a/in", "pdf"), [Present, Pdf]);
    for root in ["/root-b", "/root-a/none", "/root-a/in/pdf", "/", "", "root-a", "/root-a/../root-a"] {
        assert_eq!(states(&documents, root, "in/pdf"), [Missing, Missing], "{root}");
    }
}

#[test]
fn unusual_names_are_found_byte_by_byte() {
    let (home, documents) = home();
    for name in ODD_NAMES {
        put(home.path(), &format!("root-a/{name}"), b"%PDF-1.4");
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
    let (home, documents) = home();
    let absolute = home.path().join("root-a2/canary.pdf");
    for path in WAYS_OUT.into_iter().chain(absolute.to_str()) {
        assert_eq!(states(&documents, "/root-a", path), [Missing, Missing], "{path}");
    }
}

#[test]
fn states_are_in_order_and_equal_for_equal_paths() {
    let (home, documents) = home();
    put(home.path(), "root-a/in/a", b"%PDF-1.4");
    let wanted = [pdf("none"), pdf("in/a"), pdf("../root-a2/canary.pdf"), pdf("in/a"), pdf("in")];
    let found = look_up(&documents, "/root-a", &wanted).unwrap();
    assert_eq!(found, [Missing, Pdf, Missing, Pdf, Missing]);
    assert_eq!(look_up(&documents, "/root-a", &[]), Ok(vec![]));
}

#[test]
fn other_runtimes_may_await_the_answer() {
    let (_home, documents) = home();
    let other = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let wanted = [pdf("canary.pdf")];
    assert_eq!(other.block_on(documents.look_up("/root-a2", &wanted)), Ok(vec![Pdf]));
}

#[cfg(unix)]
mod links {
    use super::*;
    use std::os::unix::fs::symlink;
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

    #[test]
    fn links_are_followed_only_inside_of_the_root() {
        let (home, documents) = home();
        let (root, out) = (home.path().join("root-a"), home.path().join("root-a2"));
        put(home.path(), "root-a/in/a.pdf", b"%PDF-1.4");
        let inside = [("file", "in/a.pdf"), ("in/up", "../in/a.pdf"), ("chain", "file")];
        let outside = [
            ("out", "../root-a2/canary.pdf"),
            ("out-chain", "out"),
            ("out-and-in", "../root-a/in/a.pdf"),
            ("absolute", out.join("canary.pdf").to_str().unwrap()),
            ("absolute-inside", root.join("in/a.pdf").to_str().unwrap()),
            ("loop", "loop"),
            ("nothing", "none"),
        ]
        .map(|(name, target)| (name, target.to_owned()));
        for (name, target) in inside {
            symlink(target, root.join(name)).unwrap();
            assert_eq!(states(&documents, "/root-a", name), [Present, Pdf], "{name}");
        }
        for (name, target) in outside {
            symlink(target, root.join(name)).unwrap();
            assert_eq!(states(&documents, "/root-a", name), [Missing, Missing], "{name}");
        }
        symlink("../root-a2", root.join("folder")).unwrap();
        symlink(&out, root.join("absolute-folder")).unwrap();
        symlink("in", root.join("in-folder")).unwrap();
        assert_eq!(states(&documents, "/root-a", "in-folder/a.pdf"), [Present, Pdf]);
        for path in ["folder/canary.pdf", "absolute-folder/canary.pdf", "in/../folder/canary.pdf"] {
            assert_eq!(states(&documents, "/root-a", path), [Missing, Missing], "{path}");
        }
    }

    #[test]
    fn a_root_may_not_be_a_link() {
        let (home, documents) = home();
        symlink("root-a2", home.path().join("root-b")).unwrap();
        symlink("../root-a2", home.path().join("root-a/sub")).unwrap();
        for root in ["/root-b", "/root-a/sub"] {
            assert_eq!(states(&documents, root, "canary.pdf"), [Missing, Missing], "{root}");
        }
    }

    #[test]
    fn the_folder_of_all_may_be_a_link() {
        let (home, _documents) = home();
        let link = home.path().join("link");
        symlink(".", &link).unwrap();
        let documents = open(&Location::folder(link)).unwrap();
        assert_eq!(states(&documents, "/root-a2", "canary.pdf"), [Present, Pdf]);
    }

    /// A folder on the path alternates between one inside, whose file is no PDF, and a link to one outside,
    /// whose file is a PDF.
    #[test]
    fn a_link_swapped_in_during_a_lookup_does_not_leave_the_root() {
        let (home, documents) = home();
        let root = home.path().join("root-a");
        put(home.path(), "root-a/way/canary.pdf", b"no PDF");
        symlink("../root-a2", root.join("link")).unwrap();
        let swap = |from: &str, to: &str| fs::rename(root.join(from), root.join(to)).unwrap();
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Relaxed) {
                    swap("way", "aside");
                    swap("link", "way");
                    swap("way", "link");
                    swap("aside", "way");
                }
            });
            let wanted = [pdf("way/canary.pdf")];
            let found =
                (0..2000).map(|_| look_up(&documents, "/root-a", &wanted).unwrap()[0]).collect::<Vec<_>>();
            done.store(true, Relaxed);
            assert!(!found.contains(&Pdf));
            assert!(found.contains(&Present));
        });
    }

    #[test]
    fn a_pipe_is_not_a_document_and_does_not_block() {
        let (home, documents) = home();
        let pipe = home.path().join("root-a/pipe.pdf");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        assert_eq!(states(&documents, "/root-a", "pipe.pdf"), [Missing, Missing]);
    }
}
