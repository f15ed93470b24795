/// The largest offset that a cross-reference table has digits for is 9,999,999,999; ours are far below.
const FIRST: &str = "0000000000 65535 f \n";

/// A PDF of one A4 page with lines of text, which any viewer opens.
pub(super) fn pdf(lines: &[String]) -> Vec<u8> {
    let page = page(lines);
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R \
         /Resources << /Font << /F1 5 0 R >> >> >>"
            .to_owned(),
        format!("<< /Length {} >>\nstream\n{page}\nendstream", page.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned(),
    ];
    let mut file = "%PDF-1.4\n".to_owned();
    let mut table = format!("xref\n0 {}\n{FIRST}", objects.len() + 1);
    for (number, object) in (1..).zip(&objects) {
        table += &format!("{:010} 00000 n \n", file.len());
        file += &format!("{number} 0 obj\n{object}\nendobj\n");
    }
    let start = file.len();
    let trailer = format!("trailer\n<< /Size {} /Root 1 0 R >>", objects.len() + 1);
    file += &format!("{table}{trailer}\nstartxref\n{start}\n%%EOF\n");
    file.into_bytes()
}

/// The operators that draw the lines, the first one large.
fn page(lines: &[String]) -> String {
    let line = |(i, line): (usize, &String)| {
        let size = if i == 0 { 20 } else { 12 };
        format!("/F1 {size} Tf ({}) Tj 0 -28 Td", literal(line))
    };
    let drawn: Vec<String> = lines.iter().enumerate().map(line).collect();
    format!("BT 64 760 Td\n{}\nET", drawn.join("\n"))
}

/// The text of a PDF string in ASCII: what is not is left out.
fn literal(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars().filter(|c| matches!(c, ' '..='~')) {
        if matches!(c, '(' | ')' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_offset_is_that_of_its_object() {
        let file = String::from_utf8(pdf(&["Statement (1)".to_owned(), "a\\b".to_owned()])).unwrap();
        let start: usize =
            file.rsplit("startxref\n").next().unwrap().lines().next().unwrap().parse().unwrap();
        let entries: Vec<&str> = file[start..].lines().skip(2).take(6).collect();
        assert!(file[start..].starts_with("xref\n0 6\n"));
        assert!(entries.iter().all(|entry| entry.len() == 19), "20 bytes each with their end of line");
        for (number, entry) in entries.iter().enumerate().skip(1) {
            let offset: usize = entry[..10].parse().unwrap();
            assert!(file[offset..].starts_with(&format!("{number} 0 obj\n")), "{number}");
        }
    }

    #[test]
    fn the_length_is_that_of_the_stream() {
        let file = String::from_utf8(pdf(&["Statement (1)".to_owned()])).unwrap();
        let (head, rest) = file.split_once("stream\n").unwrap();
        let stream = rest.split("\nendstream").next().unwrap();
        assert!(head.contains(&format!("/Length {} ", stream.len())), "{head}");
        assert!(stream.contains(r"(Statement \(1\)) Tj"));
        assert!(file.starts_with("%PDF-1.4\n") && file.ends_with("%%EOF\n"));
    }
}
