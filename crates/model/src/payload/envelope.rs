objects! {
    /// Account envelope.
    AccountEnvelope "account envelope" {
        /// Payload.
        payload: required object(Account);
        /// Task params: absent or null = run as soon as possible.
        task_params: nullable object(TaskParams);
    }

    /// Task parameters.
    TaskParams "task parameters" {
        /// Whether dry run: default false.
        is_dry_run: optional boolean;
        /// Schedule window start.
        schedule_window_start: nullable datetime;
        /// Schedule window end.
        schedule_window_end: nullable datetime;
    }
}
