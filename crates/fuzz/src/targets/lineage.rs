use super::Target;
use super::assemble::{TABLES, json, row, seeds};
use cutover_client::{Assembly, Made, TableFinding};
use cutover_model::tables::{Cell, ColumnRole, Row};
use serde_json::Value;
use std::cell::RefCell;
use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::Path;
use std::rc::Rc;

/// Tables in files, and what is made of them.
pub(crate) const TARGET: Target = Target {
    name: "lineage",
    description: "tables in CSV: every member of an account has the text of the cell that it names, and no row is lost without a finding",
    run,
    seeds,
    words: &[
        "\naccounts",
        "\ncustomers",
        "\nmeters",
        "\texternal_account_number=",
        "\tposition=",
        "\\N",
        "=",
        "\"",
    ],
    max: 4 << 10,
    executions: 800,
};

/// File and line of a row.
type Place = (String, u64);

/// Accounts with their lineage, and the rows that findings are about.
#[derive(Default)]
struct Seen {
    accounts: Vec<(Option<Value>, Value)>,
    findings: HashSet<Place>,
}

fn run(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let rows: Vec<Row<'_>> = text.lines().filter_map(row).collect();
    let folder = tempfile::tempdir().expect("a folder");
    write(&rows, folder.path());
    let Ok(assembly) = Assembly::new(&[folder.path().to_owned()], None) else { return };
    let seen = Rc::new(RefCell::new(Seen::default()));
    let of = seen.clone();
    let run = assembly.run(move |made| {
        of.borrow_mut().add(&made);
        Ok(())
    });
    assert!(run.is_ok(), "{run:?}");
    check(&rows, &seen.borrow());
}

impl Seen {
    fn add(&mut self, made: &Made<'_>) {
        match made {
            Made::Account(account) => {
                let lineage = serde_json::to_value(account.lineage()).expect("a lineage is JSON");
                self.accounts.push((json(account.json()), lineage));
            }
            Made::Finding(TableFinding { file, line: Some(line), .. }) => {
                self.findings.insert((file_name(file), *line));
            }
            Made::Finding(_) => {}
        }
    }
}

fn file_name(path: &str) -> String {
    path.rsplit('/').next().unwrap_or_default().to_owned()
}

/// Writes a file for each table that has rows, with all columns of the table.
fn write(rows: &[Row<'_>], folder: &Path) {
    for (index, table) in TABLES.iter().enumerate() {
        let mut rows = rows.iter().filter(|row| row.table == index).peekable();
        if rows.peek().is_none() {
            continue;
        }
        let names: Vec<&str> = table.columns.iter().map(|column| &*column.name).collect();
        let mut file = names.join(",");
        for row in rows {
            let mut separator = '\n';
            for cell in &row.cells {
                file.push(separator);
                separator = ',';
                match cell {
                    Cell::Absent => {}
                    Cell::Null => file.push_str("\\N"),
                    Cell::Value(text) => write!(file, "\"{}\"", text.replace('"', "\"\"")).expect("a string"),
                }
            }
        }
        file.push('\n');
        std::fs::write(folder.join(format!("{}.csv", table.name)), file).expect("a file");
    }
}

fn check(rows: &[Row<'_>], seen: &Seen) {
    // The row of line 2 is the first one of its file.
    let find = |file: &str, line: u64| {
        let (index, _) = TABLES.find(file.strip_suffix(".csv")?)?;
        rows.iter().filter(|row| row.table == index).nth(usize::try_from(line).ok()?.checked_sub(2)?)
    };
    let mut arrived = HashSet::new();
    for (account, lineage) in &seen.accounts {
        for (path, source) in lineage["members"].as_object().expect("members") {
            let (file, line) = (file_name(source["file"].as_str().expect("a file")), source["line"].as_u64());
            let line = line.expect("a line");
            let row = find(&file, line).expect("the row is there");
            let table = TABLES.get(row.table).expect("a table");
            let column =
                table.column(source["column"].as_str().expect("a column")).expect("the column is there");
            if let Some(account) = account {
                let pointer = format!("/{}", path.replace('.', "/"));
                let found =
                    account.pointer(&pointer).unwrap_or_else(|| panic!("{path} is not in the account"));
                assert!(is_of(found, &row.cells[column]), "{path} is not the text of its cell");
            }
            arrived.insert((file, line));
        }
    }
    for (index, table) in TABLES.iter().enumerate() {
        for (line, row) in (2..).zip(rows.iter().filter(|row| row.table == index)) {
            let place = (format!("{}.csv", table.name), line);
            let mut members = table.columns.iter().zip(&row.cells);
            let has_member =
                members.any(|(column, cell)| column.role != ColumnRole::Key && *cell != Cell::Absent);
            let is_known = arrived.contains(&place) || seen.findings.contains(&place);
            assert!(is_known || !has_member, "the row of {place:?} is lost");
        }
    }
}

/// True if a member has the value of a cell: its text, or the JSON that it is.
fn is_of(member: &Value, cell: &Cell<'_>) -> bool {
    match cell {
        Cell::Absent => false,
        Cell::Null => member.is_null(),
        Cell::Value(text) => {
            member.as_str() == Some(text)
                || serde_json::from_str::<Value>(text).is_ok_and(|json| json == *member)
        }
    }
}
