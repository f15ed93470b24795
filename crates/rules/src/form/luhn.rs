/// Returns true if a text contains a possible card number: 13 to 19 digits in a row, neither preceded nor
/// followed by another digit, whose Luhn sum is a multiple of ten.
pub(crate) fn holds_card_number(text: &str) -> bool {
    let mut runs = text.as_bytes().split(|byte| !byte.is_ascii_digit());
    runs.any(|run| (13..=19).contains(&run.len()) && passes_luhn(run))
}

/// Returns true if the Luhn sum is a multiple of ten: every second digit from the right is doubled, and the
/// digits of the results are added up.
fn passes_luhn(digits: &[u8]) -> bool {
    let add = |sum: u32, (place, digit): (usize, &u8)| {
        let digit = u32::from(digit - b'0') << (place % 2);
        sum + digit / 10 + digit % 10
    };
    digits.iter().rev().enumerate().fold(0, add) % 10 == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn card_numbers_are_found() {
        let texts = [
            "4111111111111111",
            "5555555555554444",
            "378282246310005",
            "6011000990139424",
            "4222222222222",
            "6304000000000000000",
            "card 4111111111111111!",
            "12/4111111111111111",
        ];
        for text in texts {
            assert!(holds_card_number(text), "{text}");
        }
    }

    #[test]
    fn other_digits_are_no_card_numbers() {
        let texts = [
            "",
            "4111111111111112",
            "411111111111",
            "0000000000",
            "00000000000000000000",
            "4111 1111 1111 1111",
            "4111-1111-1111-1111",
            "41111111111111110",
            "94111111111111111",
            "٤١١١١١١١١١١١١١١١",
        ];
        for text in texts {
            assert!(!holds_card_number(text), "{text}");
        }
    }
}
