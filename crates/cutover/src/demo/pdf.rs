/// Returns a PDF of one A4 page with lines of ASCII text.
pub(super) fn pdf(lines: &[String]) -> Vec<u8> {
    let line = |(i, line): (usize, &String)| {
        let size = if i == 0 { 20 } else { 12 };
        format!("/F1 {size} Tf ({}) Tj 0 -28 Td\n", escape(line))
    };
    let page = format!("BT 64 760 Td\n{}ET", lines.iter().enumerate().map(line).collect::<String>());
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R \
         /Resources << /Font << /F1 5 0 R >> >> >>"
            .to_owned(),
        format!("<< /Length {} >>\nstream\n{page}\nendstream", page.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned(),
    ];
    let size = objects.len() + 1;
    let mut file = "%PDF-1.4\n".to_owned();
    let mut table = format!("xref\n0 {size}\n0000000000 65535 f \n");
    for (number, object) in (1..).zip(&objects) {
        table += &format!("{:010} 00000 n \n", file.len());
        file += &format!("{number} 0 obj\n{object}\nendobj\n");
    }
    let start = file.len();
    file += &format!("{table}trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n");
    file.into_bytes()
}

/// Escapes the text of a PDF string; leaves out characters other than ASCII.
fn escape(text: &str) -> String {
    let ascii: String = text.chars().filter(|c| matches!(c, ' '..='~')).collect();
    ascii.replace('\\', "\\\\").replace('(', "\\(").replace(')', "\\)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_and_length_match_the_content() {
        let file = String::from_utf8(pdf(&["Statement (1)".to_owned(), "a\\b".to_owned()])).unwrap();
        let start: usize =
            file.rsplit("startxref\n").next().unwrap().lines().next().unwrap().parse().unwrap();
        let entries: Vec<&str> = file[start..].lines().skip(2).take(6).collect();
        assert!(file.starts_with("%PDF-1.4\n") && file.ends_with("%%EOF\n"));
        assert!(file[start..].starts_with("xref\n0 6\n"));
        assert!(entries.iter().all(|entry| entry.len() == 19), "20 bytes each with their end of line");
        for (number, entry) in entries.iter().enumerate().skip(1) {
            let offset: usize = entry[..10].parse().unwrap();
            assert!(file[offset..].starts_with(&format!("{number} 0 obj\n")), "{number}");
        }
        let (head, rest) = file.split_once("stream\n").unwrap();
        let stream = rest.split("\nendstream").next().unwrap();
        assert!(head.contains(&format!("/Length {} ", stream.len())), "{head}");
        assert!(stream.contains(r"(Statement \(1\)) Tj"));
    }
}
