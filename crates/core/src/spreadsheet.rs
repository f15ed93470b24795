use std::borrow::Cow;

/// Returns a text for a cell of a table that people open in a spreadsheet: with an apostrophe in front if a spreadsheet
/// would take it for a formula.
///
/// ```
/// use cutover_core::spreadsheet_cell;
/// for text in ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", " =1", "＝1"] {
///     assert_eq!(spreadsheet_cell(text), format!("'{text}"));
/// }
/// for text in ["A-100", "", "1", "a=b", "customers.0.email", "Zoë"] {
///     assert_eq!(spreadsheet_cell(text), text);
/// }
/// ```
pub fn spreadsheet_cell(text: &str) -> Cow<'_, str> {
    match text.trim_start_matches(' ').chars().next() {
        Some('=' | '+' | '-' | '@' | '\t' | '\r' | '\n' | '＝' | '＋' | '－' | '＠') => {
            format!("'{text}").into()
        }
        _ => text.into(),
    }
}
