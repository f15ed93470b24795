//! Every command of the documentation runs, and prints what the page shows.
//!
//! The form of a page:
//! - Commands stand in blocks of ```` ```console ````. A line that begins with `$ ` is a command; it continues on the
//!   next line if it ends in `\` or a quote is open. The text up to the next command is its output; if there is none,
//!   the output is not checked. Blocks in lists may be indented. Other blocks are not run.
//! - The commands of a page are one session of `sh`, in order, in a temporary folder: variables and files persist. A
//!   heading in [`Page::sessions`] begins another session, in another folder.
//! - `cutover` and `cutover-client` are the programs under test. The folder holds `fixtures/` and `examples/`, as in the
//!   repository, and `exports/`, two files of accounts, one of them faulty. The data folder is the default one, `./cutover-data`.
//! - A command that begins with `cutover serve` is run in the background, with or without a `&` at its end; the next
//!   command waits until it listens. `127.0.0.1:8080` and `localhost:8080` are replaced by its address.
//! - Each command exits with 0; [`Page::fails`] lists the commands that fail, with their codes.
//! - In outputs `…` is any text, on a line of its own any lines. Times with a fraction of a second and account numbers
//!   of the service (`A-7K2M9QXD`) match any time and number. Standard error counts as output. `curl` without a body
//!   is repeated until its output matches the page.
//! - Keys are not written out: pages keep them in variables (`KEY=$(cutover api-key issue … --json | jq -r .api_key)`).
//!   Texts that a page must show literally are replaced by [`Page::stands_for`].
//! - `curl` and `jq` may be used, and what [`Page::needs`] names; without it the page is not run. Commands that no test can run are in [`NOT_RUN`], with the reason.

mod commands;
mod named;
mod output;
mod session;

use crate::harness::wait_for;
use commands::{Command, Item, items};
use session::Session;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The root of the repository.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// A page and its setup.
struct Page {
    path: &'static str,
    /// Headings that begin a session, none for the first one, with a script to run before its commands.
    sessions: &'static [(&'static str, &'static str)],
    /// Texts in commands and their replacements.
    stands_for: &'static [(&'static str, &'static str)],
    /// Prefixes of commands that exit with another code than 0.
    fails: &'static [(&'static str, i32)],
    /// Further programs that the commands use.
    needs: &'static [&'static str],
}

const PLAIN: Page = Page { path: "", sessions: &[("", "")], stands_for: &[], fails: &[], needs: &[] };

/// Every page with commands.
const PAGES: &[Page] = &[
    Page { path: "README.md", ..PLAIN },
    Page {
        path: "docs/guide/tutorial.md",
        fails: &[("cutover-client validate accounts.ndjson --report", 1)],
        ..PLAIN
    },
    Page {
        path: "docs/guide/supplier.md",
        fails: &[
            ("cutover-client validate south/", 1),
            ("cutover-client upload south/", 1),
            ("cutover-client report ACME_SOUTH south/", 1),
        ],
        ..PLAIN
    },
    Page { path: "docs/guide/operator.md", ..PLAIN },
    Page { path: "docs/guide/connect.md", ..PLAIN },
    Page {
        path: "docs/client.md",
        sessions: &[("", RECEIVE)],
        stands_for: &[
            ("https://imports.example.com", "http://127.0.0.1:8080"),
            ("read -rs CUTOVER_API_KEY", "CUTOVER_API_KEY=$(jq -r .api_key key.json)"),
            ("2026-11-21T22:31:07.123456+11:00", HELD_SINCE),
        ],
        fails: &[
            ("cutover-client release ACME --held-since", 0),
            ("cutover-client release ACME", 2),
            ("cutover-client validate exports/", 1),
            ("cutover-client upload exports/", 1),
            ("cutover-client report ACME exports/", 1),
            // No vendor is configured, and the folder lacks what the accounts name.
            ("cutover-client send payment-instructions", 1),
            ("cutover-client documents check", 1),
        ],
        ..PLAIN
    },
    Page {
        path: "examples/supplier/README.md",
        sessions: &[("", "cp -r examples/supplier/. .")],
        needs: &["sqlite3"],
        ..PLAIN
    },
    Page {
        path: "docs/OPERATIONS.md",
        sessions: &[("", IMPORT), ("## Installing", "")],
        stands_for: &[("cut_live_4k7m2x9q", "$(jq -r .api_key key.json | cut -c 1-17)")],
        ..PLAIN
    },
];

/// The time of the supplier's own hold, which the same words do not change.
const HELD_SINCE: &str =
    "$(cutover-client hold ACME --because 'the tariffs of part 3 are wrong' --json | jq -r .hold.since)";

/// An organisation with the supplier `ACME`, a key, and a server that is ready for the accounts in
/// `exports/`.
const RECEIVE: &str = "\
cutover organisation add 'Acme Energy'
cutover supplier add ACME --organisation 'Acme Energy'
cutover api-key issue --organisation 'Acme Energy' --json > key.json
sed -i 's/ACME_ENERGY/ACME/; s/ELEC-1001/A-100/' exports/*.ndjson
mkdir notes documents
printf '%%PDF-1.7' > documents/1.pdf
jq -c . fixtures/businesses/valid/cold_storage.json > businesses.ndjson
jq -c . fixtures/notes/valid/calls.json > notes/calls.ndjson
jq -c . fixtures/transactions/valid/refund.json > transactions.ndjson
jq -c . fixtures/statements/valid/year.json > statements.ndjson
jq -c . fixtures/payment_instructions/valid/card.json > instructions.ndjson
sed -i 's/ACME_ENERGY/ACME/; s/ELEC-1001/A-100/' *.ndjson notes/*.ndjson
gzip transactions.ndjson
cutover serve > server.log 2>&1 &
curl -s --retry 10 --retry-connrefused http://127.0.0.1:8080/readyz";

/// An organisation with the supplier `ACME`, a key, the imported account `A-000042`, and three attempts with a wrong key.
const IMPORT: &str = r#"cutover organisation add 'Acme Energy'
cutover supplier add ACME --organisation 'Acme Energy'
cutover api-key issue --organisation 'Acme Energy' --json > key.json
cutover serve > server.log 2>&1 & server=$!
curl -s --retry 10 --retry-connrefused http://127.0.0.1:8080/readyz
jq '{query: "mutation { obtainToken(input: {apiKey: \"\(.api_key)\"}) { token } }"}' key.json > query.json
token=$(curl -s http://127.0.0.1:8080/v1/graphql/ -d @query.json -H 'Content-Type: application/json' \
    | jq -r .data.obtainToken.token)
for n in 1 2 3; do
    jq '.query |= sub("cut_live"; "guess")' query.json \
        | curl -s http://127.0.0.1:8080/v1/graphql/ -d @- -H 'Content-Type: application/json'
done
jq '.import_supplier = "ACME" | .external_account_number = "A-000042"' fixtures/accounts/valid/gas.json > account.json
curl -sf http://127.0.0.1:8080/v2/data-import/accounts/ -d @account.json -H 'Content-Type: application/json' \
    -H "Authorization: Token $token"
until cutover process show ACME A-000042 --json | jq -e '.status == "PROCESSED"'; do sleep 0.1; done
kill $server
wait $server"#;

/// Prefixes of commands that no test can run, with the reason.
const NOT_RUN: &[(&str, &str)] = &[
    ("cargo demo", "is what `.ci/run` calls; the story that it tells has tests of its own"),
    ("cargo xtask test", "is what runs this test"),
    ("cargo build --release", "builds for minutes"),
    ("alias cutover=", "`cutover` is the program under test"),
    ("kubectl ", "there is no cluster"),
    ("createdb ", "a drill on a server of PostgreSQL that is backed up"),
    ("pg_restore ", "as above"),
    ("psql ", "as above"),
    ("cutover migrate --status --database-url postgres:", "as above"),
    ("cutover doctor --database-url postgres:", "as above"),
];

fn is_run(command: &str) -> bool {
    !NOT_RUN.iter().any(|(beginning, _)| command.starts_with(beginning))
}

/// Runs a page.
fn run(page: &Page) {
    if !session::are_there(page.needs) {
        return;
    }
    let Some(mut session) = Session::begin(page.sessions[0].1) else { return };
    for item in read(page.path) {
        match item {
            Item::Heading(heading) => {
                if let Some((_, before)) = page.sessions.iter().find(|(repeated, _)| *repeated == heading) {
                    session = Session::begin(before).unwrap();
                }
            }
            Item::Command(command) if is_run(&command.text) => check(page, &mut session, &command),
            Item::Command(_) => {}
        }
    }
}

fn check(page: &Page, session: &mut Session, command: &Command) {
    let place = format!("{}:{}: {}", page.path, command.line, command.text);
    let replaced =
        page.stands_for.iter().fold(command.text.clone(), |text, (old, new)| text.replace(old, new));
    let fails = page.fails.iter().find(|(beginning, _)| command.text.starts_with(beginning));
    wait_for(&place, || {
        let (code, printed) = session.run(&replaced);
        assert_eq!(code, fails.map_or(0, |(_, code)| *code), "{place}\n{printed}");
        if command.output.is_empty() || output::agrees(&command.output, &printed) {
            return Ok(());
        }
        assert!(only_asks(&command.text), "{place}\n{printed}");
        Err(printed)
    });
}

/// Returns true if a command changes nothing, so that it may be repeated until its output matches.
fn only_asks(command: &str) -> bool {
    command.starts_with("curl ") && ![" -d", " --data", " --json"].iter().any(|sends| command.contains(sends))
}

fn read(path: &str) -> Vec<Item> {
    items(&std::fs::read_to_string(Path::new(ROOT).join(path)).unwrap())
}

fn page(path: &str) {
    run(PAGES.iter().find(|page| page.path == path).unwrap());
}

#[test]
fn the_readme_runs() {
    page("README.md");
}

#[test]
fn the_tutorial_runs() {
    page("docs/guide/tutorial.md");
}

#[test]
fn the_supplier_guide_runs() {
    page("docs/guide/supplier.md");
}

#[test]
fn the_operator_guide_runs() {
    page("docs/guide/operator.md");
}

#[test]
fn the_guide_of_connected_systems_runs() {
    page("docs/guide/connect.md");
}

#[test]
fn the_page_of_the_client_runs() {
    page("docs/client.md");
}

#[test]
fn the_starter_kit_runs() {
    page("examples/supplier/README.md");
}

#[test]
fn the_page_for_operators_runs() {
    page("docs/OPERATIONS.md");
}

#[test]
fn every_page_with_commands_is_run() {
    let mut pages = Vec::new();
    find_pages(Path::new(ROOT), &mut pages);
    let with_commands = pages.into_iter().filter(|path| !read(path).iter().all(Item::is_heading));
    let known: BTreeSet<String> = PAGES.iter().map(|page| page.path.to_owned()).collect();
    assert_eq!(with_commands.collect::<BTreeSet<_>>(), known);
}

#[test]
fn exceptions_of_pages_are_needed() {
    let read: Vec<(&Page, Vec<Item>)> = PAGES.iter().map(|page| (page, read(page.path))).collect();
    let commands = |items: &[Item]| -> Vec<String> { items.iter().filter_map(Item::command).collect() };
    for (page, items) in &read {
        let commands = commands(items);
        let all = commands.join("\n");
        let headings = page.sessions[1..].iter().map(|(heading, _)| Item::Heading((*heading).to_owned()));
        headings.for_each(|heading| assert!(items.contains(&heading), "{}: {heading:?}", page.path));
        page.stands_for.iter().for_each(|(old, _)| assert!(all.contains(old), "{}: {old}", page.path));
        for (fails, _) in page.fails {
            assert!(commands.iter().any(|command| command.starts_with(fails)), "{}: {fails}", page.path);
        }
    }
    let all: Vec<String> = read.iter().flat_map(|(_, items)| commands(items)).collect();
    for (beginning, _) in NOT_RUN {
        assert!(all.iter().any(|command| command.starts_with(beginning)), "{beginning}");
    }
}

/// Adds the Markdown files below a folder, relative to the root.
fn find_pages(folder: &Path, pages: &mut Vec<String>) {
    let built = ["target", "node_modules"];
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let (path, name): (PathBuf, _) = (entry.path(), entry.file_name().into_string().unwrap());
        if entry.file_type().unwrap().is_dir() {
            if !name.starts_with('.') && !built.contains(&name.as_str()) {
                find_pages(&path, pages);
            }
        } else if name.ends_with(".md") {
            pages.push(path.strip_prefix(ROOT).unwrap().to_str().unwrap().to_owned());
        }
    }
}
