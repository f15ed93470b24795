//! What every store must do, as small stories. Each takes an empty store and panics if it does not hold.
//!
//! A store's tests are one line:
//!
//! ```text
//! cutover_testkit::store_suite!(with_an_empty_store);
//! ```
//!
//! `with_an_empty_store(story: fn(&dyn Store))` opens one, calls the story and closes it.

#![expect(clippy::unwrap_used, reason = "a story fails by panicking, like any test")]

pub mod accounts;
pub mod archive;
pub mod audit;
pub mod businesses;
pub mod erasure;
pub mod figures;
pub mod identity;
pub mod instructions;
pub mod kept;
pub mod ledgers;
pub mod lists;
pub mod meter_points;
pub mod nodes;
pub mod notes;
pub mod processes;
pub mod queue;
pub mod staging;
pub mod statements;
pub mod steps;
pub mod suppliers;
pub mod transactions;
pub mod vendors;

mod ground;
mod imported;

/// Makes the macro that turns stories into tests. `$d` is a dollar sign.
macro_rules! stories {
    ($d:tt $($part:ident: $($story:ident)*;)*) => {
        /// A test for each story of the suite; the argument calls a story with an empty store.
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
        organisations_have_names_of_their_own
        keys_are_found_until_they_or_their_organisation_end
        refresh_tokens_are_good_once
        refresh_tokens_go_by_family_and_by_time
        the_newest_signing_key_comes_first_and_old_ones_go
        a_signing_key_is_removed_by_its_id;
    suppliers:
        settings_read_back
        codes_are_unique
        of_settings_that_change_at_once_none_is_lost
        suppliers_are_found_together
        suppliers_are_listed_by_code;
    processes:
        a_process_reads_back
        an_account_has_one_process
        lists_go_on_where_a_page_ended
        lists_can_be_of_one_status
        lists_can_be_of_what_failed_or_changed
        a_page_reads_so_many_rows_and_may_be_empty
        pages_give_every_match_once
        accounts_are_found_by_how_their_numbers_begin
        a_process_is_found_by_its_account;
    staging:
        a_new_account_is_staged_whole
        an_account_is_staged_once
        suppliers_take_accounts_while_they_are_ongoing
        an_account_is_staged_under_the_settings_it_was_checked_by
        of_many_that_stage_one_account_one_does
        what_many_stage_at_once_is_all_there
        those_that_wait_together_share_no_fate;
    steps:
        steps_are_written_with_their_history
        a_stale_step_writes_nothing
        of_many_steps_the_stale_ones_are_left_out
        payloads_and_issues_are_replaced
        payloads_are_read_together;
    queue:
        suppliers_take_turns
        a_share_that_one_lacks_goes_to_others
        within_a_supplier_the_first_due_comes_first
        what_is_not_due_waits
        running_imports_are_counted
        paused_suppliers_are_left_alone
        the_next_one_due_is_known
        what_is_stored_late_is_found
        leases_end
        windows_close;
    archive:
        what_has_ended_long_ago_is_archivable
        a_look_at_what_is_archivable_is_bounded
        an_archived_process_keeps_its_row
        what_changed_meanwhile_is_not_archived
        an_archived_process_can_be_sent_again;
    audit:
        actions_read_back
        actions_are_found_by_what_they_were
        what_is_undone_is_not_told_of;
    erasure:
        an_erased_account_leaves_nothing
        an_erased_account_counts_for_nothing
        an_erased_number_comes_back_under_another_key
        who_adds_to_an_account_while_it_is_erased_finds_none
        a_number_that_is_sent_while_it_is_erased_has_one_process_or_none;
    nodes:
        nodes_read_back_the_oldest_first
        nodes_are_removed;
    transactions:
        what_is_rolled_back_is_gone
        a_panic_undoes_its_own_job_only
        a_read_writes_nothing
        a_read_sees_one_state
        a_committed_read_sees_what_was_written
        many_writers_lose_nothing;
    accounts:
        fixtures_read_back
        generated_accounts_read_back
        the_widest_accounts_read_back
        digits_stay_and_times_move_to_the_zone
        an_account_with_ten_thousand_readings_reads_back
        a_number_belongs_to_one_account
        accounts_are_written_together
        of_accounts_that_are_refused_nothing_stays
        there_is_no_account_before_its_import;
    meter_points:
        meter_points_are_taken_while_they_are_supplied
        meter_points_are_taken_within_an_organisation
        the_account_itself_takes_no_meter_point
        meter_points_of_many_accounts_are_asked_for_together
        the_earliest_start_of_supply_is_known;
    notes:
        notes_are_found_by_their_content
        of_several_notes_the_oldest_is_found
        notes_of_documents_alone_are_found_by_their_paths
        added_notes_read_back_in_order;
    ledgers:
        the_first_ledger_is_the_one_that_grows
        a_transaction_is_found_by_its_id
        of_several_transactions_the_oldest_is_found
        added_transactions_read_back
        a_balance_is_set
        of_balances_that_change_at_once_none_is_lost
        the_open_statement_is_that_of_its_ledger;
    statements:
        added_statements_are_found_by_their_id
        a_statement_is_added_once
        statements_of_the_payload_are_a_set_of_their_own
        added_statements_read_back;
    instructions:
        instructions_of_the_payload_are_found
        an_instruction_is_added_once_to_an_account
        added_instructions_read_back
        an_instruction_of_a_business_grows_by_accounts;
    businesses:
        a_business_is_unique_in_its_organisation
        a_contract_is_unique_in_its_organisation
        a_refused_business_leaves_nothing;
    vendors:
        vendors_read_back_by_name
        a_name_is_of_one_vendor
        vendors_are_removed;
    figures:
        counts_follow_every_step
        counts_follow_claims
        counts_are_of_what_was_written
        counts_do_not_follow_what_is_no_step
        counts_hold_after_any_walk
        standings_are_of_every_supplier
        minutes_are_asked_for_from_a_time_on
        examples_of_an_error_are_those_that_stand_with_it
        totals_add_up
        a_sum_that_cannot_be_held_is_refused
        what_is_written_while_others_fold_is_counted_once;
    lists:
        lists_hold_what_they_are_named_for
        lists_go_by_creation_and_key
        lists_end_at_their_bound
        pages_give_every_account_once
        pages_pass_over_cancelled_accounts;
}
