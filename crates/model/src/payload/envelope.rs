objects! {
    /// An account with the parameters of its import; the bare account is accepted too (contract D5).
    AccountEnvelope "account envelope" {
        /// The account.
        payload: required object(Account);
        /// Parameters of the import; absent or `null` = as soon as possible.
        task_params: nullable object(TaskParams);
    }

    /// Parameters of the import of an account (contract D5).
    TaskParams "task parameters" {
        /// True if the import is only tried and then undone; default false, but a supplier can be set to dry
        /// runs only (contract D1, D6).
        is_dry_run: optional boolean;
        /// Earliest instant of the import, before the end; absent or `null` = now (rules WIN-01, WIN-04).
        schedule_window_start: nullable datetime;
        /// Instant after which the import no longer starts, at most four days ahead; absent or `null` = none
        /// (rules WIN-02, WIN-03).
        schedule_window_end: nullable datetime;
    }
}
