//! Conversion of vendors' answers to payment instructions. Values that the API would not accept are refused
//! (fields 4).

use super::outcome::unreadable;
use cutover_app::port::{InstructionDetails, VendorBankAccount, VendorCard, VendorError, VendorInstruction};

/// Maximum number of characters of an account holder's name.
const HOLDER: usize = 255;

/// Instruction with a card.
pub(super) fn card(kind: &str, card: Option<VendorCard>) -> VendorInstruction {
    VendorInstruction { kind: kind.into(), details: InstructionDetails { card, bank_account: None } }
}

/// Instruction with a bank account.
pub(super) fn bank_account(kind: &str, account: Option<VendorBankAccount>) -> VendorInstruction {
    VendorInstruction { kind: kind.into(), details: InstructionDetails { card: None, bank_account: account } }
}

/// Refuses an instruction with values that do not belong in it, so that a full number in place of the last
/// digits is never stored.
pub(super) fn checked(instruction: VendorInstruction) -> Result<VendorInstruction, VendorError> {
    let InstructionDetails { card, bank_account } = &instruction.details;
    let sound = card.as_ref().is_none_or(is_card) && bank_account.as_ref().is_none_or(is_bank_account);
    if sound { Ok(instruction) } else { Err(unreadable()) }
}

fn is_card(card: &VendorCard) -> bool {
    let digits = |s: &String| is_ending(s) && s.bytes().all(|b| b.is_ascii_digit());
    card.last_digits.as_ref().is_none_or(digits)
        && card.expiry_month.is_none_or(|m| (1..=12).contains(&m))
        && card.expiry_year.is_none_or(|y| (1000..=9999).contains(&y))
}

fn is_bank_account(account: &VendorBankAccount) -> bool {
    account.account_holder.as_deref().is_none_or(is_name)
        && account.account_number_last_digits.as_deref().is_none_or(is_ending)
        && account.bsb.as_deref().is_none_or(is_bsb)
}

fn is_name(text: &str) -> bool {
    text.chars().count() <= HOLDER && !text.contains(char::is_control)
}

/// Some account numbers end in letters.
fn is_ending(text: &str) -> bool {
    (1..=4).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric())
}

/// Three digits, an optional hyphen or space, three digits (rules 10.4).
fn is_bsb(text: &str) -> bool {
    let digits = |s: &[u8]| s.len() == 3 && s.iter().all(u8::is_ascii_digit);
    match text.as_bytes() {
        [bank @ .., b'-' | b' ', a, b, c] => digits(bank) && digits(&[*a, *b, *c]),
        [bank @ .., a, b, c] => digits(bank) && digits(&[*a, *b, *c]),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn takes_card(change: impl FnOnce(&mut VendorCard)) -> bool {
        let mut it = VendorCard { last_digits: Some("4242".into()), ..VendorCard::default() };
        change(&mut it);
        checked(card("CARD", Some(it))).is_ok()
    }

    fn takes_account(change: impl FnOnce(&mut VendorBankAccount)) -> bool {
        let mut it = VendorBankAccount::default();
        change(&mut it);
        checked(bank_account("DIRECT_DEBIT", Some(it))).is_ok()
    }

    #[test]
    fn card_expiry_is_a_valid_month_and_year() {
        for (month, taken) in [(0, false), (1, true), (12, true), (13, false)] {
            assert_eq!(takes_card(|c| c.expiry_month = Some(month)), taken, "{month}");
        }
        for (year, taken) in [(999, false), (1000, true), (2031, true), (9999, true), (10_000, false)] {
            assert_eq!(takes_card(|c| c.expiry_year = Some(year)), taken, "{year}");
        }
    }

    #[test]
    fn full_numbers_are_not_accepted_as_last_digits() {
        assert!(takes_card(|_| ()));
        for digits in ["4242424242424242", "42424", "", "42x2", "\u{664}\u{664}"] {
            assert!(!takes_card(|c| c.last_digits = Some(digits.into())), "{digits}");
            let account = takes_account(|a| a.account_number_last_digits = Some(digits.into()));
            assert_eq!(account, digits == "42x2", "{digits}");
        }
    }

    #[test]
    fn holder_names_and_bsbs_are_validated() {
        assert!(takes_account(|a| a.account_holder = Some("Zoë O'Neill & Co".into())));
        assert!(takes_account(|a| a.account_holder = Some("é".repeat(255))));
        assert!(!takes_account(|a| a.account_holder = Some("é".repeat(256))));
        assert!(!takes_account(|a| a.account_holder = Some("a\0b".into())));
        for (bsb, taken) in [
            ("062-000", true),
            ("012 003", true),
            ("111111", true),
            ("62", false),
            ("", false),
            ("06-2000", false),
            ("0620000", false),
            ("062--00", false),
        ] {
            assert_eq!(takes_account(|a| a.bsb = Some(bsb.into())), taken, "{bsb}");
        }
    }
}
