//! The command line (contract D11).

mod manual;
#[cfg(test)]
mod named;

use crate::error::{Error, print_error};
use crate::exit::Exit;
use crate::{
    assemble, certificate, disassemble, documents, explain, hold, manifest, migration, profile, runs, schema,
    status, tables, upload, validate, verify,
};
use chrono::{DateTime, Utc};
use clap::{Parser, Subcommand};
use clap_complete::Shell;
use std::ffi::OsString;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  cutover-client validate accounts.ndjson             every account, and the most frequent faults
  cutover-client validate exports/ --report all.csv   every finding of a folder's files
  cutover-client upload exports/                      send them; run again, it resumes
  cutover-client assemble extract/ --out all.ndjson   accounts of tables: CSV, NDJSON, Parquet
  cutover-client manifest exports/                    declare what the files come to
  cutover-client watch ACME                           progress of the import, until it is done
  cutover-client report ACME exports/                 sent compared with imported, to the cent
  cutover-client certificate ACME --out evidence/     what the service has, signed
  cutover-client verify evidence/certificate.json exports/ --leaves evidence/leaves.ndjson --public-key KEY
  cutover-client explain invalid_phone_number         the meaning of a code, a rule or a member
  cutover-client upload --help                        all options of a command

Settings: CUTOVER_BASE_URL (or --base-url), and the API key in CUTOVER_API_KEY.

Exit codes: 0 all accounts are well, 1 some are faulty or refused, 2 it could not be
done (usage, an unreadable input, an unwritable report), 130 interrupted by Ctrl-C.";

const VALIDATE_EXAMPLES: &str = "\
Examples:
  cutover-client validate accounts.ndjson
  cutover-client validate exports/ one-more.json.gz --report findings.html --report findings.csv
  zcat part-*.gz | cutover-client validate - --json
  cutover-client validate accounts.ndjson --time-zone Australia/Melbourne --rule PIN-01=warning
  cutover supplier show ACME --json > acme.json    # by the operator, for the next command
  cutover-client validate accounts.ndjson --profile acme.json
  cutover-client validate extract/ --mapping mapping.toml    # tables

Checks the rules of the service's validate and create, except the few that only the service can
decide: the summary names them. An account that occurs twice in the inputs is a warning of this
program, repeated_in_input; with other content it is an error, differs_in_input, and the last one
counts. Warnings of this program are also a number that looks like an earlier one,
similar_number_in_input, what two accounts have and only one should, shared_meter_point_in_input,
shared_serial_number_in_input, shared_payment_reference_in_input and shared_statement_path_in_input,
and a date of birth that more than 1 % of 200 accounts or more share,
shared_date_of_birth_in_input. Reports hold no values of an account except its supplier and number.
Of tables everything that assemble finds is a finding too, and all findings name file, line and column.

Exit codes:
  0    every account is valid; warnings do not count
  1    some accounts are faulty, or something was lost from tables
  2    usage, an input that cannot be read to its end, a report that cannot be written
  130  interrupted by Ctrl-C: the summary and the reports cover what was checked until then";

const UPLOAD_EXAMPLES: &str = "\
Examples:
  cutover-client upload exports/                       the same command resumes it
  cutover-client upload exports/ --report refused.csv
  zcat part-*.gz | cutover-client upload - --journal parts.journal
  cutover-client upload exports/ --dry-run             the service imports none of them
  cutover-client upload extract/ --mapping mapping.toml    tables

The API key is read from the environment. The journal holds the answers: the same command run again
sends what has no answer yet, what has changed since, and what can pass now: accounts whose import
has failed, and those refused for what only the service knows (contracts, documents, other
accounts). This neither duplicates nor loses an account, however the run ended: the service
identifies an account by its supplier and number. Of an account that occurs more than once the last
one is sent.

Exit codes:
  0    the service has every account to import
  1    some accounts are faulty, were refused or cancelled, or occur with different content, or
       something was lost from tables
  2    usage, an input that cannot be read to its end, a fault of the service
  130  interrupted by Ctrl-C: answers to requests in flight are in the journal";

const SEND_EXAMPLES: &str = "\
Examples:
  cutover-client send businesses businesses.ndjson      before the accounts with their contracts
  cutover-client send notes notes.ndjson                the same command resumes it
  cutover-client send transactions transactions.ndjson --report refused.csv
  cutover-client send historical-statements statements.ndjson
  cutover-client send payment-instructions instructions.ndjson
  cutover-client send notes notes.csv --mapping mapping.toml    a table

Each line or value is the body of one request. Of tables, as `tables describe notes` shows them,
the rows of an account become requests of up to 1,000 notes, transactions or statements. A request
is checked by the rules of its endpoint, and not sent if it is faulty or rows of it were lost. What is added to accounts needs accounts that are imported: the service
refuses others (account_not_found), and the same command sends those again.

The journal holds the answers, for one kind of requests. A request whose answer was lost is sent
again, and nothing is added twice: the service knows notes by their text and time, transactions and
statements by their ids, payment instructions by vendor, type and reference, businesses by their
identifier. Requests about one account are sent one after another, in the order of the inputs.
`verify` takes the journal as --additions.

Exit codes:
  0    the service has all of it
  1    some requests are faulty or were refused, a business occurs with different content, or
       something was lost from tables
  2    usage, an input that cannot be read to its end, a fault of the service or of a vendor
  130  interrupted by Ctrl-C: answers to requests in flight are in the journal";

const DOCUMENTS_EXAMPLES: &str = "\
Examples:
  cutover-client documents check documents/ --accounts exports/
  cutover-client documents upload documents/ --supplier ACME";

const MANIFEST_EXAMPLES: &str = "\
Examples:
  cutover-client manifest exports/                     computed from the files, and declared to the service
  cutover-client manifest exports/ --offline           only printed
  cutover-client manifest exports/ --supplier ACME --json

Counts the files as upload reads them, faulty accounts included, repeated ones once: number of
accounts, ledger balance, readings, transactions and documents. The service compares it with what it
was sent and what it has imported. A manifest that lacks an account, because a member that is
counted is faulty, is not declared, nor one of files in which an account occurs with different
content. A new one replaces the one before.

Exit codes:
  0    it is computed, and declared unless --offline is given
  1    some accounts cannot be counted, or occur with different content, or something was lost
       from tables: nothing is declared
  2    usage, an input that cannot be read to its end, a fault of the service
  130  interrupted by Ctrl-C: nothing is declared";

const CERTIFICATE_EXAMPLES: &str = "\
Examples:
  cutover-client certificate ACME --out evidence/            the latest certificate
  cutover-client certificate ACME --out evidence/ --issue    a new one

Writes certificate.json, leaves.ndjson (a line for each account) and certificate-keys.json into the folder. The keys say
which key signed; take the key to verify with from the operator, not from there.

Exit codes: 0 it is there, 2 the service has none or does not answer, or a file cannot be written.";

const VERIFY_EXAMPLES: &str = "\
Examples:
  cutover-client verify evidence/certificate.json exports/ --leaves evidence/leaves.ndjson --public-key key.txt
  cutover-client verify evidence/certificate.json exports/ --leaves evidence/leaves.ndjson --public-key key.txt \\
      --additions notes.ndjson --additions transactions.ndjson
  cutover-client verify evidence/certificate.json --proof proof.json --public-key key.txt

Needs no service. Checks the signature, the tree over all accounts and its sums, and compares each account with the files:
what was sent, and the totals of accounts to which nothing was added. Names every account that differs, is missing or is
extra. Of an account that occurs more than once in the files the last one counts; with different
content it is named. The key is that of the operator: itself, or a file with what
`cutover certificate-key show` prints.

Exit codes: 0 everything agrees, 1 something does not, 2 usage, or a file that cannot be read.";

const STATUS_EXAMPLES: &str = "\
Examples:
  cutover-client status ACME A-100
  cutover-client status ACME A-100 --json

Shows why an account failed, or was not accepted, with the path of each fault.

Exit codes: 0 it is known and has no error, 1 it has one, was not accepted or is not known, 2 the service does not answer.";

const HOLD_EXAMPLES: &str = "\
Examples:
  cutover-client hold ACME
  cutover-client hold ACME --because 'the tariffs of part 3 are wrong'

Accounts are accepted meanwhile and wait. Imports that have begun end.

Exit codes: 0 the imports are held, 2 the service does not answer or knows no such supplier.";

const RELEASE_EXAMPLES: &str = "\
Examples:
  cutover-client release ACME                         shows the hold, and the command that ends it
  cutover-client release ACME --held-since $TIME --because 'part 3 was sent again'

Ends the hold of `cutover-client hold` and no other: a wave that has ended, too many failures, and the
operator's own hold need the operator.

Exit codes: 0 the imports go on, 1 they are still held by others, 2 the service does not answer or knows
no such supplier.";

const WATCH_EXAMPLES: &str = "\
Examples:
  cutover-client watch ACME
  cutover-client watch ACME --interval 30 --json

On a terminal the view is renewed in place; elsewhere a line is printed whenever something has
changed. It ends when no account is pending or in progress.

Exit codes: 0 done, 1 done and some accounts errored, 2 the service does not answer.";

const REPORT_EXAMPLES: &str = "\
Examples:
  cutover-client report ACME exports/
  cutover-client report ACME exports/ --report accounts.csv   the result of every account
  cutover-client report ACME --journal parts.journal --json

Sent is what the service has according to the journals; imported is what it reports. They differ by
accounts that are not imported yet or errored, that were sent in another way, or that were changed
since. Each account of the files is looked for in the journals.

Exit codes: 0 every account of the files is imported and the sums agree, with the manifest too; 1 one is
not, or they do not; 2 the comparison failed.";

const RUNS_EXAMPLES: &str = "\
Examples:
  cutover-client runs ACME                            the runs, the last first
  cutover-client runs ACME --start 'rehearsal 2'      if the operator allows it
  cutover-client runs ACME --end 'rehearsal 2'

A run is a named stretch of work, such as a rehearsal: while it is open, the service keeps the last outcome of each account.

Exit codes: 0 done, 2 the service does not answer, or refuses.";

const COMPARE_EXAMPLES: &str = "\
Examples:
  cutover-client compare ACME 'rehearsal 1' 'rehearsal 2'
  cutover-client compare ACME 'rehearsal 1' 'rehearsal 2' --json

Shows which accounts are new, gone, changed, fixed or broken in the second run, and at which paths the changed ones differ.

Exit codes: 0 they are compared, 2 the service does not answer, or has no such runs.";

const EXPLAIN_EXAMPLES: &str = "\
Examples:
  cutover-client explain invalid_phone_number
  cutover-client explain LED-01 --json
  cutover-client explain customers.#.mobile           the path of a member, as in a finding

Exit codes: 0 it is explained, 2 there is no such code, rule or member.";

const SCHEMA_EXAMPLES: &str = "\
Examples:
  cutover-client schema > account.schema.json
  cutover-client schema notes
  cutover-client schema --minimal > account.json      the smallest account that is accepted";

const ASSEMBLE_EXAMPLES: &str = "\
Examples:
  cutover-client assemble extract/ --out accounts.ndjson
  cutover-client assemble extract/ --mapping mapping.toml --out accounts.ndjson --findings lost.ndjson
  cutover-client assemble customers-1.csv customers-2.csv accounts.parquet ledgers.ndjson | cutover-client validate -

Each row finds its parent by the key columns that it has: natural keys such as mpxn, positions, or
both. In CSV an empty cell is an absent member, \\N is null, \"\" the empty string. Texts, days and
decimals keep their characters, and nothing is repaired: values that have not the form of their column
are for `validate` to name. Findings are about what was lost or is in doubt, with file, line and column:
orphan rows, repeated keys, columns and files that are not read, and values that spreadsheets have
damaged: 6.1E+09, 1234.0, 45321, #REF!, lost leading zeros. It needs at most 256 MiB of memory,
and room on the disk for temporary files as large as the tables (TMPDIR).

Exit codes: 0 nothing was lost, 1 there are findings, 2 usage, or a file that cannot be written, 130
interrupted by Ctrl-C.";

const DISASSEMBLE_EXAMPLES: &str = "\
Examples:
  cutover-client disassemble accounts.ndjson --to extract/
  cutover-client disassemble exports/ --to extract/ --format ndjson
  cutover-client disassemble exports/ --to extract/ --guard-formulas    for spreadsheets

`assemble` makes equal accounts of the tables: a decimal as a number or as a string counts as equal. In
Parquet an absent member and null are the same. An account that would not come back is a finding, and
left out. Existing tables are not replaced.

Exit codes: 0 every account was written, 1 some were left out, 2 usage, or a file that cannot be
written, 130 interrupted by Ctrl-C.";

const PROFILE_EXAMPLES: &str = "\
Examples:
  cutover-client profile extract/                     what each table and column has
  cutover-client profile accounts.ndjson --html profile.html
  cutover-client profile extract/ --mapping mapping.toml --expect counts.csv --json

Personal values are masked: x and X stand for letters, 9 for digits. Sums are exact. Different values are
counted up to 1,800,000 of a column; of the most frequent ones it says how often they come at least
and at most.

Exit codes: 0 everything was read, 1 there are findings, or the rows are not as expected, 2 usage, or a
file that cannot be written, 130 interrupted by Ctrl-C.";

const TABLES_EXAMPLES: &str = "\
Examples:
  cutover-client tables describe                      every table and column
  cutover-client tables describe notes                those that send takes
  cutover-client tables template extract/             empty files, a mapping and an example

Exit codes: 0 done, 2 a file cannot be written, or exists already.";

/// Moves accounts to Cutover: checks them, sends them, reports what became of them
#[derive(Debug, Parser)]
#[command(name = "cutover-client", version, after_help = EXAMPLES, max_term_width = 110)]
#[command(disable_help_subcommand = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Check accounts by the rules of the service, without a service
    #[command(after_help = VALIDATE_EXAMPLES)]
    Validate(validate::Options),
    /// Send accounts to the service, resuming where an earlier run stopped
    #[command(after_help = UPLOAD_EXAMPLES)]
    Upload(upload::Options),
    /// Make accounts of tables: CSV, NDJSON or Parquet
    #[command(after_help = ASSEMBLE_EXAMPLES)]
    Assemble(assemble::Options),
    /// Make tables of accounts
    #[command(after_help = DISASSEMBLE_EXAMPLES)]
    Disassemble(disassemble::Options),
    /// Show what tables or accounts have: rows, and the values of each column
    #[command(after_help = PROFILE_EXAMPLES)]
    Profile(profile::Options),
    /// Describe the tables, or write files to begin with
    #[command(after_help = TABLES_EXAMPLES)]
    Tables(tables::Options),
    /// Send businesses, notes, transactions, historical statements or payment instructions, resuming like upload
    #[command(after_help = SEND_EXAMPLES)]
    Send(upload::RequestOptions),
    /// Check the documents that accounts name, and bring them into the storage of the service
    #[command(subcommand, after_help = DOCUMENTS_EXAMPLES)]
    Documents(documents::Command),
    /// Compute what the files come to, and declare it to the service
    #[command(after_help = MANIFEST_EXAMPLES)]
    Manifest(manifest::Options),
    /// Fetch the certificate of what the service has of a supplier's accounts
    #[command(after_help = CERTIFICATE_EXAMPLES)]
    Certificate(certificate::Options),
    /// Compare a certificate with the files that were sent, without a service
    #[command(after_help = VERIFY_EXAMPLES)]
    Verify(verify::Options),
    /// Show the status of an account
    #[command(after_help = STATUS_EXAMPLES)]
    Status(status::Options),
    /// Show the progress of a supplier's migration until it is done
    #[command(after_help = WATCH_EXAMPLES)]
    Watch(migration::WatchOptions),
    /// Hold the imports of a supplier: its accounts are accepted and wait
    #[command(after_help = HOLD_EXAMPLES)]
    Hold(hold::Options),
    /// End the hold that the supplier has placed itself
    #[command(after_help = RELEASE_EXAMPLES)]
    Release(hold::ReleaseOptions),
    /// Compare what was sent with what is imported, to the cent
    #[command(after_help = REPORT_EXAMPLES)]
    Report(migration::ReportOptions),
    /// List the runs of a supplier, start one or end one
    #[command(after_help = RUNS_EXAMPLES)]
    Runs(runs::RunsOptions),
    /// Compare two runs of a supplier
    #[command(after_help = COMPARE_EXAMPLES)]
    Compare(runs::CompareOptions),
    /// Explain an error code, a rule or a member, without a service
    #[command(after_help = EXPLAIN_EXAMPLES)]
    Explain(explain::Options),
    /// Print the JSON Schema of the body of a request, or the smallest body
    #[command(after_help = SCHEMA_EXAMPLES)]
    Schema(schema::Options),
    /// Print the completion script of a shell
    #[command(
        after_help = "Examples:\n  cutover-client completions bash > ~/.local/share/bash-completion/completions/cutover-client"
    )]
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Write the manual pages into a folder
    #[command(after_help = "Examples:\n  cutover-client man ~/.local/share/man/man1")]
    Man {
        /// The folder; created if it does not exist
        folder: PathBuf,
    },
}

/// Runs the command of a command line. `now` is the current time.
pub(crate) fn run(arguments: impl IntoIterator<Item = OsString>, now: DateTime<Utc>) -> Exit {
    let done = match Cli::parse_from(arguments).command {
        Command::Validate(options) => validate::run(&options, now),
        Command::Upload(options) => upload::run(&options, now),
        Command::Assemble(options) => assemble::run(&options),
        Command::Disassemble(options) => disassemble::run(&options),
        Command::Profile(options) => profile::run(&options),
        Command::Tables(options) => tables::run(&options),
        Command::Send(options) => upload::send(&options, now),
        Command::Documents(command) => documents::run(&command, now),
        Command::Manifest(options) => manifest::run(&options, now),
        Command::Certificate(options) => certificate::run(&options),
        Command::Verify(options) => verify::run(&options),
        Command::Status(options) => status::run(&options),
        Command::Watch(options) => migration::watch(&options, now),
        Command::Hold(options) => hold::hold(&options),
        Command::Release(options) => hold::release(&options),
        Command::Report(options) => migration::report(&options),
        Command::Runs(options) => runs::list(&options),
        Command::Compare(options) => runs::compare(&options),
        Command::Explain(options) => explain::run(&options),
        Command::Schema(options) => schema::run(&options),
        Command::Completions { shell } => manual::completions(shell).map(|()| Exit::Success),
        Command::Man { folder } => manual::pages(&folder).map(|()| Exit::Success),
    };
    done.unwrap_or_else(|error| failed(&error))
}

fn failed(error: &Error) -> Exit {
    if error.is_broken_pipe() {
        return Exit::Success;
    }
    print_error(error);
    Exit::Failed
}

#[cfg(test)]
mod tests {
    use super::Cli;
    use clap::CommandFactory;

    fn help(words: &[&str]) -> String {
        let mut cli = Cli::command().term_width(100);
        cli.build();
        let found = words.iter().fold(&mut cli, |command, word| command.find_subcommand_mut(word).unwrap());
        found.render_long_help().to_string()
    }

    #[test]
    fn the_commands_are_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn the_help() {
        insta::assert_snapshot!("help", help(&[]));
        insta::assert_snapshot!("help_of_validate", help(&["validate"]));
        insta::assert_snapshot!("help_of_upload", help(&["upload"]));
        insta::assert_snapshot!("help_of_send", help(&["send"]));
        insta::assert_snapshot!("help_of_documents_check", help(&["documents", "check"]));
        insta::assert_snapshot!("help_of_documents_upload", help(&["documents", "upload"]));
        insta::assert_snapshot!("help_of_manifest", help(&["manifest"]));
        insta::assert_snapshot!("help_of_verify", help(&["verify"]));
    }

    #[test]
    fn every_command_has_examples() {
        for command in Cli::command().get_subcommands() {
            assert!(help(&[command.get_name()]).contains("Examples:\n  "), "{}", command.get_name());
        }
    }
}
