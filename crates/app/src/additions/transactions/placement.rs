use super::period::OpenPeriod;
use crate::port::NewTransaction;
use chrono::NaiveDate;
use cutover_model::{Note, Text, Transaction};

/// Maximum number of transactions that the pinned note names.
const NAMED: usize = 20;

/// Placement of a transaction in the open statement period.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Placement {
    /// The date is inside of the period.
    AsSent(NewTransaction),
    /// The date was outside and has been moved into the period.
    Moved(NewTransaction),
    /// The date is outside and must not be moved (rule PST-06).
    Outside,
}

/// Places a transaction in the open statement period (contract D8).
pub(super) fn place(transaction: &Transaction<'static>, period: &OpenPeriod, may_move: bool) -> Placement {
    let sent = transaction.transaction_date;
    let mut transaction = transaction.clone();
    // Identifiers are stored trimmed.
    transaction.transaction_id.trim();
    if period.contains(sent) {
        return Placement::AsSent(NewTransaction { transaction, sent_date: None });
    }
    if !may_move {
        return Placement::Outside;
    }
    let nearest = period.nearest(sent);
    if nearest == sent {
        // The period is empty, and the date is today.
        return Placement::AsSent(NewTransaction { transaction, sent_date: None });
    }
    transaction.transaction_date = nearest;
    transaction.display_note = Some(explained(transaction.display_note.as_ref(), sent));
    Placement::Moved(NewTransaction { transaction, sent_date: Some(sent) })
}

/// Appends a sentence about the move to the note that the customer sees.
fn explained(note: Option<&Text<'_>>, sent: NaiveDate) -> Text<'static> {
    let sentence = format!(
        "Dated {sent} originally, outside of the open statement period, and moved into the current statement."
    );
    match note.filter(|note| !note.is_blank()) {
        Some(note) if note.as_sent().ends_with(char::is_whitespace) => {
            format!("{}{sentence}", note.as_sent()).into()
        }
        Some(note) => format!("{} {sentence}", note.as_sent()).into(),
        None => sentence.into(),
    }
}

/// Returns the note to pin to the account if transactions were moved.
pub(super) fn pinned_note(moved: &[(String, NaiveDate)]) -> Option<Note<'static>> {
    let count = match moved.len() {
        0 => return None,
        1 => "1 transaction lay outside of the open statement period and was".to_owned(),
        n => format!("{n} transactions lay outside of the open statement period and were"),
    };
    let named: Vec<String> =
        moved.iter().take(NAMED).map(|(id, date)| format!("{id} (dated {date})")).collect();
    let more = match moved.len().saturating_sub(NAMED) {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    let body =
        format!("{count} added to the current statement with another date: {}{more}.", named.join(", "));
    Some(Note {
        body: Some(body.into()),
        document_paths: None,
        created_at: None,
        is_pinned: Some(true),
        unpin_at: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use cutover_model::IntoOwned;
    use cutover_model::service::read_transaction;

    fn transaction(date: &str, note: &str) -> Transaction<'static> {
        let json = format!(
            r#"{{"transaction_id":"T","transaction_date":"{date}","amount":1,"type":"CREDIT","display_note":"{note}"}}"#
        );
        read_transaction(&json).unwrap().into_owned()
    }

    fn placed(date: &str, note: &str, may_move: bool) -> Placement {
        let day = |text: &str| text.parse().unwrap();
        let period = OpenPeriod::new(Some(day("2026-06-30")), None, day("2026-11-21"));
        place(&transaction(date, note), &period, may_move)
    }

    #[test]
    fn a_date_inside_of_the_period_remains() {
        for may_move in [true, false] {
            let Placement::AsSent(new) = placed("2026-07-01", "N", may_move) else { panic!() };
            assert_eq!(new, NewTransaction { transaction: transaction("2026-07-01", "N"), sent_date: None });
        }
    }

    #[test]
    fn a_date_outside_is_moved_with_a_display_note() {
        let Placement::Moved(new) = placed("2026-01-05", "Thank you. ", true) else { panic!() };
        assert_eq!(new.transaction.transaction_date.to_string(), "2026-07-01");
        assert_eq!(new.sent_date.unwrap().to_string(), "2026-01-05");
        insta::assert_snapshot!(new.transaction.display_note.unwrap().as_sent());
        let Placement::Moved(new) = placed("2027-01-05", " ", true) else { panic!() };
        assert_eq!(new.transaction.transaction_date.to_string(), "2026-11-21");
        assert!(new.transaction.display_note.unwrap().as_sent().starts_with("Dated 2027-01-05 originally"));
    }

    #[test]
    fn a_date_outside_remains_if_moving_is_off() {
        assert_eq!(placed("2026-01-05", "", false), Placement::Outside);
    }

    #[test]
    fn the_pinned_note_names_some() {
        let moved = |n: usize| -> Vec<(String, NaiveDate)> {
            (1..=n).map(|i| (format!("T-{i}"), "2026-01-05".parse().unwrap())).collect()
        };
        assert_eq!(pinned_note(&moved(0)), None);
        let bodies: Vec<String> =
            [1, 2, 23].map(|n| pinned_note(&moved(n)).unwrap().body.unwrap().as_sent().to_owned()).into();
        insta::assert_snapshot!(bodies.join("\n"));
    }
}
