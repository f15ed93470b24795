use crate::error::Error;
use serde_json::Value;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Time without any change after which the demo fails, also on a slow machine.
const STALLED: Duration = Duration::from_secs(300);
const POLL_INTERVAL: Duration = Duration::from_millis(25);

/// Polls a state until it is as wanted, and returns it.
pub(super) fn wait(
    what: &str,
    mut poll: impl FnMut() -> Result<Value, Error>,
    is_wanted: impl Fn(&Value) -> bool,
) -> Result<Value, Error> {
    let (mut last, mut since) = (Value::Null, Instant::now());
    loop {
        let state = poll()?;
        if is_wanted(&state) {
            return Ok(state);
        }
        if state != last {
            (last, since) = (state, Instant::now());
        } else if since.elapsed() > STALLED {
            return Err(Error::refused(format!("{what} is waited for in vain: {state}")));
        }
        sleep(POLL_INTERVAL);
    }
}
