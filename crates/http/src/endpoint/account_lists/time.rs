use chrono::{DateTime, Datelike, FixedOffset, Timelike};
use cutover_app::account::shown_time;

/// Writes a time in the format of [`shown_time`]. Formatting dominates the cost of an item, so common times
/// are written digit by digit.
pub(super) fn write(out: &mut Vec<u8>, time: DateTime<FixedOffset>) {
    let seconds = time.offset().local_minus_utc();
    let (year, micros) = (time.year(), time.timestamp_subsec_micros());
    let is_odd = seconds % 60 != 0 || seconds.abs() > 14 * 3_600 || micros > 999_999;
    if is_odd || !(1..=9_999).contains(&year) {
        out.extend_from_slice(shown_time(time).as_bytes());
        return;
    }
    let minutes = seconds.unsigned_abs() / 60;
    let mut text = *b"0000-00-00T00:00:00.000000+00:00";
    digits(&mut text[0..4], year.unsigned_abs());
    digits(&mut text[5..7], time.month());
    digits(&mut text[8..10], time.day());
    digits(&mut text[11..13], time.hour());
    digits(&mut text[14..16], time.minute());
    digits(&mut text[17..19], time.second());
    digits(&mut text[20..26], micros);
    text[26] = if seconds < 0 { b'-' } else { b'+' };
    digits(&mut text[27..29], minutes / 60);
    digits(&mut text[30..32], minutes % 60);
    out.extend_from_slice(&text);
}

fn digits(field: &mut [u8], mut number: u32) {
    for digit in field.iter_mut().rev() {
        *digit = b'0' + (number % 10) as u8;
        number /= 10;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cutover_core::Zone;
    use proptest::prelude::*;

    fn written(time: DateTime<FixedOffset>) -> String {
        let mut out = Vec::new();
        write(&mut out, time);
        String::from_utf8(out).unwrap()
    }

    proptest! {
        #[test]
        fn times_are_written_as_elsewhere(
            micros in -70_000_000_000_000_000..260_000_000_000_000_000_i64,
            zone in prop::sample::select(vec![
                "UTC", "Australia/Sydney", "Asia/Kathmandu", "America/St_Johns", "Africa/Monrovia",
            ]),
        ) {
            let time = zone.parse::<Zone>().unwrap().local(DateTime::from_timestamp_micros(micros).unwrap());
            prop_assert_eq!(written(time), shown_time(time));
        }
    }

    #[test]
    fn odd_times_are_written_too() {
        for text in [
            "2026-11-21T13:00:00.123456+11:00",
            "2026-12-31T23:59:60.500000Z",
            "1000-01-01T00:00:00-00:30",
            "-0001-01-01T00:00:00Z",
            "+10000-01-01T00:00:00Z",
            "0000-12-31T23:00:00-01:00",
            "2026-01-01T00:00:00+15:00",
        ] {
            let time: DateTime<FixedOffset> = text.parse().unwrap();
            assert_eq!(written(time), shown_time(time), "{text}");
        }
    }
}
