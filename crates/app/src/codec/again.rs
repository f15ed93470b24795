use cutover_core::Zone;
use cutover_model::{AccountRequest, Decoded, Limits, SyntaxError, decode_account_within};

/// Decodes an accepted payload.
pub(crate) fn decode_again(payload: &[u8], zone: Zone) -> Result<Decoded<AccountRequest<'_>>, SyntaxError> {
    // An accepted payload is not refused because a limit was lowered since.
    let limits = Limits { items: u32::MAX, ..Limits::default() };
    let mut decoded = decode_account_within(payload, zone, limits)?;
    if let Some(request) = &mut decoded.draft {
        // The rules of the window apply at the time of the request only.
        request.task_params = Default::default();
    }
    Ok(decoded)
}
