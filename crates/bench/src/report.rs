//! The tables of a run: on the terminal, and on the page in `docs` between two marks for each part.

use crate::error::Error;
use crate::figure::Figure;
use crate::program;

const PAGE: &str = "docs/PERFORMANCE.md";
const HEAD: [&str; 4] = ["what", "measured [least-greatest]", "goal", ""];

/// The figures of a part as a Markdown table with aligned columns.
pub(crate) fn table(figures: &[Figure]) -> String {
    let mut rows = vec![HEAD.map(str::to_owned)];
    rows.extend(figures.iter().map(Figure::row));
    let widths =
        [0, 1, 2, 3].map(|column| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0));
    let line = |cells: [String; 4]| format!("| {} |\n", cells.join(" | "));
    rows.insert(1, widths.map(|width| "-".repeat(width)));
    rows.into_iter().map(|row| line(std::array::from_fn(|i| format!("{:1$}", row[i], widths[i])))).collect()
}

/// Puts the table of a part on the page.
pub(crate) fn write(part: &str, table: &str, how: &str) -> Result<(), Error> {
    let file = program::root().join(PAGE);
    let page = std::fs::read_to_string(&file).map_err(Error::file("read", &file))?;
    std::fs::write(&file, replaced(&page, part, table, how)?).map_err(Error::file("write", &file))
}

fn replaced(page: &str, part: &str, table: &str, how: &str) -> Result<String, Error> {
    let (begin, end) = (format!("<!-- bench: {part} -->\n"), "<!-- end -->");
    let cut = page.split_once(&begin).and_then(|(before, rest)| Some((before, rest.split_once(end)?.1)));
    let (before, after) = cut.ok_or_else(|| Error::Bench(format!("{PAGE} has no mark {}", begin.trim())))?;
    Ok(format!("{before}{begin}\n{table}\n{how}\n{end}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::{A_SECOND, RATIO};
    use crate::part::Part;
    use clap::ValueEnum;

    #[test]
    fn each_figure_has_a_row_with_goal_and_verdict() {
        let figures = [
            Figure::new("a thing", RATIO, &[1.0, 2.0, 3.0]).at_least(2.5),
            Figure::new("… its rate", A_SECOND, &[12345.0]),
        ];
        let expected = "\
| what       | measured [least-greatest] | goal         |             |
| ---------- | ------------------------- | ------------ | ----------- |
| a thing    | 2.00 [1.00-3.00]          | at least 2.5 | **not met** |
| … its rate | 12,345 a second           |              |             |
";
        assert_eq!(table(&figures), expected);
    }

    #[test]
    fn the_page_has_a_place_for_every_part() {
        let mut page = std::fs::read_to_string(program::root().join(PAGE)).unwrap();
        for part in Part::value_variants() {
            page = replaced(&page, &part.name(), "| 1 |\n", "Then.").unwrap();
            let place = format!("<!-- bench: {} -->\n\n| 1 |\n\nThen.\n<!-- end -->", part.name());
            assert!(page.contains(&place), "{place}");
        }
        assert!(replaced(&page, "no-such-part", "", "").is_err());
    }
}
