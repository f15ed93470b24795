//! Appearance of pages on wide and narrow screens, light and dark, with screenshots.

use super::page::Page;
use crate::harness::{items, text};
use serde_json::json;
use std::path::Path;

/// Screen width and colour preference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scheme {
    Light,
    Dark,
}

/// The minimum supported width.
pub(crate) const NARROW: u32 = 400;
/// A common width.
pub(crate) const WIDE: u32 = 1280;
/// The width of a large screen.
pub(super) const WIDEST: u32 = 1920;
const HEIGHT: u32 = 900;

/// Finds texts with too little contrast.
const FAINT: &str = include_str!("faint.js");
/// Finds elements outside the window.
const TOO_WIDE: &str = include_str!("wide.js");
/// Finds tables that are cut off.
const CUT: &str = include_str!("cut.js");
/// Finds texts that do not fit.
const TORN: &str = include_str!("torn.js");
/// Finds numbers that are broken over two lines.
const BROKEN_NUMBERS: &str = include_str!("numbers.js");
/// Finds text that is out of sight.
const CLIPPED: &str = include_str!("clipped.js");
/// Finds accessibility faults.
const HARD_TO_USE: &str = include_str!("access.js");

impl Page {
    /// Sets the width of the window in pixels.
    pub(crate) fn resize(&self, width: u32) {
        self.measure(width, HEIGHT);
    }

    fn measure(&self, width: u32, height: u32) {
        let size = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        self.command("Emulation.setDeviceMetricsOverride", size);
    }

    /// Sets the preferred colour scheme.
    pub(crate) fn prefer(&self, scheme: Scheme) {
        let value = format!("{scheme:?}").to_lowercase();
        let features = json!([{"name": "prefers-color-scheme", "value": value}]);
        self.command("Emulation.setEmulatedMedia", json!({ "features": features }));
    }

    /// Disables scripts from the next page on.
    pub(crate) fn forbid_scripts(&self) {
        self.command("Emulation.setScriptExecutionDisabled", json!({"value": true}));
    }

    /// Checks the page wide and narrow, light and dark: every text is readable and within the window, numbers are on one
    /// line, and the page is accessible; on the narrow one no table is cut off. Saves screenshots under the name.
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
            assert_eq!(self.cut(), [""; 0], "{name}, {word}, narrow");
        }
        assert!(backgrounds[0] > 0.5 && backgrounds[1] < 0.2, "{name}: light and dark: {backgrounds:?}");
        self.prefer(Scheme::Light);
        self.resize(WIDE);
    }

    /// The tables of the page that are cut off.
    pub(super) fn cut(&self) -> Vec<String> {
        self.found([CUT])
    }

    /// The faults of the page in its current state.
    pub(super) fn faults(&self) -> Vec<String> {
        self.found([FAINT, TOO_WIDE, TORN, BROKEN_NUMBERS, CLIPPED, HARD_TO_USE])
    }

    /// What does not fit in the page at its width.
    pub(super) fn misfits(&self) -> Vec<String> {
        self.found([TOO_WIDE, TORN, BROKEN_NUMBERS, CLIPPED, CUT])
    }

    fn found<const N: usize>(&self, scripts: [&str; N]) -> Vec<String> {
        scripts.map(|script| self.script(script)).iter().flat_map(items).map(text).collect()
    }

    /// The height of the whole page in pixels.
    pub(super) fn height(&self) -> u32 {
        let height = self.script("return document.documentElement.scrollHeight").as_u64().unwrap();
        u32::try_from(height).unwrap()
    }

    /// The brightness of the page's background: 0 is black, 1 white.
    fn background(&self) -> f64 {
        self.script(&format!("const only = 'background'; {FAINT}")).as_f64().unwrap()
    }

    /// Saves a screenshot of the whole page.
    fn keep_picture(&self, name: &str, width: u32) {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../screenshots");
        std::fs::create_dir_all(&folder).unwrap();
        self.measure(width, self.height().clamp(HEIGHT, 4 * HEIGHT));
        std::fs::write(folder.join(format!("{name}.png")), self.picture()).unwrap();
        self.measure(width, HEIGHT);
    }
}
