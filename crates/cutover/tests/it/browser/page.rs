//! A page in a browser of its own, used by its texts, with mouse and keys.

use super::driver::{Driver, driver};
use super::look::WIDE;
use super::troubles::Troubles;
use crate::harness::{STALLED, Server, wait_until};
use serde_json::{Map, Value, json};
use std::cell::RefCell;
use std::net::SocketAddr;
use thirtyfour::cdp::Cdp;
use thirtyfour::prelude::*;
use tokio::runtime::{Builder, Runtime};

/// A browser with one page. At the end there must be no unexpected fault: no refused, failed or foreign
/// request, and no message in the browser's console, which includes violations of the content security
/// policy.
pub(crate) struct Page {
    runtime: Runtime,
    driver: WebDriver,
    address: SocketAddr,
    troubles: RefCell<Troubles>,
}

impl Page {
    /// Opens a browser without a page; `None` without a browser.
    pub(crate) fn open(server: &Server) -> Option<Self> {
        let programs = driver()?;
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let session = WebDriver::builder(&programs.url, capabilities(programs)).request_timeout(STALLED);
        let driver = runtime.block_on(async { session.await }).unwrap();
        let troubles = RefCell::new(Troubles::new(server.address));
        let page = Self { runtime, driver, address: server.address, troubles };
        page.resize(WIDE);
        Some(page)
    }

    /// Opens a path of the server.
    pub(crate) fn go(&self, path: &str) {
        self.wait(self.driver.goto(format!("http://{}{path}", self.address)));
    }

    /// Shows a page that is not on the server.
    pub(super) fn show(&self, html: &str) {
        let encoded: String = html.bytes().map(|byte| format!("%{byte:02X}")).collect();
        self.wait(self.driver.goto(format!("data:text/html;charset=utf-8,{encoded}")));
    }

    /// Reloads the page.
    pub(crate) fn reload(&self) {
        self.wait(self.driver.refresh());
    }

    /// The path and query of the page.
    pub(crate) fn path(&self) -> String {
        let url = self.wait(self.driver.current_url());
        url.as_str()
            .split_once(&self.address.to_string())
            .map_or(url.to_string(), |(_, path)| path.to_owned())
    }

    /// The result of a script.
    pub(crate) fn script(&self, body: &str) -> Value {
        self.on_the_page(body, async || self.driver.execute(body, vec![]).await).json().clone()
    }

    /// The visible text.
    pub(crate) fn text(&self) -> String {
        self.text_of("body")
    }

    /// The visible text of the first element of a selector, if there is one.
    pub(crate) fn text_of(&self, selector: &str) -> String {
        let text = self.script(&format!("return document.querySelector(`{selector}`)?.innerText"));
        text.as_str().unwrap_or_default().to_owned()
    }

    /// The source of the page, including invisible parts.
    pub(crate) fn source(&self) -> String {
        self.wait(self.driver.source())
    }

    /// Clicks the button with this text.
    pub(crate) fn press(&self, words: &str) {
        self.click(&format!("//button[normalize-space()={}]", quoted(words)));
    }

    /// Clicks the link with this text.
    pub(crate) fn follow(&self, words: &str) {
        self.click(&format!("//a[normalize-space()={}]", quoted(words)));
    }

    /// Clicks the link with this text in the region of that name.
    pub(crate) fn follow_in(&self, region: &str, words: &str) {
        let region = format!("//*[@role='region'][@aria-label={}]", quoted(region));
        self.click(&format!("{region}//a[normalize-space()={}]", quoted(words)));
    }

    fn click(&self, path: &str) {
        self.on_the_page(path, async || {
            let element = self.driver.find(By::XPath(path)).await?;
            // Scrolled to the centre, as sticky elements cover the edges.
            element.scroll_into_view().await?;
            element.click().await
        });
    }

    /// Types into the field with this label.
    pub(crate) fn write(&self, label: &str, text: &str) {
        self.on_the_page(label, async || {
            let field = self.driver.find(field(label)).await?;
            field.clear().await?;
            field.send_keys(text).await
        });
    }

    /// Selects an option of the field with this label.
    pub(crate) fn choose(&self, label: &str, words: &str) {
        let option = By::XPath(format!("./option[normalize-space()={}]", quoted(words)));
        self.on_the_page(label, async || {
            self.driver.find(field(label)).await?.find(option.clone()).await?.click().await
        });
    }

    /// Opens all collapsed elements.
    pub(crate) fn unfold(&self) {
        self.script("document.querySelectorAll('details').forEach(details => { details.open = true })");
    }

    /// Types into the focused element.
    pub(crate) fn keys(&self, keys: impl Into<TypingData>) {
        self.wait(self.driver.action_chain().send_keys(keys).perform());
    }

    /// Waits for a text on the page.
    pub(crate) fn until_says(&self, words: &str) {
        self.wait_until(words, || self.text().contains(words));
    }

    /// Waits for a path.
    pub(crate) fn until_at(&self, path: &str) {
        self.wait_until(path, || self.path() == path);
    }

    /// Waits for a condition. Prints the page's text after the time limit.
    pub(crate) fn wait_until(&self, what: &str, holds: impl FnMut() -> bool) {
        let waited = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| wait_until(what, holds)));
        if waited.is_err() {
            let says = self.runtime.block_on(self.driver.execute("return document.body.innerText", vec![]));
            panic!(
                "waited for {what} at {}, which says: {:?}",
                self.path(),
                says.map(|says| says.json().clone())
            );
        }
    }

    /// Sends a command of the browser's own protocol.
    pub(crate) fn command(&self, method: &str, parameters: Value) -> Value {
        self.wait(Cdp::new(self.driver.handle().clone()).send_raw(method, parameters))
    }

    /// A screenshot of the window, as PNG.
    pub(super) fn picture(&self) -> Vec<u8> {
        self.wait(self.driver.screenshot_as_png())
    }

    /// Expects a refusal with this status.
    pub(crate) fn expect(&self, status: u16) {
        self.troubles.borrow_mut().expected.push(status);
    }

    /// The cookies of the browser.
    pub(crate) fn cookies(&self) -> Vec<Value> {
        let cookies = self.command("Network.getCookies", json!({}))["cookies"].take();
        crate::harness::items(&cookies).to_vec()
    }

    /// Repeats an action until it succeeds: the element may not exist yet, and a page that is left or updated
    /// removes it.
    fn on_the_page<T>(&self, what: &str, doing: impl AsyncFn() -> WebDriverResult<T>) -> T {
        let mut done = None;
        self.wait_until(what, || match self.runtime.block_on(doing()) {
            Ok(it) => {
                done = Some(it);
                true
            }
            Err(error) if is_passing(&error) => false,
            Err(error) => panic!("{what}: {error}"),
        });
        done.unwrap()
    }

    fn wait<T>(&self, doing: impl Future<Output = WebDriverResult<T>>) -> T {
        self.runtime.block_on(doing).unwrap()
    }

    /// The faults since the last call.
    pub(super) fn take_troubles(&self) -> Vec<String> {
        self.look_for_troubles();
        self.troubles.borrow_mut().take()
    }

    fn look_for_troubles(&self) {
        let mut troubles = self.troubles.borrow_mut();
        for log in ["performance", "browser"] {
            for entry in self.wait(self.driver.get_log(log)) {
                troubles.add(log, &entry);
            }
        }
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // The test has failed already; the watchdog ends the browser.
            self.runtime.block_on(self.driver.clone().quit()).ok();
            return;
        }
        let troubles = self.take_troubles();
        self.wait(self.driver.clone().quit());
        assert!(troubles.is_empty(), "in the browser:\n{}", troubles.join("\n"));
    }
}

/// An XPath literal of a text: XPath has no escapes.
fn quoted(text: &str) -> String {
    assert!(!text.contains('"'), "{text}");
    format!("\"{text}\"")
}

/// Returns true for errors that depend on the momentary state of the page.
fn is_passing(error: &WebDriverError) -> bool {
    use thirtyfour::error::WebDriverErrorInner as Kind;
    matches!(
        error.as_inner(),
        Kind::NoSuchElement(_)
            | Kind::StaleElementReference(_)
            | Kind::ElementNotInteractable(_)
            | Kind::ElementClickIntercepted(_)
    ) || error.to_string().contains("aborted by navigation")
}

fn field(label: &str) -> By {
    let words = quoted(label);
    let apart = format!("//*[@id=//label[normalize-space()={words}]/@for]");
    let within = format!("//label[starts-with(normalize-space(), {words})]/*[self::input or self::select]");
    By::XPath(format!("{apart} | {within}"))
}

/// The options of a headless browser that contacts the server alone.
fn capabilities(programs: &Driver) -> Capabilities {
    let mut args = vec![
        "--headless=new",
        "--disable-gpu",
        "--disable-quic",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--disable-breakpad",
        "--disable-dev-shm-usage",
        "--no-first-run",
        "--hide-scrollbars",
        "--force-color-profile=srgb",
        // Animations would move elements away from a click.
        "--force-prefers-reduced-motion",
        // The browser ends with the driver.
        "--remote-debugging-pipe",
        // No host name resolves.
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    ];
    args.extend(programs.is_root.then_some("--no-sandbox"));
    let capabilities = json!({
        "browserName": "chrome",
        "goog:loggingPrefs": {"browser": "INFO", "performance": "ALL"},
        "goog:chromeOptions": {
            "binary": programs.browser, "args": args, "perfLoggingPrefs": {"enablePage": false},
        },
    });
    serde_json::from_value::<Map<String, Value>>(capabilities).unwrap().into()
}
