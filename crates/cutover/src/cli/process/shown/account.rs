use crate::output::ZonedTime;
use cutover_app::port::{ImportedAccount, InstructionDetails, VerifiedInstruction};
use cutover_core::Zone;
use cutover_model::{Encode, HistoricalStatement, Writer};
use serde::Serialize;
use serde_json::value::RawValue;

/// A payment instruction that was added since the import.
#[derive(Serialize)]
struct Instruction<'a> {
    vendor: &'a str,
    #[serde(rename = "type")]
    kind: &'static str,
    reference: &'a str,
    #[serde(flatten)]
    details: &'a InstructionDetails,
    verified_at: ZonedTime,
}

impl<'a> Instruction<'a> {
    fn new(instruction: &'a VerifiedInstruction, zone: Zone) -> Self {
        let VerifiedInstruction { key, details, verified_at } = instruction;
        Self {
            vendor: &key.vendor,
            kind: key.kind.as_str(),
            reference: &key.reference,
            details,
            verified_at: ZonedTime::local(*verified_at, zone),
        }
    }
}

/// The imported account with all stored digits, and with additions of the service and of later calls. Empty lists are
/// left out.
pub(super) fn embedded(imported: &ImportedAccount, zone: Zone) -> Option<Box<RawValue>> {
    let account = String::from_utf8(imported.account_json(zone)).ok()?;
    let members = account.strip_prefix('{')?.strip_suffix('}')?;
    let number = format!("\"service_account_number\":\"{}\"", imported.number);
    let emails = format!("\"customer_emails\":{}", imported.customer_emails);
    let statements = member("historical_statements", statements(&imported.historical_statements)?);
    let instructions =
        member("verified_payment_instructions", instructions(&imported.verified_instructions, zone)?);
    let parts = [&number, &emails, members, &statements, &instructions];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    RawValue::from_string(format!("{{{}}}", parts.join(","))).ok()
}

fn member(name: &str, items: String) -> String {
    if items == "[]" { String::new() } else { format!("\"{name}\":{items}") }
}

fn statements(statements: &[HistoricalStatement<'_>]) -> Option<String> {
    let mut writer = Writer::new();
    writer.array(|writer| statements.iter().for_each(|statement| statement.encode(writer)));
    String::from_utf8(writer.into_bytes()).ok()
}

fn instructions(instructions: &[VerifiedInstruction], zone: Zone) -> Option<String> {
    let shown: Vec<_> = instructions.iter().map(|i| Instruction::new(i, zone)).collect();
    serde_json::to_string(&shown).ok()
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
