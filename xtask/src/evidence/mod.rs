//! Checks that the tests exist that pages of `docs/` name as evidence.

mod page;
mod source;

use std::path::Path;

use crate::cargo;
use crate::error::Error;

/// Pages that list the tests behind the promises of other pages.
const PAGES: &[&str] = &["docs/evidence.md"];

/// Remedy for a name of no test.
pub(crate) const FIX: &str = "name tests in the page as crate::module::test";

/// Returns every name in the pages that is not the name of a test, with its line.
pub(crate) fn check() -> Result<Vec<String>, Error> {
    check_in(cargo::root(), PAGES)
}

fn check_in(root: &Path, pages: &[&str]) -> Result<Vec<String>, Error> {
    let mut faults = Vec::new();
    for page in pages {
        let path = root.join(page);
        let text = std::fs::read_to_string(&path).map_err(Error::file("read", &path))?;
        let named = page::tests_named(&text);
        if named.is_empty() {
            faults.push(format!("{page} names no test"));
        }
        for (line, name) in named {
            if !source::is_test(root, name)? {
                faults.push(format!("{page}:{line}: there is no test {name}"));
            }
        }
    }
    Ok(faults)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_no_test_are_reported_with_their_line() {
        let root = tempfile::tempdir().unwrap();
        let source = root.path().join("crates/core/src");
        std::fs::create_dir_all(&source).unwrap();
        std::fs::write(source.join("id.rs"), "mod tests {\n    #[test]\n    fn good() {}\n}\n").unwrap();
        let page = root.path().join("page.md");
        let of = |text: &str| {
            std::fs::write(&page, text).unwrap();
            check_in(root.path(), &["page.md"]).unwrap()
        };
        assert_eq!(of("Held by `core::id::tests::good`.\n"), [""; 0]);
        assert_eq!(
            of("# Page\n\n| 1 | `core::id::tests::gone`, `core::id::tests::good` |\n"),
            ["page.md:3: there is no test core::id::tests::gone"]
        );
        assert_eq!(of("All is well.\n"), ["page.md names no test"]);
    }

    #[test]
    fn tests_named_by_the_pages_exist() {
        assert_eq!(check().unwrap(), [""; 0]);
    }
}
