//! Reasons that operators give, for the audit trail.

use super::OperatorError;

/// Maximum length of a reason, in bytes.
const MAX_REASON: usize = 1_000;

/// Maximum length of a note, in bytes.
const MAX_NOTE: usize = 2_000;

/// Refuses a note that is blank or too long.
pub(super) fn check_note(text: &str) -> Result<(), OperatorError> {
    if text.trim().is_empty() || text.len() > MAX_NOTE {
        return Err(OperatorError::Refused("a note has 1 to 2,000 bytes".into()));
    }
    Ok(())
}

/// Refuses a reason for the audit trail that is blank or too long.
pub(super) fn check_reason(because: Option<&str>) -> Result<(), OperatorError> {
    match because {
        Some(text) if text.trim().is_empty() || text.len() > MAX_REASON => {
            Err(OperatorError::Refused("a reason has 1 to 1,000 bytes".into()))
        }
        _ => Ok(()),
    }
}
