//! The contract of every store, as small stories. Each takes an empty store and panics if the store violates
//! it.
//!
//! A store runs them all with one line:
//!
//! ```text
//! cutover_testkit::store_suite!(with_an_empty_store);
//! ```
//!
//! `with_an_empty_store(story: fn(&dyn Store))` opens a store, calls the story and closes it.

#![expect(clippy::unwrap_used, reason = "a story fails by panicking, like any test")]

pub mod accounts;
pub mod archive;
pub mod audit;
pub mod businesses;
pub mod causes;
pub mod certificates;
pub mod erasure;
pub mod feed;
pub mod figures;
pub mod gates;
pub mod identity;
pub mod import_order;
pub mod instructions;
pub mod jobs;
pub mod kept;
pub mod ledgers;
pub mod lists;
pub mod mass;
pub mod meter_points;
pub mod nodes;
pub mod notes;
pub mod previous;
pub mod processes;
pub mod queue;
pub mod readiness;
pub mod refusals;
pub mod runs;
pub mod search;
pub mod sent;
pub mod staging;
pub mod statements;
pub mod steps;
pub mod supplier_erasure;
pub mod suppliers;
pub mod timeline;
pub mod transactions;
pub mod undo;
pub mod vendors;
pub mod webhooks;

mod helpers;
mod imported;

/// Defines the macro that turns stories into tests. `$d` is a dollar sign.
macro_rules! stories {
    ($d:tt $($part:ident: $($story:ident)*;)*) => {
        /// Defines a test for each story of the suite; the argument calls a story with an empty store.
        #[macro_export]
        macro_rules! store_suite {
            ($d with:path) => {
                $($(
                    #[test]
                    fn $story() {
                        $d with($crate::store_suite::$part::$story);
                    }
                )*)*
            };
        }
    };
}

stories! { $
    identity:
        names_of_organisations_are_unique
        keys_of_every_role_read_back
        keys_are_good_until_they_or_their_organisation_are_revoked
        refresh_tokens_work_once
        refresh_tokens_are_removed_by_family_and_by_time
        signing_keys_are_listed_newest_first_and_old_ones_are_removed
        a_signing_key_is_removed_by_its_id;
    suppliers:
        settings_read_back
        codes_are_unique
        concurrent_changes_of_settings_are_all_kept
        suppliers_are_found_together
        suppliers_are_listed_by_code;
    processes:
        a_process_reads_back
        an_account_has_one_process
        pages_continue_where_the_last_one_ended
        lists_can_be_filtered_by_status
        lists_can_be_filtered_by_error_and_time
        a_page_reads_a_limited_number_of_rows_and_may_be_empty
        pages_give_every_match_once
        accounts_are_found_by_the_prefix_of_their_numbers
        numbers_that_look_alike_are_found_until_they_are_cancelled
        a_process_is_found_by_its_account;
    refusals:
        refused_creates_read_back_with_their_figures
        refused_creates_of_many_nodes_are_all_counted;
    staging:
        a_new_account_is_staged_completely
        an_account_is_staged_once
        only_ongoing_suppliers_accept_accounts
        an_account_is_staged_under_the_settings_it_was_checked_by
        one_of_many_concurrent_creates_of_an_account_stages_it
        accounts_staged_concurrently_are_all_stored
        a_refused_account_does_not_affect_others_of_its_group;
    steps:
        steps_are_written_with_their_history
        a_stale_step_writes_nothing
        stale_steps_of_a_batch_are_skipped
        payloads_and_issues_are_replaced
        payloads_are_read_together;
    previous:
        the_previous_attempt_reads_back
        an_attempt_without_a_result_replaces_none
        a_stale_step_keeps_no_attempt
        the_previous_attempt_goes_with_the_account
        attempts_of_a_batch_are_kept;
    certificates:
        keys_of_certificates_are_listed_newest_first
        accounts_are_certified_by_number
        hashes_belong_to_their_payload
        additions_are_certified_whatever_their_order
        an_undone_account_loses_its_additions
        leaves_are_found_by_number
        erasures_are_noted_while_a_certificate_is_issued
        replaceable_certificates_are_listed_while_they_have_leaves
        certificates_are_removed_with_their_supplier;
    causes:
        failures_are_counted_by_code_and_pattern
        causes_end_with_the_failure
        lists_by_cause_have_each_account_once
        warnings_are_counted_from_the_creation_on
        the_causes_of_an_account_are_bounded
        counts_of_causes_are_correct_after_random_steps;
    search:
        accounts_are_found_by_their_terms
        accounts_are_found_by_the_beginning_of_a_term
        accounts_that_are_far_apart_are_found_together
        businesses_are_found_by_their_terms
        refused_creates_are_found_by_a_part_of_their_number
        the_key_of_the_words_stays_the_same;
    sent:
        what_was_sent_follows_every_payload
        sums_of_what_was_sent_are_exact
        what_was_sent_is_correct_after_random_steps
        manifests_read_back
        declared_numbers_are_replaced_as_a_whole;
    queue:
        suppliers_are_served_in_rotation
        an_unused_share_goes_to_other_suppliers
        processes_of_a_supplier_are_claimed_by_due_time
        processes_that_are_not_due_are_not_claimed
        running_imports_are_counted
        processes_of_paused_suppliers_are_not_claimed
        the_next_due_time_is_known
        processes_committed_late_are_found
        leases_end
        windows_close;
    archive:
        processes_that_ended_long_ago_are_archivable
        a_search_for_archivable_processes_is_bounded
        an_archived_process_keeps_its_row
        processes_changed_meanwhile_are_not_archived
        an_archived_process_can_be_sent_again;
    audit:
        actions_read_back
        actions_are_found_by_time_supplier_and_action
        actions_of_an_organisation_are_read_in_pages
        rolled_back_actions_are_not_recorded;
    import_order:
        imported_accounts_are_read_in_import_order
        accounts_read_together_are_as_read_alone
        large_accounts_are_read_in_parts
        accounts_with_long_texts_are_read_in_parts
        the_end_of_the_feed_is_known;
    feed:
        events_read_back
        steps_are_published
        events_are_read_in_pages
        events_are_filtered
        events_expire
        rolled_back_events_do_not_exist;
    erasure:
        an_erased_account_leaves_nothing
        an_erased_account_is_removed_from_the_figures
        an_erased_number_gets_another_key_when_it_is_sent_again
        additions_during_an_erasure_leave_nothing
        a_number_sent_during_its_erasure_has_at_most_one_process
        erasure_marks_read_back
        an_account_with_a_mark_is_not_staged
        accounts_beside_one_with_a_mark_are_staged
        a_number_sent_during_its_erasure_is_not_staged_again;
    supplier_erasure:
        an_erased_supplier_leaves_nothing
        businesses_are_passed_to_those_who_need_them
        the_erasure_of_a_supplier_is_found;
    nodes:
        an_installation_has_an_id
        a_history_has_an_id
        nodes_read_back_the_oldest_first
        nodes_are_removed;
    transactions:
        rolled_back_jobs_leave_nothing
        a_panic_undoes_its_own_job_only
        a_read_writes_nothing
        a_read_sees_one_state
        a_committed_read_sees_what_was_written
        writes_of_many_threads_are_all_kept;
    accounts:
        fixtures_read_back
        generated_accounts_read_back
        the_widest_accounts_read_back
        digits_are_kept_and_times_are_converted_to_the_zone
        an_account_with_ten_thousand_readings_reads_back
        a_number_belongs_to_one_account
        accounts_are_written_together
        refused_accounts_leave_nothing
        there_is_no_account_before_its_import;
    meter_points:
        meter_points_are_taken_while_they_are_supplied
        meter_points_are_taken_within_an_organisation
        an_account_does_not_block_its_own_meter_points
        the_account_that_has_a_meter_point_for_longest_is_named
        meter_points_of_many_accounts_are_looked_up_together
        the_earliest_start_of_supply_is_known;
    notes:
        notes_are_found_by_their_content
        the_oldest_of_several_notes_is_found
        notes_of_documents_alone_are_found_by_their_paths
        added_notes_read_back_in_order;
    ledgers:
        transactions_are_added_to_the_first_ledger
        a_transaction_is_found_by_its_id
        charged_periods_are_found_by_their_days
        the_oldest_of_several_transactions_is_found
        added_transactions_read_back
        a_balance_is_set
        concurrent_changes_of_a_balance_are_all_kept
        the_open_statement_is_that_of_its_ledger;
    statements:
        added_statements_are_found_by_their_id
        a_statement_is_added_once
        statements_of_the_payload_are_independent_of_added_ones
        added_statements_read_back;
    instructions:
        instructions_of_the_payload_are_found
        an_instruction_is_added_once_to_an_account
        added_instructions_read_back
        accounts_are_added_to_an_instruction_of_a_business;
    businesses:
        a_business_is_unique_in_its_organisation
        a_contract_is_unique_in_its_organisation
        a_refused_business_leaves_nothing
        concurrent_businesses_have_different_numbers
        businesses_read_back
        contracts_are_in_use_while_accounts_wait_or_are_imported
        no_contract_goes_while_an_account_begins_to_refer_to_it;
    undo:
        an_undone_account_leaves_its_process
        accounts_that_are_undone_together_are_published
        the_number_of_an_undone_account_is_retired
        undone_accounts_are_listed_and_counted_apart
        marks_of_accounts_are_kept
        accounts_to_undo_are_listed_in_import_order;
    vendors:
        vendors_read_back_by_name
        vendor_names_are_unique
        vendors_belong_to_an_organisation
        vendors_are_removed;
    jobs:
        jobs_read_back
        changes_of_a_job_are_guarded
        jobs_are_found_when_they_are_due
        lists_of_jobs_are_read_and_removed
        processes_are_found_by_key;
    readiness:
        removed_contracts_of_waiting_accounts_are_found
        windows_of_waiting_accounts_are_counted_by_their_ends
        of_many_windows_the_first_and_the_last_are_read
        failures_since_a_minute_are_counted_until_they_are_retried
        the_last_backup_is_found;
    gates:
        gates_read_back
        nothing_of_a_held_supplier_is_due
        windows_do_not_close_during_a_hold
        a_full_wave_claims_only_its_own_accounts_again
        accounts_belong_to_a_wave_once
        waves_end_with_their_last_account
        claims_of_many_threads_fill_a_wave_exactly
        locked_gates_lose_no_count;
    runs:
        runs_read_back
        the_last_outcome_of_an_account_is_kept
        outcomes_of_many_threads_are_counted_until_the_end
        an_erased_account_leaves_the_runs
        refused_accounts_of_a_run_read_back
        waves_have_their_times;
    webhooks:
        webhooks_read_back
        secrets_of_webhooks_expire
        deliveries_are_claimed_and_ended
        nodes_claim_different_deliveries
        only_active_webhooks_are_served
        single_events_are_found
        deliveries_are_removed_with_their_events;
    timeline:
        notes_and_holds_of_a_supplier_read_back
        jobs_and_certificates_are_found_by_their_time;
    figures:
        counts_follow_every_step
        counts_follow_claims
        counts_include_only_committed_steps
        changes_that_are_no_steps_do_not_change_counts
        counts_are_correct_after_random_steps
        supplier_figures_include_every_supplier
        minute_counts_can_start_at_a_time
        minutes_have_the_times_of_their_steps
        activity_is_never_counted_again
        refusals_are_activity
        examples_of_an_error_are_processes_that_have_it
        totals_add_up
        a_sum_that_overflows_is_refused
        writes_during_folding_are_counted_once;
    lists:
        lists_contain_the_accounts_in_their_states
        lists_are_ordered_by_creation_and_key
        lists_end_at_their_bound
        pages_give_every_account_once
        pages_skip_cancelled_accounts;
}
