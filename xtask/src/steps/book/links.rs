//! Checks links. Links to other hosts are not followed.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use super::page::{Link, Page};

/// Returns the number of links that were checked, and the broken ones.
pub(super) fn check(root: &Path, pages: &BTreeMap<PathBuf, Page>) -> (usize, Vec<String>) {
    let mut checked = 0;
    let mut faults = Vec::new();
    for (path, page) in pages {
        for link in page.links.iter().filter(|link| !is_elsewhere(&link.target)) {
            checked += 1;
            if let Some(fault) = fault(root, pages, path, link) {
                faults.push(format!("{}:{}: {}: {fault}", path.display(), link.line, link.target));
            }
        }
    }
    (checked, faults)
}

fn is_elsewhere(target: &str) -> bool {
    ["https://", "http://", "mailto:"].iter().any(|scheme| target.starts_with(scheme))
}

fn fault(root: &Path, pages: &BTreeMap<PathBuf, Page>, from: &Path, link: &Link) -> Option<&'static str> {
    let (path, anchor) = link.target.split_once('#').unwrap_or((&link.target, ""));
    let Some(to) = place(from, path) else { return Some("leads out of the repository") };
    if !root.join(&to).exists() && !pages.contains_key(&to) {
        return Some("there is no such file");
    }
    let known = pages.get(&to).is_some_and(|page| page.anchors.contains(anchor));
    (!anchor.is_empty() && !known).then_some("there is no such heading")
}

/// Resolves a path; `None` if it leads out of the root.
pub(super) fn place(from: &Path, path: &str) -> Option<PathBuf> {
    if path.is_empty() {
        return Some(from.to_owned());
    }
    let mut place = from.parent()?.to_owned();
    for component in Path::new(path).components() {
        match component {
            Component::Normal(name) => place.push(name),
            Component::CurDir => {}
            Component::ParentDir if place.pop() => {}
            _ => return None,
        }
    }
    Some(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_links_are_reported() {
        let text = "# Top\n[](#top) [](#no) [](b/c.md) [](b/c.md#in-c) [](b/c.md#no) [](d.md) [](https://x.test)\n\
                    [](../up.md) [](../../up.md) [](/abs.md) [](../Cargo.toml)";
        let pages = BTreeMap::from([
            (PathBuf::from("docs/a.md"), Page::read(text)),
            (PathBuf::from("docs/b/c.md"), Page::read("## In C\n[](../a.md#top)")),
            (PathBuf::from("up.md"), Page::default()),
        ]);
        let (checked, faults) = check(crate::cargo::root(), &pages);
        assert_eq!(checked, 11);
        assert_eq!(
            faults,
            [
                "docs/a.md:2: #no: there is no such heading",
                "docs/a.md:2: b/c.md#no: there is no such heading",
                "docs/a.md:2: d.md: there is no such file",
                "docs/a.md:3: ../../up.md: leads out of the repository",
                "docs/a.md:3: /abs.md: leads out of the repository",
            ]
        );
    }
}
