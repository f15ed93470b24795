//! The tables that the migrations create, and the types of their columns. Both databases have the same.

/// Types of columns whose form differs between the databases.
#[expect(unreachable_pub, reason = "`table!` names them in items that it declares `pub`")]
pub(crate) mod columns {
    use diesel::query_builder::QueryId;
    use diesel::sql_types::{SqlOrd, SqlType};

    /// An instant: `timestamptz`, or microseconds since 1970.
    #[derive(Debug, Clone, Copy, Default, SqlType, QueryId)]
    #[diesel(postgres_type(oid = 1184, array_oid = 1185), sqlite_type(name = "Long"))]
    pub struct Instant;

    /// A day: `date`, or `YYYY-MM-DD`.
    #[derive(Debug, Clone, Copy, Default, SqlType, QueryId)]
    #[diesel(postgres_type(oid = 1082, array_oid = 1182), sqlite_type(name = "Text"))]
    pub struct Day;

    /// A decimal as text, with the digits that were sent.
    pub type Digits = diesel::sql_types::Text;
    /// JSON as text.
    pub type Json = diesel::sql_types::Text;

    impl SqlOrd for Instant {}
    impl SqlOrd for Day {}
}

/// The table with a column that [`DECLARED`] lacks: a table of diesel has at most 32 columns.
#[cfg(test)]
pub(crate) const DECLARED_APART: (&str, &str) = ("processes", "sent_rows -> Nullable<Text>");

/// Declares tables.
macro_rules! tables {
    ($($name:ident ($($key:ident),+) { $($columns:tt)* })*) => {
        $(
            diesel::table! {
                use diesel::sql_types::*;
                use super::columns::{Day, Digits, Instant, Json};

                $name ($($key),+) { $($columns)* }
            }
        )*

        /// The names of all tables.
        pub(crate) const NAMES: &[&str] = &[$(stringify!($name)),*];

        /// Each table with the declaration of its columns.
        #[cfg(test)]
        pub(crate) const DECLARED: &[(&str, &str)] = &[$((stringify!($name), stringify!($($columns)*)),)*];
    };
}

tables! {
    organisations (id) {
        id -> BigInt,
        name -> Text,
        created_at -> Instant,
        revoked_at -> Nullable<Instant>,
    }

    api_keys (id) {
        id -> BigInt,
        organisation_id -> BigInt,
        prefix -> Text,
        hash -> Binary,
        role -> Text,
        created_at -> Instant,
        revoked_at -> Nullable<Instant>,
    }

    refresh_tokens (hash) {
        hash -> Binary,
        family -> BigInt,
        api_key_id -> BigInt,
        expires_at -> Instant,
        used_at -> Nullable<Instant>,
    }

    signing_keys (kid) {
        kid -> Text,
        secret -> Binary,
        created_at -> Instant,
    }

    suppliers (id) {
        id -> BigInt,
        organisation_id -> BigInt,
        code -> Text,
        status -> Text,
        document_root -> Text,
        verify_documents -> Bool,
        send_customer_emails -> Bool,
        dry_run -> Bool,
        max_concurrent_imports -> Nullable<BigInt>,
        time_zone -> Text,
        rules -> Nullable<Json>,
        created_at -> Instant,
        revision -> BigInt,
        waves -> Nullable<Text>,
        hold_on_errors -> Nullable<Text>,
        mark_key -> Nullable<Text>,
        supplier_runs -> Bool,
        profile -> Text,
        country -> Text,
        undocumented_members -> Text,
        rule_values -> Nullable<Json>,
    }

    erased_accounts (supplier_id, mark) {
        supplier_id -> BigInt,
        mark -> Binary,
    }

    supplier_gates (supplier_id) {
        supplier_id -> BigInt,
        wave -> BigInt,
        wave_size -> Nullable<BigInt>,
        claimed -> BigInt,
        ended -> BigInt,
        failed -> BigInt,
        error_limit -> Nullable<BigInt>,
        error_window -> Nullable<BigInt>,
        recent -> Nullable<Binary>,
        held_by -> Nullable<Text>,
        held_since -> Nullable<Instant>,
        held_wave -> Nullable<BigInt>,
        held_ended -> Nullable<BigInt>,
        held_failed -> Nullable<BigInt>,
        held_window -> Nullable<BigInt>,
        held_because -> Nullable<Text>,
        began_at -> Nullable<Instant>,
        held_owner -> Nullable<Text>,
        held_also -> Nullable<Json>,
    }

    wave_accounts (process_id) {
        process_id -> BigInt,
        supplier_id -> BigInt,
        is_open -> Bool,
    }

    processes (id) {
        id -> BigInt,
        supplier_id -> BigInt,
        external_account_number -> Text,
        state -> Text,
        attempt -> BigInt,
        tries -> BigInt,
        version -> BigInt,
        is_dry_run -> Bool,
        window_start -> Nullable<Instant>,
        window_end -> Nullable<Instant>,
        due_at -> Instant,
        lease_until -> Nullable<Instant>,
        created_at -> Instant,
        modified_at -> Instant,
        latest_event_at -> Instant,
        error_code -> Nullable<Text>,
        error_detail -> Nullable<Text>,
        service_account_number -> Nullable<Text>,
        fingerprint -> Binary,
        issues -> Nullable<Json>,
        error_causes -> Nullable<Json>,
        warning_causes -> Nullable<Json>,
        archived_at -> Nullable<Instant>,
        failing_since -> Nullable<Instant>,
        failing_tries -> Nullable<BigInt>,
        content -> Nullable<Binary>,
        sent_high -> BigInt,
        sent_units -> BigInt,
        sent_fraction -> BigInt,
        sent_readings -> BigInt,
        sent_transactions -> BigInt,
        sent_documents -> BigInt,
    }

    process_causes (process_id, level, code, attr) {
        process_id -> BigInt,
        level -> Text,
        code -> Text,
        attr -> Text,
        supplier_id -> BigInt,
        created_at -> Instant,
        rank -> BigInt,
    }

    search_terms (block, term, process_id) {
        block -> BigInt,
        term -> Binary,
        process_id -> BigInt,
    }

    process_terms (process_id) {
        process_id -> BigInt,
        terms -> Binary,
    }

    folded_numbers (process_id) {
        process_id -> BigInt,
        supplier_id -> BigInt,
        folded -> Text,
    }

    business_terms (business_id, term) {
        business_id -> BigInt,
        term -> Binary,
    }

    search_keys (name) {
        name -> Text,
        secret -> Binary,
    }

    payloads (process_id) {
        process_id -> BigInt,
        payload -> Binary,
    }

    previous_attempts (process_id) {
        process_id -> BigInt,
        attempt -> BigInt,
        state -> Text,
        ended_at -> Instant,
        error_code -> Nullable<Text>,
        error_detail -> Nullable<Text>,
        issues -> Nullable<Json>,
        payload -> Binary,
    }

    process_history (process_id, version) {
        process_id -> BigInt,
        version -> BigInt,
        event -> Text,
        from_state -> Nullable<Text>,
        to_state -> Text,
        occurred_at -> Instant,
        attempt -> BigInt,
        actor -> Text,
    }

    jobs (id) {
        id -> BigInt,
        name -> Text,
        kind -> Text,
        organisation_id -> BigInt,
        supplier_id -> BigInt,
        supplier -> Text,
        actor -> Text,
        status -> Nullable<Text>,
        error_code -> Nullable<Text>,
        changed_before -> Nullable<Instant>,
        imported_since -> Nullable<Instant>,
        is_list -> Bool,
        created_at -> Instant,
        state -> Text,
        ended_at -> Nullable<Instant>,
        matched -> BigInt,
        changed -> BigInt,
        skipped -> BigInt,
        failed -> BigInt,
        removed -> Nullable<Json>,
        part -> BigInt,
        position_at -> Nullable<Instant>,
        position_id -> BigInt,
        due_at -> Nullable<Instant>,
        claim -> BigInt,
        version -> BigInt,
        run -> Nullable<Text>,
        wave -> Nullable<BigInt>,
        imported_until -> Nullable<Instant>,
        is_undone -> Nullable<Bool>,
        because -> Nullable<Text>,
    }

    runs (id) {
        id -> BigInt,
        supplier_id -> BigInt,
        name -> Text,
        started_at -> Instant,
        ended_at -> Nullable<Instant>,
    }

    run_outcomes (run_id, process_id) {
        run_id -> BigInt,
        process_id -> BigInt,
        state -> Text,
        ended_at -> Instant,
        content -> Nullable<Binary>,
        causes -> Nullable<Json>,
        accounts -> BigInt,
        ledger_balance -> Text,
        readings -> BigInt,
        transactions -> BigInt,
        documents -> BigInt,
        paths -> Nullable<Binary>,
    }

    run_refusals (run_id, external_account_number) {
        run_id -> BigInt,
        external_account_number -> Text,
        refused_at -> Instant,
        causes -> Json,
    }

    run_figures (run_id, shard) {
        run_id -> BigInt,
        shard -> BigInt,
        figures -> Json,
    }

    supplier_waves (id) {
        id -> BigInt,
        supplier_id -> BigInt,
        wave -> BigInt,
        began_at -> Instant,
    }

    service_holds (id) {
        id -> BigInt,
        supplier_id -> BigInt,
        held_at -> Instant,
        held_by -> Text,
        wave -> Nullable<BigInt>,
        ended -> BigInt,
        failed -> BigInt,
    }

    supplier_notes (id) {
        id -> BigInt,
        supplier_id -> BigInt,
        written_at -> Instant,
        author -> Text,
        body -> Text,
    }

    job_items (job_id, item_id) {
        job_id -> BigInt,
        item_id -> BigInt,
    }

    feed_events (organisation_id, written_in, id) {
        organisation_id -> BigInt,
        written_in -> BigInt,
        id -> BigInt,
        kind -> Text,
        occurred_at -> Instant,
        supplier -> Text,
        external_account_number -> Nullable<Text>,
        service_account_number -> Nullable<Text>,
        attempt -> Nullable<BigInt>,
        data -> Nullable<Json>,
    }

    feed_expiries (organisation_id) {
        organisation_id -> BigInt,
        written_in -> BigInt,
        id -> BigInt,
    }

    feed_origin (transactions_before) {
        transactions_before -> BigInt,
    }

    accounts (id) {
        id -> BigInt,
        supplier_id -> BigInt,
        external_account_number -> Text,
        number -> Text,
        customer_emails -> Bool,
        imported_at -> Instant,
        communication_preference -> Nullable<Text>,
        billing_name -> Nullable<Text>,
        transfer_balance -> Nullable<Digits>,
        last_billed_to_date -> Nullable<Day>,
        business_contract_identifier -> Nullable<Text>,
        details -> Nullable<Json>,
        added_at -> Nullable<Instant>,
        billed_at -> Nullable<Instant>,
        total_balance -> Nullable<Text>,
        total_readings -> Nullable<BigInt>,
        total_transactions -> Nullable<BigInt>,
        total_documents -> Nullable<BigInt>,
        total_rows -> Nullable<Text>,
    }

    retired_numbers (number) {
        number -> Text,
    }

    customers (account_id, position) {
        account_id -> BigInt,
        position -> BigInt,
        given_name -> Nullable<Text>,
        family_name -> Nullable<Text>,
        email -> Nullable<Text>,
        mobile -> Nullable<Text>,
        landline -> Nullable<Text>,
        date_of_birth -> Nullable<Day>,
        details -> Nullable<Json>,
    }

    supply_addresses (account_id, position) {
        account_id -> BigInt,
        position -> BigInt,
        administrative_area -> Text,
        locality -> Text,
        postal_code -> Text,
        country -> Text,
        is_landlord -> Nullable<Bool>,
        customer_from -> Day,
        details -> Nullable<Json>,
    }

    property_administrators (account_id, position) {
        account_id -> BigInt,
        position -> BigInt,
        supply_address -> BigInt,
        given_name -> Nullable<Text>,
        family_name -> Nullable<Text>,
        email -> Nullable<Text>,
        mobile -> Nullable<Text>,
        landline -> Nullable<Text>,
    }

    meter_points (account_id, position) {
        account_id -> BigInt,
        position -> BigInt,
        supply_address -> BigInt,
        organisation_id -> BigInt,
        mpxn -> Text,
        supply_type -> Text,
        supply_start_date -> Day,
        supply_end_date -> Nullable<Day>,
        details -> Nullable<Json>,
    }

    agreements (account_id, position) {
        account_id -> BigInt,
        position -> BigInt,
        meter_point -> BigInt,
        tariff_code -> Text,
        effective_from -> Day,
        effective_to -> Nullable<Day>,
        agreed_at -> Nullable<Instant>,
        business_contract_identifier -> Nullable<Text>,
    }

    meters (account_id, position) {
        account_id -> BigInt,
        position -> BigInt,
        meter_point -> BigInt,
        serial_number -> Text,
        installed_on -> Nullable<Day>,
        removed_on -> Nullable<Day>,
        details -> Nullable<Json>,
    }

    registers (account_id, position) {
        account_id -> BigInt,
        position -> BigInt,
        meter -> BigInt,
        register_id -> Text,
        last_billed_to_date -> Nullable<Day>,
        details -> Nullable<Json>,
    }

    readings (account_id, position) {
        account_id -> BigInt,
        position -> BigInt,
        meter -> BigInt,
        kind -> Text,
        register_id -> Nullable<Text>,
        reading_date -> Day,
        value -> Digits,
        quality -> Text,
        billed -> Nullable<Bool>,
        details -> Nullable<Json>,
    }

    ledgers (account_id, position) {
        account_id -> BigInt,
        position -> BigInt,
        last_statement_closing_date -> Nullable<Day>,
        last_statement_issue_date -> Nullable<Day>,
        last_statement_balance -> Nullable<Digits>,
        balance -> Nullable<Digits>,
    }

    transactions (account_id, position) {
        account_id -> BigInt,
        position -> BigInt,
        ledger -> BigInt,
        statement -> Text,
        transaction_id -> Text,
        transaction_date -> Day,
        amount -> Digits,
        #[sql_name = "type"]
        kind -> Text,
        reason -> Nullable<Text>,
        display_note -> Nullable<Text>,
        note -> Nullable<Text>,
        reference -> Nullable<Text>,
        payment_type -> Nullable<Text>,
        product_code -> Nullable<Text>,
        sent_date -> Nullable<Day>,
    }

    line_items (account_id, txn, position) {
        account_id -> BigInt,
        txn -> BigInt,
        position -> BigInt,
        rate_band -> Nullable<Text>,
        start_date -> Day,
        end_date -> Day,
        number_of_units -> Digits,
        net_amount -> Digits,
        price_per_unit -> Nullable<Digits>,
        details -> Nullable<Json>,
    }

    tax_items (account_id, txn, position) {
        account_id -> BigInt,
        txn -> BigInt,
        position -> BigInt,
        amount -> Digits,
        tax_type -> Text,
        value_taxed -> Digits,
        rate -> Digits,
        unit_type -> Text,
    }

    payment_instructions (account_id, position) {
        account_id -> BigInt,
        position -> BigInt,
        vendor -> Text,
        #[sql_name = "type"]
        kind -> Text,
        reference -> Text,
        valid_from -> Day,
        details -> Nullable<Json>,
    }

    payment_schedules (account_id, position) {
        account_id -> BigInt,
        position -> BigInt,
        amount -> Nullable<Digits>,
        day_of_month -> Nullable<BigInt>,
        frequency -> Nullable<Text>,
        means -> Text,
        start_date -> Day,
        is_debt_repayment_plan -> Nullable<Bool>,
    }

    statements (account_id, position) {
        account_id -> BigInt,
        position -> BigInt,
        statement_id -> Text,
        bill_period_from_date -> Day,
        bill_period_to_date -> Day,
        statement_path -> Nullable<Text>,
        average_daily_usage -> Nullable<Digits>,
        total_consumption -> Nullable<Digits>,
        total_consumption_cost -> Nullable<Digits>,
        total_supply_cost -> Nullable<Digits>,
        total_feed_in_energy -> Nullable<Digits>,
        total_feed_in_cost -> Nullable<Digits>,
        is_reversed -> Nullable<Bool>,
    }

    notes (account_id, position) {
        account_id -> BigInt,
        position -> BigInt,
        body -> Nullable<Text>,
        content_hash -> Binary,
        created_at -> Instant,
        is_pinned -> Nullable<Bool>,
        unpin_at -> Nullable<Instant>,
    }

    note_documents (account_id, note, position) {
        account_id -> BigInt,
        note -> BigInt,
        position -> BigInt,
        document_path -> Text,
    }

    account_events (account_id, position) {
        account_id -> BigInt,
        position -> BigInt,
        event_type -> Text,
        category -> Text,
        subcategory -> Text,
        occurred_at -> Instant,
        description -> Text,
    }

    historical_statements (account_id, position) {
        account_id -> BigInt,
        position -> BigInt,
        statement_id -> Text,
        bill_period_from_date -> Day,
        bill_period_to_date -> Day,
        issued_date -> Nullable<Day>,
        number -> Nullable<Text>,
        gross_amount -> Nullable<Digits>,
        statement_path -> Nullable<Text>,
        fingerprint -> Binary,
        added_at -> Instant,
    }

    account_instructions (account_id, position) {
        account_id -> BigInt,
        position -> BigInt,
        vendor -> Text,
        #[sql_name = "type"]
        kind -> Text,
        reference -> Text,
        details -> Json,
        verified_at -> Instant,
    }

    businesses (id) {
        id -> BigInt,
        organisation_id -> BigInt,
        number -> BigInt,
        supplier_id -> BigInt,
        external_identifier -> Text,
        business_type -> Nullable<Text>,
        company_number -> Nullable<Text>,
        company_name -> Nullable<Text>,
        fingerprint -> Binary,
        created_at -> Instant,
    }

    business_numbers (organisation_id) {
        organisation_id -> BigInt,
        last -> BigInt,
    }

    absent_contracts (organisation_id, identifier) {
        organisation_id -> BigInt,
        identifier -> Text,
    }

    process_contracts (process_id) {
        process_id -> BigInt,
        organisation_id -> BigInt,
        identifier -> Text,
        is_in_use -> Bool,
    }

    business_details (business_id, position) {
        business_id -> BigInt,
        position -> BigInt,
        key -> Text,
        value -> Text,
    }

    business_contracts (business_id, position) {
        business_id -> BigInt,
        position -> BigInt,
        organisation_id -> BigInt,
        identifier -> Text,
        valid_from_date -> Day,
        signed_at_date -> Day,
    }

    business_contract_versions (business_id, contract, position) {
        business_id -> BigInt,
        contract -> BigInt,
        position -> BigInt,
        applicable_at_date -> Day,
        terms -> Text,
    }

    business_instructions (business_id, position) {
        business_id -> BigInt,
        position -> BigInt,
        vendor -> Text,
        #[sql_name = "type"]
        kind -> Text,
        reference -> Text,
        details -> Json,
        verified_at -> Instant,
    }

    business_instruction_accounts (business_id, instruction, account_id) {
        business_id -> BigInt,
        instruction -> BigInt,
        account_id -> BigInt,
    }

    process_counts (supplier_id, state, error_code) {
        supplier_id -> BigInt,
        state -> Text,
        error_code -> Text,
        processes -> BigInt,
        sent_high -> BigInt,
        sent_units -> BigInt,
        sent_fraction -> BigInt,
        sent_readings -> BigInt,
        sent_transactions -> BigInt,
        sent_documents -> BigInt,
    }

    process_minutes (supplier_id, minute, state) {
        supplier_id -> BigInt,
        minute -> Instant,
        state -> Text,
        processes -> BigInt,
        first_at -> Nullable<Instant>,
        last_at -> Nullable<Instant>,
    }

    cause_counts (supplier_id, level, code, attr) {
        supplier_id -> BigInt,
        level -> Text,
        code -> Text,
        attr -> Text,
        accounts -> BigInt,
    }

    process_changes (id) {
        id -> BigInt,
        supplier_id -> BigInt,
        state -> Text,
        error_code -> Text,
        minute -> Nullable<Instant>,
        change -> BigInt,
        first_at -> Nullable<Instant>,
        last_at -> Nullable<Instant>,
        sent_high -> BigInt,
        sent_units -> BigInt,
        sent_fraction -> BigInt,
        sent_readings -> BigInt,
        sent_transactions -> BigInt,
        sent_documents -> BigInt,
    }

    cause_changes (id) {
        id -> BigInt,
        supplier_id -> BigInt,
        level -> Text,
        code -> Text,
        attr -> Text,
        change -> BigInt,
    }

    totals (supplier_id) {
        supplier_id -> BigInt,
        accounts -> BigInt,
        ledger_balance -> Text,
        readings -> BigInt,
        transactions -> BigInt,
        documents -> BigInt,
    }

    total_changes (id) {
        id -> BigInt,
        supplier_id -> BigInt,
        accounts -> BigInt,
        ledger_balance -> Text,
        readings -> BigInt,
        transactions -> BigInt,
        documents -> BigInt,
    }

    activity_minutes (supplier_id, minute, kind) {
        supplier_id -> BigInt,
        minute -> Instant,
        kind -> Text,
        accounts -> BigInt,
    }

    activity_changes (id) {
        id -> BigInt,
        supplier_id -> BigInt,
        minute -> Instant,
        kind -> Text,
        change -> BigInt,
    }

    row_counts (supplier_id, is_sent) {
        supplier_id -> BigInt,
        is_sent -> Bool,
        counts -> Text,
    }

    row_changes (id) {
        id -> BigInt,
        supplier_id -> BigInt,
        is_sent -> Bool,
        times -> BigInt,
        counts -> Text,
    }

    folded_changes (kind) {
        kind -> Text,
        folded_to -> BigInt,
        next_bound -> BigInt,
        next_transaction -> BigInt,
    }

    manifests (supplier_id) {
        supplier_id -> BigInt,
        accounts -> BigInt,
        ledger_balance -> Text,
        readings -> BigInt,
        transactions -> BigInt,
        documents -> BigInt,
        declared_at -> Instant,
        counts -> Nullable<Text>,
    }

    manifest_lists (supplier_id) {
        supplier_id -> BigInt,
        list -> Nullable<BigInt>,
        numbers -> BigInt,
        loading_list -> Nullable<BigInt>,
        loading_numbers -> BigInt,
        part -> BigInt,
    }

    manifest_numbers (supplier_id, list, external_account_number) {
        supplier_id -> BigInt,
        list -> BigInt,
        external_account_number -> Text,
    }

    account_additions (account_id, content) {
        account_id -> BigInt,
        content -> Binary,
        copies -> BigInt,
    }

    certificate_keys (key_id) {
        key_id -> Text,
        public_key -> Binary,
        secret -> Binary,
        created_at -> Instant,
        retired_at -> Nullable<Instant>,
    }

    certificates (id) {
        id -> BigInt,
        name -> Text,
        supplier_id -> BigInt,
        begun_at -> Instant,
        document -> Nullable<Text>,
        has_leaves -> Bool,
        is_replaceable -> Bool,
    }

    certificate_subtrees (certificate_id, position) {
        certificate_id -> BigInt,
        position -> BigInt,
        first_number -> Nullable<Text>,
        root -> Binary,
        leaves -> Binary,
    }

    certificate_erasures (certificate_id, external_account_number) {
        certificate_id -> BigInt,
        external_account_number -> Text,
    }

    audit_trail (id) {
        id -> BigInt,
        occurred_at -> Instant,
        actor -> Text,
        action -> Text,
        organisation_id -> Nullable<BigInt>,
        supplier_id -> Nullable<BigInt>,
        process_id -> Nullable<BigInt>,
        detail -> Nullable<Json>,
    }

    refused_creates (supplier_id, external_account_number) {
        supplier_id -> BigInt,
        external_account_number -> Text,
        refused_at -> Instant,
        causes -> Json,
    }

    refused_totals (supplier_id) {
        supplier_id -> BigInt,
        accounts -> BigInt,
        without_number -> BigInt,
    }

    refused_causes (supplier_id, code, attr) {
        supplier_id -> BigInt,
        code -> Text,
        attr -> Text,
        accounts -> BigInt,
    }

    installation (id) {
        id -> Text,
    }

    nodes (id) {
        id -> Text,
        role -> Text,
        version -> Text,
        encryption_keys -> Text,
        started_at -> Instant,
        seen_at -> Instant,
        refused_as_of -> Nullable<Instant>,
    }

    webhooks (id) {
        id -> BigInt,
        name -> Text,
        organisation_id -> BigInt,
        url -> Text,
        types -> Nullable<Text>,
        created_at -> Instant,
        disabled_at -> Nullable<Instant>,
        disabled_reason -> Nullable<Text>,
        disabled_detail -> Nullable<Text>,
        written_in -> BigInt,
        event_id -> BigInt,
        replay_since -> Nullable<Instant>,
        replay_written_in -> Nullable<BigInt>,
        replay_event_id -> Nullable<BigInt>,
        missed_at -> Nullable<Instant>,
        removed_at -> Nullable<Instant>,
        version -> BigInt,
    }

    webhook_secrets (webhook_id, position) {
        webhook_id -> BigInt,
        position -> BigInt,
        secret -> Text,
        created_at -> Instant,
        expires_at -> Nullable<Instant>,
    }

    webhook_deliveries (webhook_id, written_in, event_id) {
        webhook_id -> BigInt,
        written_in -> BigInt,
        event_id -> BigInt,
        kind -> Text,
        occurred_at -> Instant,
        state -> Text,
        attempts -> BigInt,
        first_attempt_at -> Nullable<Instant>,
        due_at -> Nullable<Instant>,
        claim -> BigInt,
        status -> Nullable<BigInt>,
        failure -> Nullable<Text>,
        answer -> Nullable<Binary>,
        attempted_at -> Nullable<Instant>,
    }

    payment_vendors (organisation_id, name) {
        organisation_id -> BigInt,
        name -> Text,
        kind -> Text,
        base_url -> Text,
        secret_env -> Nullable<Text>,
        created_at -> Instant,
    }
}

diesel::joinable!(api_keys -> organisations (organisation_id));
diesel::joinable!(payment_vendors -> organisations (organisation_id));
diesel::joinable!(suppliers -> organisations (organisation_id));
diesel::joinable!(webhooks -> organisations (organisation_id));
diesel::joinable!(processes -> suppliers (supplier_id));
diesel::joinable!(supplier_gates -> suppliers (supplier_id));
diesel::joinable!(runs -> suppliers (supplier_id));
diesel::joinable!(accounts -> suppliers (supplier_id));
diesel::joinable!(process_contracts -> processes (process_id));
diesel::joinable!(businesses -> suppliers (supplier_id));
diesel::joinable!(meter_points -> accounts (account_id));
diesel::allow_tables_to_appear_in_same_query!(payment_vendors, organisations);
diesel::allow_tables_to_appear_in_same_query!(api_keys, organisations);
diesel::allow_tables_to_appear_in_same_query!(suppliers, organisations);
diesel::allow_tables_to_appear_in_same_query!(webhooks, organisations);
diesel::allow_tables_to_appear_in_same_query!(processes, suppliers);
diesel::allow_tables_to_appear_in_same_query!(supplier_gates, suppliers);
diesel::allow_tables_to_appear_in_same_query!(wave_accounts, processes);
diesel::allow_tables_to_appear_in_same_query!(runs, suppliers);
diesel::allow_tables_to_appear_in_same_query!(runs, run_outcomes);
diesel::allow_tables_to_appear_in_same_query!(process_contracts, processes);
diesel::allow_tables_to_appear_in_same_query!(businesses, suppliers);
diesel::allow_tables_to_appear_in_same_query!(meter_points, accounts, suppliers);
diesel::allow_tables_to_appear_in_same_query!(line_items, transactions);
