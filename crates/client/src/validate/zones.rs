use cutover_core::Zone;
use serde::Serialize;

/// The zone of a supplier's days and of its datetimes without offset.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct SupplierZone {
    /// The supplier; `None` for all of them.
    pub(crate) import_supplier: Option<String>,
    pub(crate) time_zone: String,
    /// True if neither an option, a profile nor a service has named it.
    pub(crate) is_assumed: bool,
}

impl SupplierZone {
    pub(super) fn new(supplier: Option<&str>, zone: Zone, is_assumed: bool) -> Self {
        let import_supplier = supplier.map(str::to_owned);
        Self { import_supplier, time_zone: zone.name().to_owned(), is_assumed }
    }
}

/// The zones for people.
pub(crate) fn named(zones: &[SupplierZone]) -> String {
    let of = |zone: &SupplierZone| {
        let supplier = zone.import_supplier.as_ref().map(|code| format!(" ({code})")).unwrap_or_default();
        let assumed = if zone.is_assumed { ", assumed: name another with --time-zone" } else { "" };
        format!("{}{supplier}{assumed}", zone.time_zone)
    };
    zones.iter().map(of).collect::<Vec<_>>().join("; ")
}
