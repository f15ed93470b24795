objects! {
    /// A run that a supplier starts (contract D23).
    RunRequest "run" {
        /// Its name, which no other run of the supplier has.
        name: required text(100) shown;
    }
}
