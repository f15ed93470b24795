//! Finds tests by name.

use std::path::{Path, PathBuf};

use crate::error::Error;

/// The macro that makes a test of each story of the store suite.
const SUITE: &str = "crates/testkit/src/store_suite/mod.rs";

/// Returns true if there is a test of this name: the folder of its crate, `it` for an integration test, its
/// modules, its function.
pub(super) fn is_test(root: &Path, name: &str) -> Result<bool, Error> {
    let segments: Vec<&str> = name.split("::").collect();
    let [package, modules @ .., function] = segments.as_slice() else { return Ok(false) };
    let home = if *package == "xtask" { root.join("xtask") } else { root.join("crates").join(package) };
    let (base, modules) = match modules {
        ["it", rest @ ..] => (home.join("tests/it"), rest),
        _ => (home.join("src"), modules),
    };
    for of_files in (0..=modules.len()).rev() {
        let (files, inline) = modules.split_at(of_files);
        for file in candidates(&base, files) {
            let Some(text) = read(&file)? else { continue };
            let has_modules = inline.iter().all(|module| text.contains(&format!("mod {module} {{")));
            if has_modules && (has_test(&text, function) || is_story(root, &file, &text, function)?) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Possible files of a module.
fn candidates(base: &Path, modules: &[&str]) -> [PathBuf; 2] {
    match modules {
        [] => [base.join("main.rs"), base.join("lib.rs")],
        _ => {
            let path = modules.iter().fold(base.to_owned(), |path, module| path.join(module));
            [path.join("mod.rs"), path.with_extension("rs")]
        }
    }
}

/// Returns true if a text has a test function of this name.
fn has_test(text: &str, function: &str) -> bool {
    let start = format!("fn {function}(");
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let is_test = |place: usize| {
        let above =
            lines[..place].iter().rev().take_while(|line| line.starts_with("#[") || line.starts_with("//"));
        above.into_iter().any(|line| *line == "#[test]" || line.ends_with("::test]"))
    };
    let mut places = lines.iter().enumerate().filter(|(_, line)| line.contains(&start));
    places.any(|(place, _)| is_test(place))
}

/// Returns true if it is a story of the store suite.
fn is_story(root: &Path, file: &Path, text: &str, function: &str) -> Result<bool, Error> {
    let list = root.join(SUITE);
    if file.parent() != list.parent() || !text.contains(&format!("pub fn {function}(store: &dyn Store)")) {
        return Ok(false);
    }
    let list = read(&list)?.unwrap_or_default();
    Ok(list.split(|c: char| c.is_whitespace() || c == ';').any(|word| word == function))
}

fn read(file: &Path) -> Result<Option<String>, Error> {
    match std::fs::read_to_string(file) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::file("read", file)(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cargo;

    #[test]
    fn tests_of_every_kind_are_found() {
        for name in [
            "core::id::tests::supplier_codes",
            "http::server::tests::a_large_body_is_refused_unread",
            "http::limits::throttle::tests::zero_sets_no_limit",
            "http::endpoint::graphql::tests::key_attempts_are_counted",
            "cutover::it::http::slow_bodies_are_disconnected",
            "cutover::it::postgres::tls::the_servers_certificate_must_match_its_name",
            "model::it::hostile::syntax_verdicts_are_those_of_other_parsers",
            "testkit::store_suite::staging::an_account_is_staged_once",
            "xtask::evidence::source::tests::tests_of_every_kind_are_found",
        ] {
            assert!(is_test(cargo::root(), name).unwrap(), "{name}");
        }
    }

    #[test]
    fn names_without_a_test_are_not_found() {
        for name in [
            "core::id::tests::gone",
            "core::id::supplier_codes_of_others",
            "broken::id::tests::supplier_codes",
            "cutover::http::slow_bodies_are_disconnected",
            "testkit::store_suite::staging::an_account",
            "testkit::store_suite::mod::stories",
            "cutover::it::http::open",
            "supplier_codes",
            "",
        ] {
            assert!(!is_test(cargo::root(), name).unwrap(), "{name}");
        }
    }

    #[test]
    fn a_function_without_the_attribute_is_no_test() {
        assert!(has_test("#[test]\n/// It holds.\nfn a() {}", "a"));
        assert!(has_test("#[actix_web::test]\nasync fn a() {}", "a"));
        assert!(!has_test("#[test]\nfn b() {}\nfn a() {}", "a"));
        assert!(!has_test("fn a() {}", "a"));
    }
}
