use super::period::OpenPeriod;
use crate::port::NewTransaction;
use chrono::NaiveDate;
use cutover_model::{Note, NoteDocument, Text, Transaction};

/// How many transactions the pinned note names.
const NAMED: usize = 20;

/// Where a transaction goes.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Placement {
    /// It is inside of the open statement period.
    AsSent(NewTransaction),
    /// It is outside, and was moved inside.
    Moved(NewTransaction),
    /// It is outside, and must not be moved (rules PST-06).
    Outside,
}

/// Places a transaction in the open statement period (contract D8).
pub(super) fn place(transaction: &Transaction<'static>, period: &OpenPeriod, may_move: bool) -> Placement {
    let sent = transaction.transaction_date;
    let mut transaction = transaction.clone();
    // An identity is kept trimmed (contract D1).
    transaction.transaction_id.trim();
    if period.contains(sent) {
        return Placement::AsSent(NewTransaction { transaction, sent_date: None });
    }
    if !may_move {
        return Placement::Outside;
    }
    let nearest = period.nearest(sent);
    if nearest == sent {
        // The period is empty, and this is today already.
        return Placement::AsSent(NewTransaction { transaction, sent_date: None });
    }
    transaction.transaction_date = nearest;
    transaction.display_note = Some(explained(transaction.display_note.as_ref(), sent));
    Placement::Moved(NewTransaction { transaction, sent_date: Some(sent) })
}

/// The note that the customer sees, with a sentence that says what was done.
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

/// The note that is pinned to the account when transactions were moved; `None` if none was.
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
    let body = format!(
        "{count} added to the current statement with another \
         date: {}{more}.",
        named.join(", "),
    );
    let documents: Option<Vec<NoteDocument<'static>>> = None;
    Some(Note {
        body: Some(body.into()),
        document_paths: documents,
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
    fn what_lies_inside_stays_as_sent() {
        for may_move in [true, false] {
            let Placement::AsSent(new) = placed("2026-07-01", "N", may_move) else { panic!() };
            assert_eq!(new, NewTransaction { transaction: transaction("2026-07-01", "N"), sent_date: None });
        }
    }

    #[test]
    fn what_lies_outside_is_moved_and_says_so() {
        let Placement::Moved(new) = placed("2026-01-05", "Thank you. ", true) else { panic!() };
        assert_eq!(new.transaction.transaction_date.to_string(), "2026-07-01");
        assert_eq!(new.sent_date.unwrap().to_string(), "2026-01-05");
        insta::assert_snapshot!(new.transaction.display_note.unwrap().as_sent());
        let Placement::Moved(new) = placed("2027-01-05", " ", true) else { panic!() };
        assert_eq!(new.transaction.transaction_date.to_string(), "2026-11-21");
        assert!(new.transaction.display_note.unwrap().as_sent().starts_with("Dated 2027-01-05 originally"));
    }

    #[test]
    fn what_must_not_be_moved_is_outside() {
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
