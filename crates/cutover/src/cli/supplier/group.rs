use crate::output::plain;
use cutover_app::operator::AccountGroup;
use serde::Serialize;

/// Accounts of which some are named.
#[derive(Debug, Serialize)]
pub(super) struct Group {
    pub(super) count: u64,
    /// Numbers of the first accounts.
    examples: Vec<String>,
}

impl From<AccountGroup> for Group {
    fn from(AccountGroup { count, examples }: AccountGroup) -> Self {
        Self { count, examples }
    }
}

impl Group {
    pub(super) fn text(&self) -> String {
        let more = if self.count > self.examples.len() as u64 { ", …" } else { "" };
        match self.count {
            0 => "0".to_owned(),
            count => format!("{count} ({}{more})", plain(&self.examples.join(", "))),
        }
    }
}
