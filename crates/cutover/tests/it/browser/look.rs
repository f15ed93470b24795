//! How pages look: on wide and narrow screens, light and dark; and pictures of them for people to look at.

use super::page::Page;
use crate::harness::{items, text};
use serde_json::json;
use std::path::Path;

/// What a screen and its owner prefer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scheme {
    Light,
    Dark,
}

/// As wide as a screen may be at least for pages to be used.
pub(crate) const NARROW: u32 = 400;
/// And as wide as many are.
pub(crate) const WIDE: u32 = 1280;
const HEIGHT: u32 = 900;

/// Texts that are too faint for their background.
const FAINT: &str = include_str!("faint.js");
/// What sticks out of the window.
const TOO_WIDE: &str = include_str!("wide.js");
/// Words for which there is too little room.
const TORN: &str = include_str!("torn.js");
/// What who does not see the page, or has no mouse, stumbles over.
const HARD_TO_USE: &str = include_str!("access.js");

impl Page {
    /// Has the window so many pixels of width.
    pub(crate) fn resize(&self, width: u32) {
        self.measure(width, HEIGHT);
    }

    fn measure(&self, width: u32, height: u32) {
        let size = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        self.command("Emulation.setDeviceMetricsOverride", size);
    }

    /// Has who looks prefer light or dark.
    pub(crate) fn prefer(&self, scheme: Scheme) {
        let value = format!("{scheme:?}").to_lowercase();
        let features = json!([{"name": "prefers-color-scheme", "value": value}]);
        self.command("Emulation.setEmulatedMedia", json!({ "features": features }));
    }

    /// Forbids the page its scripts, from the next one on.
    pub(crate) fn forbid_scripts(&self) {
        self.command("Emulation.setScriptExecutionDisabled", json!({"value": true}));
    }

    /// Looks at the page as it is, wide and narrow, light and dark: every text can be read, nothing sticks out, and who
    /// does not see it can use it. Leaves pictures under that name.
    pub(crate) fn look(&self, name: &str) {
        assert_eq!(self.nameless(), [""; 0], "{name}");
        let mut backgrounds = Vec::new();
        for (scheme, word) in [(Scheme::Light, "light"), (Scheme::Dark, "dark")] {
            self.prefer(scheme);
            self.resize(WIDE);
            self.keep_picture(&format!("{name}-{word}"), WIDE);
            assert_eq!(self.faults(), [""; 0], "{name}, {word}");
            backgrounds.push(self.background());
            self.resize(NARROW);
            self.keep_picture(&format!("{name}-{word}-{NARROW}"), NARROW);
            assert_eq!(self.faults(), [""; 0], "{name}, {word}, narrow");
        }
        assert!(backgrounds[0] > 0.5 && backgrounds[1] < 0.2, "{name}: light and dark: {backgrounds:?}");
        self.prefer(Scheme::Light);
        self.resize(WIDE);
    }

    /// What is wrong with the page as it is just now, for whoever looks at it or uses it in another way.
    pub(super) fn faults(&self) -> Vec<String> {
        let faults = [FAINT, TOO_WIDE, TORN, HARD_TO_USE].map(|script| self.script(script));
        faults.iter().flat_map(items).map(text).collect()
    }

    /// How light the page is behind everything: 0 is black, 1 white.
    fn background(&self) -> f64 {
        self.script(&format!("const only = 'background'; {FAINT}")).as_f64().unwrap()
    }

    /// Keeps a picture of the whole page.
    fn keep_picture(&self, name: &str, width: u32) {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../screenshots");
        std::fs::create_dir_all(&folder).unwrap();
        let height = self.script("return document.documentElement.scrollHeight").as_u64().unwrap();
        self.measure(width, u32::try_from(height).unwrap().clamp(HEIGHT, 4 * HEIGHT));
        std::fs::write(folder.join(format!("{name}.png")), self.picture()).unwrap();
        self.measure(width, HEIGHT);
    }
}
