use comfy_table::{ContentArrangement, Table, presets};
use cutover_core::plain;
use terminal_size::{Width, terminal_size};

/// Formats a table as wide as its content, or at most as the terminal.
pub(crate) fn listing(heads: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    if let Some((Width(width), _)) = terminal_size() {
        table.set_width(width);
    }
    table.set_header(heads.to_vec());
    for cells in rows {
        table.add_row(cells.iter().map(|cell| plain(cell)).collect::<Vec<_>>());
    }
    table.column_iter_mut().for_each(|column| {
        column.set_padding((0, 2));
    });
    table.trim_fmt()
}

/// Formats names and values, one pair per line.
pub(crate) fn pairs(rows: &[(&str, String)]) -> String {
    let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let line = |(name, value): &(&str, String)| format!("{name:width$}  {}", plain(value));
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_line_up() {
        let rows = [vec!["Öl".to_owned(), "1".into()], vec!["Gas".into(), "200".into()]];
        assert_eq!(listing(&["NAME", "COUNT"], rows), "NAME  COUNT\nÖl    1\nGas   200");
    }

    #[test]
    fn pairs_line_up_and_stay_on_their_line() {
        let rows = [("code", "ACME".to_owned()), ("time zone", "a\nb\u{1b}[2J".to_owned())];
        assert_eq!(pairs(&rows), "code       ACME\ntime zone  a\\nb\\u{1b}[2J");
    }
}
