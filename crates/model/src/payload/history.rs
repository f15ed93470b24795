objects! {
    /// An earlier statement of an account, with its figures (contract 2.3).
    AccountStatement "account statement" in statements {
        /// Start of the period billed.
        bill_period_from_date: required date;
        /// End of the period billed, not before its start (rule STM-01).
        bill_period_to_date: required date;
        /// Path of the PDF under the supplier's document root (rules 10.5, DOC-01 to DOC-03, STM-04).
        statement_path: optional text(1024) document;
        /// Identifier of the statement, expected once in the payload (rule STM-02).
        statement_id: required text(255) shown;
        /// Average use a day in the period; the contract gives no unit.
        average_daily_usage: optional decimal(10, 10);
        /// Use in the period; the contract gives no unit.
        total_consumption: optional decimal(10, 10);
        /// Cost of the use in the period.
        total_consumption_cost: optional decimal(10, 10);
        /// Cost of the supply in the period.
        total_supply_cost: optional decimal(10, 10);
        /// Energy fed into the grid in the period; the contract gives no unit.
        total_feed_in_energy: optional decimal(10, 10);
        /// Cost of the energy fed into the grid in the period.
        total_feed_in_cost: optional decimal(10, 10);
        /// True if the statement has been reversed; default false.
        is_reversed: optional boolean;
    }

    /// Something that happened to an account before its import (contract 2.3).
    AccountEvent "account event" in events {
        /// Type of the event; `SUPPRESS_MIGRATION_COMMS` stops e-mails to the customer; an open list
        /// (contract D1, rule STR-19).
        event_type: required open(128, EVENT_TYPES) shown;
        /// Group of the event, for example `communications` (rule EVT-02); an open list (rule STR-19).
        category: required open(128, EVENT_CATEGORIES) shown;
        /// Finer group of the event, for example `price_change` (rule EVT-02); an open list (rule STR-19).
        subcategory: required open(128, EVENT_SUBCATEGORIES) shown;
        /// Time of the event, expected not to be in the future (rule EVT-01).
        occurred_at: required datetime;
        /// Description of the event in words.
        description: required text personal;
    }

    /// A note on an account (contract 2.4).
    Note "note" in notes {
        /// Text of the note; must be given if there are no documents (rule NOT-01).
        body: optional text personal;
        /// Documents of the note; must be given if there is no body (rule NOT-01).
        document_paths: optional list(object(NoteDocument)) personal;
        /// Time at which the note was written; default: the time of creation (rules NOT-02, NOT-04).
        created_at: optional datetime;
        /// True if the note stays above the other notes of the account; default false.
        is_pinned: optional boolean;
        /// End of the pin, not before `created_at`; absent = it stays (rules NOT-02, NOT-03).
        unpin_at: optional datetime;
    }

    /// A document of a note (contract 2.4).
    NoteDocument "note document" in note_documents {
        /// Path of the document under the supplier's document root (rules 10.5, DOC-01, DOC-02).
        document_path: required text(1024) document;
    }
}
