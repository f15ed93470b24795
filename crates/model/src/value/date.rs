use chrono::NaiveDate;

/// Parses a calendar day `YYYY-MM-DD` of the years 0001 to 9999 (fields 1.5).
pub(crate) fn parse_date(text: &[u8]) -> Option<NaiveDate> {
    date_of(text.try_into().ok()?)
}

/// Parses a text of ten bytes.
#[inline]
pub(crate) fn date_of(text: &[u8; 10]) -> Option<NaiveDate> {
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = *text else { return None };
    let [century, year, month, day] = pairs([y1, y2, y3, y4, m1, m2, d1, d2])?;
    let year = i32::from(century) * 100 + i32::from(year);
    if year == 0 {
        return None;
    }
    NaiveDate::from_ymd_opt(year, month.into(), day.into())
}

/// The numbers of four pairs of ASCII digits. Works on all digits at once, because payloads have many dates.
#[inline]
fn pairs(digits: [u8; 8]) -> Option<[u8; 4]> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let digits = u64::from_le_bytes(digits) ^ (ONES * u64::from(b'0'));
    // Sets the highest bit of each byte above 9.
    if (digits.wrapping_add(ONES * (0x80 - 10)) | digits) & (ONES * 0x80) != 0 {
        return None;
    }
    let [first, _, second, _, third, _, fourth, _] = (digits * 10 + (digits >> 8)).to_le_bytes();
    Some([first, second, third, fourth])
}

/// The number of two ASCII digits.
#[inline]
pub(super) fn two(tens: u8, ones: u8) -> Option<u32> {
    let digit = |b: u8| b.is_ascii_digit().then(|| u32::from(b - b'0'));
    Some(digit(tens)? * 10 + digit(ones)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_consist_of_digits() {
        assert_eq!(pairs(*b"20240229"), Some([20, 24, 2, 29]));
        assert_eq!(pairs(*b"99999999"), Some([99; 4]));
        for place in 0..8 {
            for other in (0..=255).filter(|byte: &u8| !byte.is_ascii_digit()) {
                let mut text = *b"00000000";
                text[place] = other;
                assert_eq!(pairs(text), None);
            }
        }
    }

    #[test]
    fn only_existing_days_are_read() {
        for day in ["0001-01-01", "2024-02-29", "9999-12-31"] {
            assert_eq!(parse_date(day.as_bytes()).unwrap().to_string(), day);
        }
        let bad = [
            "0000-01-01",
            "2023-02-29",
            "2024-1-01",
            " 2024-01-01",
            "2024-01-01T",
            "20240101",
            "2024/01/01",
            "+2024-01-01",
            "2024-13-01",
            "2024-00-10",
            "2024-01-32",
            "２024-01-01",
            "",
        ];
        for day in bad {
            assert_eq!(parse_date(day.as_bytes()), None, "{day}");
        }
    }
}
