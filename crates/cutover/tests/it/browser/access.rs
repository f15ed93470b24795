//! Whether pages can be used by people who do not see them, and without a mouse.

use super::page::Page;
use crate::harness::{items, text};
use serde_json::{Value, json};
use thirtyfour::Key;

/// What a reader of the screen tells by its name.
const NAMED: [&str; 10] =
    ["button", "checkbox", "combobox", "dialog", "image", "link", "radio", "region", "searchbox", "textbox"];
/// What has the focus: its words, and whether one sees that it has it.
const FOCUSED: &str = "const at = document.activeElement, style = getComputedStyle(at);
    const name = at.getAttribute('aria-label') || at.labels?.[0]?.textContent || at.textContent;
    const ring = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1;
    return [at.localName, name.trim().replace(/\\s+/g, ' '), ring || style.boxShadow !== 'none', at === document.body];";

impl Page {
    /// What can be used and has no name for who does not see it, by its role.
    pub(super) fn nameless(&self) -> Vec<String> {
        let tree = self.command("Accessibility.getFullAXTree", json!({}));
        let nameless = items(&tree["nodes"]).iter().filter(|node| is_nameless(node));
        nameless.map(|node| text(&node["role"]["value"])).collect()
    }

    /// Goes on with the tabulator until something with these words has the focus; what was passed on the way. One
    /// must see all the time where one is.
    pub(crate) fn tab_to(&self, words: &str) -> Vec<String> {
        let mut passed = Vec::new();
        loop {
            self.keys(Key::Tab);
            let focused = self.script(FOCUSED);
            let name = focused[1].as_str().unwrap().to_owned();
            assert_eq!(focused[3], false, "no {words} among {passed:?}");
            assert_eq!(focused[2], true, "one does not see that it has the focus: {focused}");
            if name == words {
                return passed;
            }
            assert!(passed.len() < 200, "no {words} among {passed:?}");
            passed.push(name);
        }
    }
}

fn is_nameless(node: &Value) -> bool {
    let role = node["role"]["value"].as_str().unwrap_or_default();
    let name = node["name"]["value"].as_str().unwrap_or_default();
    node["ignored"] == false && NAMED.contains(&role) && name.trim().is_empty()
}
