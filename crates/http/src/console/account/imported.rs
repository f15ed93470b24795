use super::value::Value;
use crate::refusal::Refusal;
use cutover_app::account::shown_time;
use cutover_app::port::{ImportedAccount, VerifiedInstruction};
use cutover_core::Zone;
use cutover_model::{Encode, Writer};

/// Returns the members of an imported account in the order of the payload, with the data added by this
/// service and by later calls.
///
/// # Errors
/// [`Refusal::Unexpected`] if our own serializers wrote invalid JSON.
pub(super) fn members(imported: &ImportedAccount, zone: Zone) -> Result<Vec<(String, Value)>, Refusal> {
    let mut writer = Writer::new();
    writer
        .array(|writer| imported.historical_statements.iter().for_each(|statement| statement.encode(writer)));
    let added = [
        ("historical_statements", read(&writer.into_bytes())?),
        ("verified_payment_instructions", instructions(&imported.verified_instructions, zone)?),
    ];
    let Value::Object(mut members) = read(&imported.account_json(zone))? else {
        return Err(Refusal::Unexpected("an account is no object".into()));
    };
    members.insert(0, ("service_account_number".into(), Value::Text(imported.number.to_string())));
    members.insert(1, ("customer_emails".into(), Value::Plain(imported.customer_emails.to_string())));
    let has_items = |value: &Value| !matches!(value, Value::List(items) if items.is_empty());
    members.extend(added.map(|(name, value)| (name.to_owned(), value)));
    members.retain(|(_, value)| has_items(value));
    Ok(members)
}

fn instructions(instructions: &[VerifiedInstruction], zone: Zone) -> Result<Value, Refusal> {
    let shown = |instruction: &VerifiedInstruction| {
        let VerifiedInstruction { key, details, verified_at } = instruction;
        let text = |name: &str, text: String| (name.to_owned(), Value::Text(text));
        let mut members = vec![
            text("vendor", key.vendor.clone()),
            text("type", key.kind.as_str().to_owned()),
            text("reference", key.reference.clone()),
        ];
        let details = serde_json::to_vec(details).map_err(|error| Refusal::Unexpected(error.to_string()))?;
        if let Value::Object(details) = read(&details)? {
            members.extend(details);
        }
        members.push(text("verified_at", shown_time(zone.local(*verified_at))));
        Ok(Value::Object(members))
    };
    Ok(Value::List(instructions.iter().map(shown).collect::<Result<_, Refusal>>()?))
}

fn read(json: &[u8]) -> Result<Value, Refusal> {
    let text = std::str::from_utf8(json).map_err(|error| Refusal::Unexpected(error.to_string()))?;
    Value::read(text).map_err(|error| Refusal::Unexpected(error.to_string()))
}
