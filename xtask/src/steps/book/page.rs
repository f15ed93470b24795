//! Links and anchors of a Markdown page.

use std::collections::{BTreeMap, BTreeSet};

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::anchor::{slug, unique};

/// The links and anchors of a page.
#[derive(Debug, Default)]
pub(super) struct Page {
    /// Links and images.
    pub(super) links: Vec<Link>,
    /// Anchors of headings, and ids in HTML.
    pub(super) anchors: BTreeSet<String>,
}

/// A link or an image.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Link {
    /// Line number from 1.
    pub(super) line: usize,
    pub(super) target: String,
}

impl Page {
    pub(super) fn read(text: &str) -> Self {
        let mut page = Self::default();
        let mut seen = BTreeMap::new();
        let mut heading: Option<String> = None;
        for (event, range) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
            match event {
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    let line = text[..range.start].matches('\n').count() + 1;
                    page.links.push(Link { line, target: dest_url.into_string() });
                }
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::End(TagEnd::Heading(_)) => {
                    page.anchors.extend(heading.take().map(|text| unique(slug(&text), &mut seen)));
                }
                Event::Text(text) | Event::Code(text) => {
                    if let Some(heading) = &mut heading {
                        heading.push_str(&text);
                    }
                }
                Event::Html(html) | Event::InlineHtml(html) => page.anchors.extend(ids(&html)),
                _ => {}
            }
        }
        page
    }
}

/// Values of `id` in HTML.
fn ids(html: &str) -> Vec<String> {
    let values = html.split(" id=\"").skip(1).filter_map(|rest| rest.split_once('"'));
    values.map(|(id, _)| id.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_and_images_are_found_where_they_are_and_code_is_left_alone() {
        let page = Page::read(
            "# A\n[x](a.md#b) and ![y](y.png)\n\n| [t](t.md) |\n|---|\n| [u][v] |\n\n`[no](no.md)`\n```\n[no](no.md)\n\
             ```\n\n[v]: v.md\n",
        );
        let found: Vec<_> = page.links.iter().map(|link| (link.line, link.target.as_str())).collect();
        assert_eq!(found, [(2, "a.md#b"), (2, "y.png"), (4, "t.md"), (6, "v.md")]);
    }

    #[test]
    fn headings_and_ids_can_be_named() {
        let page = Page::read(
            "# The `a_b` of C-D, twice!\n## E\n## E\n<a id=\"f\"></a>\n\n<span class=\"x\" id=\"g\">",
        );
        let anchors: Vec<_> = page.anchors.iter().map(String::as_str).collect();
        assert_eq!(anchors, ["e", "e-1", "f", "g", "the-a_b-of-c-d-twice"]);
    }
}
