use crate::cli::doctor::finding::Finding;
use crate::open::{ExternalServices, OpenDatabase, build_app};
use crate::settings::Settings;
use cutover_app::port::Hold;
use cutover_core::SupplierCode;

const CHECK: &str = "holds";
/// Maximum number of held suppliers that are named.
const NAMED: usize = 5;

/// Names the suppliers whose imports are held.
pub(super) fn holds(settings: &Settings, database: &OpenDatabase) -> Finding {
    match build_app(database, settings, ExternalServices::closed()).as_command().holds() {
        Ok(holds) => judge(&holds),
        Err(error) => Finding::fail(CHECK, error, "check the database"),
    }
}

fn judge(holds: &[(SupplierCode, Hold)]) -> Finding {
    if holds.is_empty() {
        return Finding::ok(CHECK, "no supplier is held".to_owned());
    }
    let more = match holds.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    let name = |(code, hold): &(SupplierCode, Hold)| {
        format!("{code} ({})", hold.reasons().map(|reason| reason.by.as_str()).collect::<Vec<_>>().join(", "))
    };
    let named = holds.iter().take(NAMED).map(name).collect::<Vec<_>>().join("; ");
    Finding::warn(
        CHECK,
        format!("imports are held: {named}{more}"),
        "look at `cutover supplier show CODE`, then `cutover supplier release CODE`",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use cutover_app::port::{HoldCause, HoldReason};

    #[test]
    fn held_suppliers_are_named() {
        let hold = |n: usize| {
            let reason = |by: HoldCause| HoldReason {
                by: by.into(),
                owner: None,
                since: "2026-11-21T02:00:00Z".parse().unwrap(),
                because: None,
            };
            let also = if n == 1 { vec![reason(HoldCause::Operator)] } else { Vec::new() };
            let first = reason(HoldCause::Wave);
            let hold = Hold { first, also, wave: Some(1), ended: 100, failed: 0, window: None };
            (format!("S-{n}").parse().unwrap(), hold)
        };
        let many: Vec<_> = (0..7).map(hold).collect();
        insta::assert_snapshot!([judge(&[]), judge(&many)].map(|finding| finding.line()).join("\n"));
    }
}
