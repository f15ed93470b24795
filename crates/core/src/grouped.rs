/// Writes a number, which may have a sign and decimal places, with thousands separators: `-1,234,567.89`.
pub fn grouped(number: &str) -> String {
    let (whole, rest) = number.split_at(number.find('.').unwrap_or(number.len()));
    let (sign, digits) = whole.split_at(usize::from(whole.starts_with(['-', '+'])));
    let mut grouped = String::with_capacity(number.len() * 4 / 3 + 1);
    grouped.push_str(sign);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped.push_str(rest);
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_separated() {
        let numbers = ["0", "999", "1000", "-12345", "+1234567", "-1234567.8910", "12.5"].map(grouped);
        assert_eq!(numbers, ["0", "999", "1,000", "-12,345", "+1,234,567", "-1,234,567.8910", "12.5"]);
    }
}
