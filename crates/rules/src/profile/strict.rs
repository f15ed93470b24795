/// The rules that are errors in the profile `strict`: comparable services refuse what these report (decision 0071).
pub(super) const ERRORS: &[&str] = &[
    "ACC-07", "ACC-08", "ACC-11", "CUS-04", "CUS-08", "ADR-06", "ADR-07", "ADR-08", "ADR-09", "MPT-11",
    "MPT-12", "MPT-13", "MPT-14", "MPT-15", "MPT-17", "MPT-18", "MPT-19", "MPT-20", "AGR-03", "AGR-06",
    "AGR-07", "AGR-08", "MTR-12", "MTR-13", "MTR-14", "MTR-15", "MTR-16", "MTR-17", "MTR-18", "MTR-19",
    "MTR-20", "RDG-05", "LED-12", "LED-14", "TXN-11", "TXN-12", "TXN-14", "TXN-15", "PIN-04", "SCH-04",
    "SCH-06", "STM-04", "EVT-02", "BUS-06", "BUS-08",
];
