//! The documentation as a book: checks every link of the repository's Markdown and that every page is in
//! `docs/SUMMARY.md`, and builds the book in `target/book` with mdBook.

mod built;
mod links;
mod page;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::program::Program;
use super::{Outcome, Tools, of_faults};
use crate::error::Error;
use crate::{cargo, files};
use page::Page;

/// Version that is installed, without the features that watch and serve.
const VERSION: &str = "0.5.4";
/// Unoptimised, it compiles in a third of the time, and builds the book in seconds.
const PROGRAM: Program = Program {
    name: "mdbook",
    is_good,
    install: &["mdbook", "--version", VERSION, "--debug", "--no-default-features", "--features", "search"],
};
const BOOK: &str = "docs";
/// Output folder, as `book.toml` sets it.
const BUILT: &str = "target/book";
const SUMMARY: &str = "docs/SUMMARY.md";

pub(super) fn run(tools: Tools) -> Result<Outcome, Error> {
    let pages = pages()?;
    let (checked, mut faults) = links::check(cargo::root(), &pages);
    faults.extend(missing_in_summary(&pages));
    if !faults.is_empty() {
        return Ok(of_faults(&faults, &format!("fix the page, or {SUMMARY}")));
    }
    println!("{checked} links of {} pages are valid", pages.len());
    match PROGRAM.get(tools) {
        Some(program) => build(&program, checked),
        None => Ok(Outcome::NotRun(format!(
            "links are checked, but there is no mdBook {VERSION} to build the book: cargo install mdbook --locked --version \
             {VERSION}, or --install"
        ))),
    }
}

fn build(program: &Path, checked: usize) -> Result<Outcome, Error> {
    let mut command = cargo::command(program);
    command.arg("build");
    if !cargo::succeeds(command)? {
        return Ok(Outcome::Failed("see above and book.toml".to_owned()));
    }
    let faults = built::finish(&cargo::root().join(BUILT))?;
    Ok(match of_faults(&faults, "see book.toml") {
        Outcome::Ok(_) => Outcome::Ok(format!("{checked} links are valid; see {BUILT}/index.html")),
        failed => failed,
    })
}

/// Every page of the repository, by its path from the root.
fn pages() -> Result<BTreeMap<PathBuf, Page>, Error> {
    let paths = files::with_extension(&["md"])?;
    paths.into_iter().map(|path| files::read(&path).map(|text| (path, Page::read(&text)))).collect()
}

/// Pages of the book that are not in its contents: mdBook silently omits them.
fn missing_in_summary(pages: &BTreeMap<PathBuf, Page>) -> Vec<String> {
    let summary = Path::new(SUMMARY);
    let named: Vec<PathBuf> = pages.get(summary).map_or_else(Vec::new, |page| {
        page.links.iter().map(|link| Path::new(BOOK).join(&link.target)).collect()
    });
    let of_book = pages.keys().filter(|path| path.starts_with(BOOK) && *path != summary);
    let left_out = of_book.filter(|path| !named.contains(path));
    left_out.map(|path| format!("{}: not in {SUMMARY}", path.display())).collect()
}

/// Returns true for versions with the same settings and the same output.
fn is_good(answer: &str) -> bool {
    let minor = |version: &str| version.rsplit_once('.').map(|(minor, _)| minor.to_owned());
    let version = answer.trim().strip_prefix("mdbook v");
    version.and_then(minor) == minor(VERSION)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_another_kind_do_not_count() {
        assert!(is_good(&format!("mdbook v{VERSION}\n")));
        assert!(is_good("mdbook v0.5.99"));
        for answer in ["mdbook v0.4.52", "mdbook", "", "0.5.4", "mdbook v1.0.0"] {
            assert!(!is_good(answer), "{answer}");
        }
    }

    #[test]
    fn a_page_that_the_contents_do_not_name_is_a_fault() {
        let page = |text: &str| Page::read(text);
        let pages = BTreeMap::from([
            (PathBuf::from(SUMMARY), page("- [A](a.md)\n- [B](b/c.md)")),
            (PathBuf::from("docs/a.md"), page("")),
            (PathBuf::from("docs/b/c.md"), page("")),
            (PathBuf::from("docs/d.md"), page("")),
            (PathBuf::from("README.md"), page("")),
        ]);
        assert_eq!(missing_in_summary(&pages), ["docs/d.md: not in docs/SUMMARY.md"]);
    }
}
