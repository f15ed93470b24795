crate::string_enum! {
    "a supplier status", in any case;
    /// The status of an import supplier, which decides if it takes accounts (contract 2.1). Set by the
    /// operator.
    pub enum SupplierStatus {
        /// Accepting new accounts.
        Ongoing = "Ongoing",
        /// Migrations paused; more accounts expected.
        Paused = "Paused",
        /// Migrations finished; no more expected. Behaves as `Paused`.
        Complete = "Complete",
    }
}
