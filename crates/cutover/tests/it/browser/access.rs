//! Accessibility: screen readers and keyboards.

use super::page::Page;
use crate::harness::{items, text};
use serde_json::{Value, json};
use thirtyfour::Key;

/// An element as a screen reader announces it.
const NAMED: [&str; 10] =
    ["button", "checkbox", "combobox", "dialog", "image", "link", "radio", "region", "searchbox", "textbox"];
/// The focused element: its text, and whether the focus is visible.
const FOCUSED: &str = "const at = document.activeElement, style = getComputedStyle(at);
    const name = at.getAttribute('aria-label') || at.labels?.[0]?.textContent || at.textContent;
    const ring = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1;
    return [at.localName, name.trim().replace(/\\s+/g, ' '), ring || style.boxShadow !== 'none', at === document.body];";

impl Page {
    /// Roles of interactive elements without an accessible name.
    pub(super) fn nameless(&self) -> Vec<String> {
        let tree = self.command("Accessibility.getFullAXTree", json!({}));
        let nameless = items(&tree["nodes"]).iter().filter(|node| is_nameless(node));
        nameless.map(|node| text(&node["role"]["value"])).collect()
    }

    /// Presses Tab until an element with this text has the focus; returns the elements on the way. The focus
    /// must always be visible.
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
