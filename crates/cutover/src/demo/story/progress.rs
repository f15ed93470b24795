use super::Story;
use crate::error::Error;
use serde::Serialize;
use serde_json::json;

/// How many accounts each list of version 1 has (contract 4.3).
#[derive(Serialize)]
pub(in crate::demo) struct Lists {
    all: usize,
    pending: usize,
    imported: usize,
}

impl Story<'_> {
    /// Where accounts stand, as version 1 shows it: an imported one, one that failed, one for tonight.
    pub(in crate::demo) fn progress(&mut self, imported: &str, failed: &str) -> Result<Lists, Error> {
        self.stage.chapter("11. How far it is, as version 1 shows it");
        let mut tonight = self.accounts.valid();
        // Its documents come later, too.
        tonight.payload["statements"] = json!([]);
        self.send(&tonight, self.tonight())?.expect(201)?;
        for (number, what) in [(imported, "imported"), (failed, "failed"), (&*tonight.number, "for tonight")]
        {
            let route = format!("account-transfer-status/{}/{number}/", self.house.supplier);
            let reply = self.client.read(&route)?.expect(200)?;
            let text = format!("200  {}  {}", reply.text("status"), reply.text("service_account_number"));
            self.tell(&format!("{number}, {what}"), text.trim_end());
        }
        let lists = Lists {
            all: self.list("all")?,
            pending: self.list("pending")?,
            imported: self.list("imported")?,
        };
        for (name, count) in [("all", lists.all), ("pending", lists.pending), ("imported", lists.imported)] {
            self.stage.row(&format!("{name}-account-…"), &format!("200  {count} accounts"));
        }
        // Nobody waits for it.
        self.cancel(&tonight.number)?;
        Ok(lists)
    }

    fn list(&self, which: &str) -> Result<usize, Error> {
        let route = format!("{which}-account-import-processes/{}/", self.house.supplier);
        let items = self.client.read(&route)?.expect(200)?.body;
        items.as_array().map(Vec::len).ok_or_else(|| Error::refused("the service's list is none"))
    }
}
