objects! {
    /// Account statement.
    AccountStatement "account statement" {
        /// Bill period from date.
        bill_period_from_date: required date;
        /// Bill period to date.
        bill_period_to_date: required date;
        /// Statement path.
        statement_path: optional text(1024);
        /// Statement id.
        statement_id: required text(255);
        /// Average daily usage.
        average_daily_usage: optional decimal(10, 10);
        /// Total consumption.
        total_consumption: optional decimal(10, 10);
        /// Total consumption cost.
        total_consumption_cost: optional decimal(10, 10);
        /// Total supply cost.
        total_supply_cost: optional decimal(10, 10);
        /// Total feed in energy.
        total_feed_in_energy: optional decimal(10, 10);
        /// Total feed in cost.
        total_feed_in_cost: optional decimal(10, 10);
        /// Whether reversed: default false.
        is_reversed: optional boolean;
    }

    /// Account event.
    AccountEvent "account event" {
        /// Event type.
        event_type: required open(128, EVENT_TYPES);
        /// Category.
        category: required open(128, EVENT_CATEGORIES);
        /// Subcategory.
        subcategory: required open(128, EVENT_SUBCATEGORIES);
        /// Occurred at.
        occurred_at: required datetime;
        /// Description.
        description: required text;
    }

    /// Note.
    Note "note" {
        /// Body.
        body: optional text;
        /// Document paths.
        document_paths: optional list(object(NoteDocument));
        /// Created at: default: the time of creation.
        created_at: optional datetime;
        /// Whether pinned: default false.
        is_pinned: optional boolean;
        /// Unpin at: when the pin ends.
        unpin_at: optional datetime;
    }

    /// Note document.
    NoteDocument "note document" {
        /// Document path.
        document_path: required text(1024);
    }
}
