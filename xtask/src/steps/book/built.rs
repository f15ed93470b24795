//! Post-processes the built book: links out of it go to the repository, links to a `README.md` to the page
//! that mdBook made of it, and broken links are reported.

use std::path::{Path, PathBuf};

use super::BOOK;
use super::links::place;
use crate::error::Error;

/// Address of files that are not part of the book.
const REPOSITORY: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main");

/// Name of a `README.md` in links, and the file that mdBook writes for it.
const README: &str = "README.html";
const INDEX: &str = "index.html";

/// Fixes the links of every page and returns the broken ones.
pub(super) fn finish(book: &Path) -> Result<Vec<String>, Error> {
    let mut faults = Vec::new();
    let mut folders = vec![book.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).map_err(Error::file("list", &folder))? {
            let path = entry.map_err(Error::file("list", &folder))?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "html") {
                let text = std::fs::read_to_string(&path).map_err(Error::file("read", &path))?;
                let page = path.strip_prefix(book).unwrap_or(&path);
                let (text, broken) = fixed(&text, page, &|to| book.join(to).exists());
                faults.extend(broken.into_iter().map(|link| format!("{}: {link}", path.display())));
                std::fs::write(&path, text).map_err(Error::file("write", &path))?;
            }
        }
    }
    Ok(faults)
}

/// Returns a page with fixed links, and its broken links.
fn fixed(text: &str, page: &Path, exists: &dyn Fn(&Path) -> bool) -> (String, Vec<String>) {
    let mut parts = text.split("href=\"");
    let mut fixed = parts.next().unwrap_or_default().to_owned();
    let mut broken = Vec::new();
    for part in parts {
        let (link, rest) = part.split_once('"').unwrap_or((part, ""));
        let path = link.split('#').next().unwrap_or_default();
        fixed.push_str("href=\"");
        match target(page, path) {
            Some(Target::Outside(outside)) => {
                fixed.push_str(&format!("{REPOSITORY}/{}{}", outside.display(), &link[path.len()..]));
            }
            Some(Target::Inside(inside)) => {
                let link = link.replace(README, INDEX);
                let is_readme = inside.ends_with(README);
                if !exists(&if is_readme { inside.with_file_name(INDEX) } else { inside }) {
                    broken.push(link.clone());
                }
                fixed.push_str(&link);
            }
            None => fixed.push_str(link),
        }
        fixed.push('"');
        fixed.push_str(rest);
    }
    (fixed, broken)
}

enum Target {
    /// A path from the root of the book.
    Inside(PathBuf),
    /// A path from the root of the repository.
    Outside(PathBuf),
}

/// Target of a link; `None` for other hosts and for the same page.
fn target(page: &Path, path: &str) -> Option<Target> {
    if path.is_empty() || path.contains(':') || path.starts_with('/') {
        return None;
    }
    let to = place(&Path::new(BOOK).join(page), path)?;
    Some(match to.strip_prefix(BOOK) {
        Ok(inside) => Target::Inside(inside.to_owned()),
        Err(_) => Target::Outside(to),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_out_of_the_book_go_to_the_repository() {
        let text = "<a href=\"../b.html#c\">b</a> <a href=\"../../README.md#d\">r</a> <a href=\"#e\">e</a> \
                    <a href=\"https://x.test/\">x</a> <a href=\"no.html\">n</a>";
        let (fixed, broken) = fixed(text, Path::new("guide/a.html"), &|to| to == Path::new("b.html"));
        let outside = format!("href=\"{REPOSITORY}/README.md#d\"");
        assert_eq!(fixed, text.replace("href=\"../../README.md#d\"", &outside));
        assert!(outside.starts_with("href=\"https://"), "{outside}");
        assert_eq!(broken, ["no.html"]);
    }

    #[test]
    fn a_readme_is_the_index_of_its_folder() {
        let (fixed, broken) = fixed("<a href=\"../b/README.html#c\">", Path::new("a/d.html"), &|to| {
            to == Path::new("b/index.html")
        });
        assert_eq!((fixed.as_str(), broken.len()), ("<a href=\"../b/index.html#c\">", 0));
    }
}
