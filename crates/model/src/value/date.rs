use chrono::NaiveDate;

/// A calendar day `YYYY-MM-DD`, years 0001 to 9999, with nothing around it (fields 1.5).
pub(crate) fn parse_date(text: &[u8]) -> Option<NaiveDate> {
    date_of(text.try_into().ok()?)
}

/// The same of a text that is as long as a day.
#[inline]
pub(crate) fn date_of(text: &[u8; 10]) -> Option<NaiveDate> {
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = *text else { return None };
    let year = two(y1, y2)? * 100 + two(y3, y4)?;
    if year == 0 {
        return None;
    }
    NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, two(m1, m2)?, two(d1, d2)?)
}

/// The number that two ASCII digits write.
#[inline]
pub(super) fn two(tens: u8, ones: u8) -> Option<u32> {
    let digit = |b: u8| b.is_ascii_digit().then(|| u32::from(b - b'0'));
    Some(digit(tens)? * 10 + digit(ones)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_real_days_with_nothing_around() {
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
