//! The causes that a process is counted by, as JSON.

use super::super::types::Json;
use crate::error::Result;
use cutover_app::port::Cause;

/// Returns the value of a column of causes, null if there are none: the code and the pattern of each, and its rank
/// among those of its code. They are sorted, so equal causes are equal text.
pub(crate) fn write(causes: &[Cause]) -> Result<Option<Json<'static>>> {
    if causes.is_empty() {
        return Ok(None);
    }
    let (mut before, mut rank) = (None, 0);
    let rows = causes.iter().map(|cause| {
        rank = if before.replace(&cause.code) == Some(&cause.code) { rank + 1 } else { 0_u32 };
        (&cause.code, cause.attr.as_deref().unwrap_or_default(), rank)
    });
    Json::of(&rows.collect::<Vec<_>>()).map(Some)
}

/// Reads a column of causes.
pub(crate) fn read(column: Option<Json<'_>>) -> Result<Vec<Cause>> {
    let Some(column) = column else { return Ok(Vec::new()) };
    let rows: Vec<(String, String, u32)> = column.read("a list of causes")?;
    let cause = |(code, attr, _)| Cause { code, attr: Some(attr).filter(|attr: &String| !attr.is_empty()) };
    Ok(rows.into_iter().map(cause).collect())
}
