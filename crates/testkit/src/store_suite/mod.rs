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
pub mod identity;
pub mod processes;
pub mod queue;
pub mod suppliers;
pub mod transactions;

mod ground;
mod kept;

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
        the_newest_signing_key_comes_first_and_old_ones_go;
    suppliers:
        settings_read_back
        codes_are_unique
        suppliers_are_listed_by_code;
    processes:
        a_process_reads_back
        an_account_has_one_process
        steps_are_written_with_their_history
        a_stale_step_writes_nothing
        payloads_and_issues_are_replaced
        lists_go_on_where_a_page_ended
        lists_can_be_of_one_status;
    queue:
        suppliers_take_turns
        a_share_that_one_lacks_goes_to_others
        within_a_supplier_the_first_due_comes_first
        what_is_not_due_waits
        running_imports_are_counted
        paused_suppliers_are_left_alone
        the_next_one_due_is_known
        leases_end
        windows_close;
    transactions:
        what_is_rolled_back_is_gone
        a_panic_undoes_its_own_job_only
        a_read_writes_nothing
        a_read_sees_one_state
        many_writers_lose_nothing;
    accounts:
        fixtures_read_back
        generated_accounts_read_back
        digits_stay_and_times_move_to_the_zone
        an_account_with_ten_thousand_readings_reads_back
        a_number_belongs_to_one_account
        there_is_no_account_before_its_import;
}
