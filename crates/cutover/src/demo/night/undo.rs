use super::Night;
use super::waves::WAVE;
use crate::error::Error;
use cutover_app::operator::{UndoRequest, UndoScope};
use cutover_app::port::JobState;
use serde_json::{Value, json};

/// The wave that is undone.
const UNDONE: u32 = 2;

impl Night<'_> {
    /// Undoes a wave: its accounts are gone, and can be sent again.
    pub(super) fn undo(&self) -> Result<Value, Error> {
        let (app, out) = (self.app(), self.out());
        out.chapter("17. One wave is undone");
        let request = UndoRequest { supplier: self.supplier.clone(), which: UndoScope::Wave(UNDONE) };
        let command = format!("cutover supplier undo {} --wave {UNDONE}", self.supplier);
        out.command(&command);
        let undoable = app.undoable(&request)?;
        let text = format!(
            "{} accounts, {} are kept; nothing is changed yet",
            undoable.undo.count,
            undoable.kept_count()
        );
        out.row("would be undone", &text);
        out.command(&format!("{command} --yes"));
        let begun = app.begin_undo(&request)?;
        let ended = app.run_job(&begun.name, Some(begun.claim), |_| ())?;
        if ended.state != JobState::Done || ended.failed > 0 {
            return Err(Error::refused(format!("the undo of wave {UNDONE} of {WAVE} accounts did not end")));
        }
        out.row("undone", &format!("{} accounts, {} were kept", ended.changed, ended.skipped));
        let progress = self.progress()?;
        let counts = self.print_counts(&progress);
        let number = undoable.undo.examples.first().map(String::as_str).unwrap_or_default();
        let path = format!("/v2/data-import/accounts/{}/{number}/", self.supplier);
        let example = self.story.client.get(&path)?.expect(200)?.body;
        let status = example["status"].as_str().unwrap_or_default();
        out.row(number, &format!("{status}: its account is gone, and it can be sent again"));
        Ok(json!({"wave": UNDONE, "undone": ended.changed, "kept": ended.skipped, "counts": counts,
            "totals": progress["totals"], "example": example}))
    }
}
