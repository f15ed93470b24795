use crate::output::Row;
use cutover_model::RefusedCreateShown;
use serde::Serialize;

/// A refused create in a list.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub(super) struct Refused(pub(super) RefusedCreateShown);

impl Row for Refused {
    const HEADS: &'static [&'static str] = &["ACCOUNT", "REFUSED AT", "FAULTS"];
    const EMPTY: &'static str = "No account of the supplier was refused and not accepted since.";

    fn cells(&self) -> Vec<String> {
        let Self(refused) = self;
        let fault = |item: &cutover_model::RefusedItem| format!("{} {}", item.attr, item.code);
        let faults: Vec<String> = refused.errors.iter().map(fault).collect();
        vec![refused.external_account_number.clone(), refused.refused_at.to_string(), faults.join(", ")]
    }
}
