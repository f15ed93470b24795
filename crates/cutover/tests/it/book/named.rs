//! Every command that the help gives as an example, and every command that a message, a hint or a page of the console names,
//! is run in an installation that has what it is about.
//!
//! A command may fail, for instance because another one has removed what it is about: the snapshot has each with its code. The
//! command line refuses none.

use super::session::Session;
use super::{IMPORT, ROOT};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Runs, a certificate, a webhook, a vendor, a hold, a job, files and the settings of the client, beside what [`IMPORT`] makes.
const WORLD: &str = r#"
for run in 'rehearsal 1' 'rehearsal 2' 'night 1'; do cutover run start ACME "$run"; cutover run end ACME; done
cutover webhook add --organisation 'Acme Energy' --url https://127.0.0.1:9/hooks
cutover vendor add STRIPE --organisation 'Acme Energy' --kind http --base-url http://127.0.0.1:9
cutover supplier certificate ACME --out certificate.json
cutover supplier hold ACME --because 'until the examples run'
jq '.external_account_number = "A-000043"' account.json > another.json
curl -sf http://127.0.0.1:8080/v2/data-import/accounts/ -d @another.json -H 'Content-Type: application/json' \
    -H "Authorization: Token $token"
cutover process cancel ACME --status PENDING --yes
cutover encryption-key generate > encryption.keys
cutover certificate-key show > key.txt
cutover supplier show ACME --json > acme.json
sed -i 's/ACME_ENERGY/ACME/; s/ELEC-1001/A-100/' exports/*.ndjson
cp exports/1.ndjson accounts.ndjson
gzip -c exports/1.ndjson > one-more.json.gz
echo A-000042 > numbers.txt
jq -c '.import_supplier_code = "ACME"' fixtures/businesses/valid/cold_storage.json > businesses.ndjson
cat fixtures/payment_instructions/valid/card.json fixtures/business_payment_instructions/valid/two_accounts.json \
    | jq -c 'if has("import_supplier") then .import_supplier = "ACME" else .import_supplier_code = "ACME" end' > instructions.ndjson
for file in notes/valid/calls transactions/valid/refund statements/valid/year; do
    jq -c '.import_supplier = "ACME" | .external_account_number = "A-000042"' fixtures/$file.json > ${file%%/*}.ndjson
done
printf 'external_account_number,import_supplier,body\nA-000042,ACME,Of a table\n' > notes.csv
mkdir -p documents
printf '%%PDF-1.7' > documents/1.pdf
cutover-client tables template template/
mv template/example extract
mv template/mapping.toml .
printf 'table,rows\naccounts,1\n' > counts.csv
touch cutover.toml"#;

/// Names in examples, each with the command that finds the real one in the installation.
const STANDS_FOR: &[(&str, &str)] = &[
    ("cut_live_4k7m2x9q", "$(cutover api-key list --json | jq -r '.[-1].prefix')"),
    ("job_4f2d9c0b7e3a1568", "$(cutover job list --json | jq -r '.[0].id')"),
    ("wh_4f2d9c0b7e3a1568", "$(cutover webhook list --json | jq -r '.[0].id')"),
    ("5d41402abc4b2a76", "$(cutover signing-key list --json | jq -r '.[-1].kid')"),
    ("5f1c0a9b7e3a15684f2d9c0b7e3a1568", "$(cutover certificate list ACME --json | jq -r '.[0].id')"),
    (
        "$TIME",
        "$(cutover supplier show ACME --json | jq -r '(.hold // {since: \"2026-11-21\"}) | ([.] + (.also // []))[-1].since')",
    ),
    ("--revision 4", "--revision $(cutover supplier show ACME --json | jq .revision)"),
    ("--revision 5", "--revision $(cutover supplier show ACME --json | jq .revision)"),
    ("https://crm.example", "https://127.0.0.1:9"),
    ("https://api.stripe.com", "http://127.0.0.1:9"),
    ("https://api.gocardless.com", "http://127.0.0.1:9"),
    ("/etc/cutover.toml", "cutover.toml"),
    ("/srv/exports/", "tables/"),
    ("/backup/", ""),
];

/// Commands that are not run here, with the reason.
const NOT_RUN: &[(&str, &str)] = &[
    ("cutover serve", "it goes on until it is stopped; other tests start it"),
    ("cutover demo", "it takes minutes, and has tests of its own"),
    ("cutover export ACME --to s3://", "there is no bucket; the tests of storage have one"),
    ("cutover-client watch ACME", "it goes on until no account waits; the tests of the client run it"),
];

/// Commands after which others find nothing.
const LAST: &[&str] = &[
    "cutover account erase",
    "cutover business erase",
    "cutover process erase",
    "cutover supplier set ACME --status",
    "cutover supplier undo",
    "cutover supplier erase",
    "cutover vendor remove",
    "cutover webhook remove",
    "cutover signing-key r",
    "cutover api-key revoke",
    "cutover organisation revoke",
];

/// Returns the sources and pages below a folder of the repository.
fn sources(folder: &str) -> Vec<String> {
    fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let is_text = path.extension().is_some_and(|end| end == "rs" || end == "html");
            match path.is_dir() {
                true => walk(&path, files),
                false if is_text => files.push(path),
                false => {}
            }
        }
    }
    let mut files = Vec::new();
    walk(&Path::new(ROOT).join(folder), &mut files);
    files.retain(|path| {
        !path.components().any(|part| part.as_os_str() == "deploy" || part.as_os_str() == "tests")
    });
    files.sort();
    files.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect()
}

fn is_ours(line: &str) -> bool {
    line.starts_with("cutover ") || line.starts_with("cutover-client ")
}

/// Returns the examples of the help of a program, without their remarks, which two blanks set off.
fn examples(folder: &str) -> Vec<String> {
    let mut found = Vec::new();
    for text in sources(folder) {
        // An example may go on in the next line.
        let parts = text.split("\\\\\n").map(|part| part.trim_matches(' '));
        let text = parts.collect::<Vec<_>>().join(" ");
        let lines = text.lines().filter_map(|line| line.strip_prefix("  ").filter(|line| is_ours(line)));
        let whole = lines.filter_map(|line| line.split("  ").next());
        found.extend(whole.map(|line| line.trim_end_matches("\";").to_owned()));
    }
    found
}

/// Returns the commands that strings and pages name in backquotes or as code.
fn named() -> BTreeSet<String> {
    let folders =
        ["app", "client", "core", "cutover", "http", "model", "outbound", "rules", "store", "tables"];
    let mut found = BTreeSet::new();
    for text in folders.iter().flat_map(|name| sources(&format!("crates/{name}"))) {
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        // A string that goes on in the next line.
        let code = code.map(|line| line.trim_start().trim_end_matches('\\')).collect::<Vec<_>>().join("\n");
        let ticked = code.split('`').skip(1).step_by(2).map(|span| span.replace('\n', ""));
        let tagged = code.split("<code>").skip(1).filter_map(|rest| rest.split("</code>").next());
        let all = ticked.chain(tagged.map(str::to_owned));
        found.extend(all.filter(|span| is_ours(span)));
    }
    found
}

/// Returns a command that can be run for one that is named: with values in place of what stands for them, and the name of a
/// command alone with `--help`.
fn filled(named: &str) -> String {
    let is_placeholder = |word: &&str| {
        let name = word.trim_end_matches('…');
        word.starts_with('{') || (name.len() > 1 && name.chars().all(|c| c.is_ascii_uppercase()))
    };
    // An expression of a page.
    let mut parts = named.split("{{");
    let first = parts.next().unwrap_or_default().to_owned();
    let named =
        parts.fold(first, |line, part| line + "{}" + part.split_once("}}").map_or("", |(_, rest)| rest));
    let words: Vec<&str> = named.split(' ').collect();
    let is_name = !words.iter().any(|word| word.starts_with("--") || is_placeholder(word));
    if is_name {
        return format!("{named} --help");
    }
    let of = (words[1], words.get(2).copied().unwrap_or_default());
    let value = |word: &&str| match (*word, of) {
        ("ERRORED" | "ACME", _) => (*word).to_owned(),
        ("NUMBER", _) => "A-000042".to_owned(),
        ("KIND", _) => "http".to_owned(),
        ("FILE", _) => "copy.db".to_owned(),
        ("FILES…", _) => "exports/".to_owned(),
        ("URL", ("webhook", _)) => "https://127.0.0.1:9/hooks".to_owned(),
        ("URL", _) => "http://127.0.0.1:9".to_owned(),
        ("{since}", _) => "$TIME".to_owned(),
        (_, ("migrate", _)) if is_placeholder(word) => "cutover_run".to_owned(),
        ("NAME", ("run", _)) => "night-2".to_owned(),
        ("NAME", ("supplier", "undo")) => "'night 1'".to_owned(),
        ("NAME", ("vendor", _)) => "BANK".to_owned(),
        ("NAME" | "ORG", _) => "'Acme Energy'".to_owned(),
        (_, ("job", _)) if is_placeholder(word) => "job_4f2d9c0b7e3a1568".to_owned(),
        (_, ("webhook", _)) if is_placeholder(word) => "wh_4f2d9c0b7e3a1568".to_owned(),
        _ if is_placeholder(word) => "ACME".to_owned(),
        _ => (*word).to_owned(),
    };
    words.iter().map(value).collect::<Vec<_>>().join(" ")
}

#[test]
fn every_command_that_the_programs_name_runs() {
    let helps = ["crates/cutover/src", "crates/client/src"].map(examples).concat();
    let named: Vec<String> = named().iter().map(|command| filled(command)).collect();
    assert!(helps.len() > 130 && named.len() > 40, "the search is broken: {} {}", helps.len(), named.len());
    let is_not_run = |command: &String| NOT_RUN.iter().any(|(of, _)| command.starts_with(of));
    for (of, _) in NOT_RUN {
        assert!(helps.iter().chain(&named).any(|command| command.starts_with(of)), "{of} is not needed");
    }
    let all =
        helps.into_iter().chain(named).filter(|command| command.ends_with("--help") || !is_not_run(command));
    let rank = |command: &String| LAST.iter().position(|of| command.starts_with(of)).map_or(0, |at| at + 1);
    let mut all: Vec<String> = all.collect();
    all.sort_by_key(rank);
    all.dedup();

    let Some(mut session) = Session::begin(IMPORT) else { return };
    session.run("cutover serve");
    let (code, printed) = session.run(WORLD);
    assert_eq!(code, 0, "{printed}");
    session
        .run("export CUTOVER_BASE_URL=http://127.0.0.1:8080 CUTOVER_API_KEY=\"$(jq -r .api_key key.json)\"");
    let mut ran = Vec::new();
    for command in all {
        let replaced = STANDS_FOR.iter().fold(command.clone(), |text, (old, new)| text.replace(old, new));
        let (code, printed) = session.run(&replaced);
        assert!(!printed.contains("Usage: ") || command.ends_with("--help"), "{command}\n{printed}");
        assert!(!printed.contains("panicked at"), "{command}\n{printed}");
        ran.push(format!("{code} {command}"));
    }
    insta::assert_snapshot!(ran.join("\n"));
}
