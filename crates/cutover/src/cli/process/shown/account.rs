use cutover_app::port::ImportedAccount;
use cutover_core::Zone;
use serde_json::value::RawValue;

/// The imported account with all stored digits, and with additions of the service and of later calls.
pub(super) fn embedded(imported: &ImportedAccount, zone: Zone) -> Option<Box<RawValue>> {
    RawValue::from_string(String::from_utf8(imported.to_json(zone)).ok()?).ok()
}

/// Describes the additions since the import; `None` if there are none.
pub(super) fn added(imported: &ImportedAccount) -> Option<String> {
    let counted = [
        (imported.historical_statements.len(), "historical statement"),
        (imported.verified_instructions.len(), "payment instruction"),
    ];
    let words = |(count, what): (usize, &str)| match count {
        0 => None,
        1 => Some(format!("1 {what}")),
        _ => Some(format!("{count} {what}s")),
    };
    let parts: Vec<String> = counted.into_iter().filter_map(words).collect();
    if parts.is_empty() { None } else { Some(parts.join(", ")) }
}
