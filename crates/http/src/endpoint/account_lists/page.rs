use super::time;
use crate::refusal::Refusal;
use cutover_app::App;
use cutover_app::account::OpenList;
use cutover_app::port::{ListedAccount, Position};
use cutover_core::Zone;

/// Items of a list as JSON, each preceded by a comma, up to the requested number.
pub(super) type Page = super::super::stream::Page<Position>;

/// Reads the page after a position into an empty buffer.
///
/// # Errors
/// [`Refusal`] if it could not be read.
pub(super) fn read(
    app: &App,
    list: &OpenList,
    after: Option<Position>,
    size: u32,
    buffer: Vec<u8>,
) -> Result<Page, Refusal> {
    let page = Page { items: buffer, next: None };
    let mut writer = Writer { zone: list.zone, page, failed: None };
    let next = app.list_page(list, after, size, |account| writer.add(account))?;
    if let Some(error) = writer.failed {
        return Err(Refusal::Unexpected(error.to_string()));
    }
    Ok(Page { next, ..writer.page })
}

/// Writes items.
struct Writer {
    zone: Zone,
    page: Page,
    failed: Option<serde_json::Error>,
}

impl Writer {
    fn add(&mut self, account: ListedAccount<'_>) {
        if let Err(error) = write(&mut self.page.items, self.zone, account) {
            self.failed = Some(error);
        }
    }
}

/// Writes an item of a list (contract 2.2); by hand, since there may be a million of them.
fn write(out: &mut Vec<u8>, zone: Zone, item: ListedAccount<'_>) -> serde_json::Result<()> {
    out.extend_from_slice(b",{\"external_account_number\":");
    serde_json::to_writer(&mut *out, item.external_account_number)?;
    out.extend_from_slice(b",\"service_account_number\":");
    match item.account {
        None => out.extend_from_slice(b"null,\"account_created_at\":null}"),
        Some((number, created_at)) => {
            serde_json::to_writer(&mut *out, number)?;
            out.extend_from_slice(b",\"account_created_at\":\"");
            time::write(out, zone.local(created_at));
            out.extend_from_slice(b"\"}");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn written(external_account_number: &str, account: Option<(&str, &str)>) -> Value {
        let mut out = Vec::new();
        let account = account.map(|(number, at)| (number, at.parse().unwrap()));
        let item = ListedAccount { external_account_number, account };
        write(&mut out, "Australia/Sydney".parse().unwrap(), item).unwrap();
        assert_eq!(out[0], b',');
        serde_json::from_slice(&out[1..]).unwrap()
    }

    #[test]
    fn an_item_with_an_account_and_one_without() {
        let imported = json!({
            "external_account_number": "E-1",
            "service_account_number": "A-00000001",
            "account_created_at": "2026-11-21T13:00:00.000001+11:00",
        });
        assert_eq!(written("E-1", Some(("A-00000001", "2026-11-21T02:00:00.000001Z"))), imported);
        let pending = json!({
            "external_account_number": "E-2", "service_account_number": null, "account_created_at": null,
        });
        assert_eq!(written("E-2", None), pending);
    }

    #[test]
    fn numbers_are_escaped() {
        for number in ["\"},{\"", "\\", "\u{8}\n\u{7f}", "☃ </script>", "\u{2028}"] {
            assert_eq!(written(number, None)["external_account_number"], number);
        }
    }
}
