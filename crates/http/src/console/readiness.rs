//! The checks before a wave and the forecast, as pages show them.

use super::view::{Moment, duration, grouped};
use super::visit::{Stop, found};
use super::visitor::Visitor;
use crate::call::Call;
use cutover_app::App;
use cutover_app::operator::{self, Check, CheckLevel, ForecastPart, Readiness, Services};
use cutover_core::Zone;

/// The checks and the forecast of a supplier.
pub(super) struct Checks {
    pub(super) is_ready: bool,
    pub(super) as_of: Moment,
    pub(super) rows: Vec<CheckRow>,
    pub(super) wave: Option<(u32, Part)>,
    pub(super) whole: Part,
}

/// A check.
pub(super) struct CheckRow {
    pub(super) name: &'static str,
    /// The word of its level, which is the name of its style as well.
    pub(super) level: &'static str,
    pub(super) label: &'static str,
    pub(super) detail: String,
    pub(super) action: Option<String>,
}

/// Accounts, and the time that they need if it is known.
pub(super) struct Part {
    pub(super) accounts: String,
    pub(super) time: Option<(String, Moment)>,
}

impl Part {
    fn new(part: &ForecastPart, zone: Zone) -> Self {
        // Without waiting accounts there is no end to foretell.
        let time = part.time.zip(part.finish_at).filter(|_| part.accounts > 0);
        Self {
            accounts: grouped(&part.accounts.to_string()),
            time: time.map(|(time, end)| (duration(time), Moment::new(end, zone))),
        }
    }
}

impl CheckRow {
    fn new(check: &Check) -> Self {
        let label = match check.level {
            CheckLevel::Ok => "OK",
            CheckLevel::Warn => "Look",
            CheckLevel::Stop => "Stop",
        };
        Self {
            name: check.name.as_str(),
            level: check.level.as_str(),
            label,
            detail: check.detail.clone(),
            action: check.action.clone(),
        }
    }
}

/// Returns what stops a release before what somebody should look at: a screen on a wall does not scroll.
fn most_urgent_first(checks: &[Check]) -> Vec<CheckRow> {
    let of = |level| checks.iter().filter(move |check| check.level == level);
    [CheckLevel::Stop, CheckLevel::Warn, CheckLevel::Ok].into_iter().flat_map(of).map(CheckRow::new).collect()
}

impl Checks {
    pub(super) fn new(readiness: &Readiness, zone: Zone) -> Self {
        let forecast = &readiness.forecast;
        Self {
            is_ready: readiness.is_ready(),
            as_of: Moment::new(readiness.as_of, zone),
            rows: most_urgent_first(&readiness.checks),
            wave: forecast.wave.as_ref().map(|(number, part)| (*number, Part::new(part, zone))),
            whole: Part::new(&forecast.whole, zone),
        }
    }
}

/// Asks the services that the checks are about, unless they were asked a few seconds ago.
pub(super) async fn probe(call: &Call, visitor: &Visitor, code: &str) -> Result<Services, Stop> {
    let (caller, code) = (visitor.caller().clone(), code.to_owned());
    let job = move |app: &App| found(app.as_caller(&caller).services_to_probe(&code, operator::Checks::All));
    let wanted = call.run(job).await?;
    Ok(call.service().app.probe_services_lately(&wanted).await)
}
