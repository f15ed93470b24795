use crate::exit::Exit;
use crate::output::{document, grouped, inputs};
use crate::report::{Causes, Page, alerts};
use cutover_core::plain;
use serde::Serialize;

/// Totals of a check of documents.
#[derive(Debug, Default, Serialize)]
pub(super) struct Summary {
    pub(super) interrupted: bool,
    pub(super) files: u64,
    pub(super) unreadable_files: u64,
    pub(super) accounts: u64,
    /// Accounts of which a document is missing or no PDF, or that cannot be read as far as they name documents.
    pub(super) faulty: u64,
    /// Documents that accounts name, each once.
    pub(super) documents: u64,
    /// Those of them that are not there.
    pub(super) missing: u64,
    #[serde(flatten)]
    pub(super) causes: Causes,
}

impl Summary {
    /// Exit code.
    pub(super) fn exit(&self) -> Exit {
        match self {
            Self { interrupted: true, .. } => Exit::Interrupted,
            Self { unreadable_files: 1.., .. } => Exit::Failed,
            Self { faulty: 1.., .. } => Exit::Faulty,
            _ => Exit::Success,
        }
    }

    /// One JSON document for programs.
    pub(super) fn json(&self) -> String {
        document(self)
    }

    /// Text for people.
    pub(super) fn text(&self) -> String {
        let lines = self.sums().map(|(name, value)| format!("{name:11}{}\n", plain(&value)));
        let end = if self.interrupted { "\nInterrupted: the rest of the inputs was not read.\n" } else { "" };
        lines.concat() + &self.causes.text() + end
    }

    fn sums(&self) -> [(&'static str, String); 5] {
        [
            ("Files", inputs(self.files, self.unreadable_files)),
            ("Accounts", grouped(self.accounts)),
            ("  faulty", grouped(self.faulty)),
            ("Documents", grouped(self.documents)),
            ("  missing", grouped(self.missing)),
        ]
    }

    /// Content of the HTML report.
    pub(super) fn page(&self) -> Page {
        Page {
            title: "Documents of accounts",
            alerts: alerts(self.interrupted, None, self.unreadable_files),
            sums: self.sums().map(|(name, value)| (name.trim_start(), value)).into(),
            remark: String::new(),
            tops: self.causes.tops(),
        }
    }
}
