use crate::cli::doctor::finding::Finding;
use crate::open::{ExternalServices, OpenDatabase, build_app};
use crate::settings::Settings;
use cutover_app::port::Webhook;

const CHECK: &str = "webhooks";
/// Maximum number of disabled webhooks that are named.
const NAMED: usize = 5;

/// Names the webhooks that are disabled.
pub(super) fn webhooks(settings: &Settings, database: &OpenDatabase) -> Finding {
    match build_app(database, settings, ExternalServices::closed()).as_command().webhooks(None) {
        Ok(webhooks) => judge(&webhooks),
        Err(error) => Finding::fail(CHECK, error, "check the database"),
    }
}

fn judge(webhooks: &[Webhook]) -> Finding {
    let describe = |webhook: &Webhook| {
        let disabled = webhook.disabled.as_ref()?;
        let detail = disabled.detail.as_ref().map(|detail| format!(", {detail}")).unwrap_or_default();
        Some(format!("{} of {} ({}{detail})", webhook.name, webhook.organisation, disabled.reason))
    };
    let disabled: Vec<String> = webhooks.iter().filter_map(describe).collect();
    if disabled.is_empty() {
        return Finding::ok(CHECK, format!("{} enabled, none disabled", webhooks.len()));
    }
    let more = match disabled.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    let named = disabled.iter().take(NAMED).cloned().collect::<Vec<_>>().join("; ");
    Finding::warn(
        CHECK,
        format!("disabled: {named}{more}"),
        "repair the receiver, then `cutover webhook enable ID`, or `cutover webhook remove ID`",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use cutover_app::port::{Disabled, DisabledReason, FeedPosition};

    fn webhook(n: usize, detail: Option<&str>) -> Webhook {
        let at = "2026-11-21T02:00:00Z".parse().unwrap();
        Webhook {
            id: 1,
            name: format!("wh_{n}"),
            organisation_id: 1,
            organisation: "Acme".into(),
            url: "https://crm.example".into(),
            types: Vec::new(),
            created_at: at,
            disabled: detail.map(|detail| Disabled {
                at,
                reason: DisabledReason::Failing.into(),
                detail: Some(detail.into()),
            }),
            position: FeedPosition::default(),
            replay: None,
            missed_at: None,
            version: 0,
        }
    }

    #[test]
    fn disabled_webhooks_are_named() {
        let failing: Vec<Webhook> = (0..7).map(|n| webhook(n, Some("it answered 500"))).collect();
        let lines: Vec<String> =
            [judge(&[]), judge(&[webhook(1, None)]), judge(&failing)].iter().map(Finding::line).collect();
        insta::assert_snapshot!(lines.join("\n"));
    }
}
