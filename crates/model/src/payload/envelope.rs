objects! {
    /// An account together with when and how to import it; the bare account is taken too (contract D5).
    AccountEnvelope "account envelope" {
        /// The account.
        payload: required object(Account);
        /// When and how to import it; absent or `null` = as soon as possible.
        task_params: nullable object(TaskParams);
    }

    /// When and how an account is imported (contract D5).
    TaskParams "task parameters" {
        /// Whether the import is only tried and then undone; default false, but a supplier can be set to dry
        /// runs only (contract D1, D6).
        is_dry_run: optional boolean;
        /// Earliest instant of the import; absent or `null` = now (rules WIN-01, WIN-04).
        schedule_window_start: nullable datetime;
        /// Instant after which the import no longer starts, at most four days ahead; absent or `null` = none
        /// (rules WIN-02, WIN-03).
        schedule_window_end: nullable datetime;
    }
}
