use super::value::Value;
use crate::refusal::Refusal;
use cutover_app::port::ImportedAccount;
use cutover_core::Zone;

/// Returns the members of an imported account in the order of the payload, with the data added by this
/// service and by later calls, without empty lists.
///
/// # Errors
/// [`Refusal::Unexpected`] if our own serializers wrote invalid JSON.
pub(super) fn members(imported: &ImportedAccount, zone: Zone) -> Result<Vec<(String, Value)>, Refusal> {
    let Value::Object(mut members) = read(&imported.to_json(zone))? else {
        return Err(Refusal::Unexpected("an account is no object".into()));
    };
    members.retain(|(_, value)| !matches!(value, Value::List(items) if items.is_empty()));
    Ok(members)
}

fn read(json: &[u8]) -> Result<Value, Refusal> {
    let text = std::str::from_utf8(json).map_err(|error| Refusal::Unexpected(error.to_string()))?;
    Value::read(text).map_err(|error| Refusal::Unexpected(error.to_string()))
}
