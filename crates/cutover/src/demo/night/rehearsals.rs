use super::{Night, is_done, statement_path};
use crate::error::Error;
use cutover_app::operator::{AccountGroup, Difference, RunReport};
use serde_json::{Map, Value, json};

const FIRST: &str = "Rehearsal 1";
const SECOND: &str = "Rehearsal 2";
/// Accounts whose statements are lost before the first rehearsal, by their index.
const LOST: [usize; 4] = [4, 11, 22, 36];
/// Those whose statements are lost again before the second one.
const LOST_AGAIN: [usize; 1] = [36];
/// The account that the supplier corrects.
const CORRECTED: usize = 11;

impl Night<'_> {
    /// Runs two rehearsals, the second one corrected, and compares them.
    pub(super) fn rehearsals(&mut self) -> Result<Value, Error> {
        let first = self.rehearse(FIRST, &LOST)?;
        self.out().chapter("13. The second rehearsal, corrected, and what has changed");
        if let Some(account) = self.accounts.get_mut(CORRECTED) {
            let path = format!("statements/{}-corrected.pdf", account.number);
            account.payload["statements"][0]["statement_path"] = json!(path);
        }
        self.write_documents()?;
        self.out().line("  The supplier writes the statements again, one of them under another name:");
        if let Some(account) = self.accounts.get(CORRECTED) {
            self.out().line(&format!("    {} names {}", account.number, statement_path(account)));
        }
        let second = self.rehearse(SECOND, &LOST_AGAIN)?;
        Ok(json!({"first": counts(&first), "second": counts(&second), "difference": self.compare()?}))
    }

    /// Sends all accounts as dry runs, in a run of this name. The statements of some are lost between.
    fn rehearse(&self, name: &str, lost: &[usize]) -> Result<RunReport, Error> {
        let (code, out) = (&self.supplier, self.out());
        out.command(&format!("cutover run start {code} '{name}'"));
        self.app().start_run(code, name)?;
        self.hold()?;
        self.send(self.accounts.iter())?;
        self.lose_documents(lost)?;
        self.release()?;
        self.wait("the end of the rehearsal", is_done)?;
        out.command(&format!("cutover run end {code}"));
        let report = self.app().end_run(code)?;
        for (state, count) in report.counts.iter().filter(|(_, count)| *count > 0) {
            out.row(state.as_str(), &format!("{count:>4}"));
        }
        for of in &report.top_errors {
            let attr = of.cause.attr.as_deref().unwrap_or("no path");
            out.row("  error", &format!("{:>4}  {} at {attr}", of.accounts, of.cause.code));
        }
        Ok(report)
    }

    /// Compares both rehearsals.
    fn compare(&self) -> Result<Value, Error> {
        let (code, out) = (&self.supplier, self.out());
        out.command(&format!("cutover run diff {code} '{FIRST}' '{SECOND}'"));
        let diff = self.app().diff_runs(code, FIRST, SECOND)?;
        let mut found = Map::new();
        for (difference, AccountGroup { count, examples }) in diff.groups {
            let meaning = match difference {
                Difference::New => "not in the first",
                Difference::Gone => "not in the second",
                Difference::Changed => "sent with other content",
                Difference::Fixed => "failed in the first only",
                Difference::Broken => "failed in the second only",
            };
            let named = if count == 0 { String::new() } else { format!(": {}", examples.join(", ")) };
            out.row(difference.as_str(), &format!("{count:>4}  {meaning}{named}"));
            found.insert(difference.to_string(), json!(examples));
        }
        for of in diff.codes {
            out.row("  error", &format!("{:>4}  {}, {} before", of.b, of.cause.code, of.a));
            found.insert(of.cause.code, json!([of.a, of.b]));
        }
        Ok(Value::Object(found))
    }
}

fn counts(report: &RunReport) -> Value {
    report.counts.iter().map(|(state, count)| (state.as_str().to_owned(), json!(count))).collect()
}
