use crate::prelude::*;

/// An agreement that overlaps an earlier one.
pub(super) const AGR_02: Rule = Rule {
    id: RuleId("AGR-02"),
    codes: &[Code::OverlappingAgreements],
    place: "`MP.agreements.#.effective_from`",
    condition: "overlaps an earlier one in the [order of agreements](#83-order-of-agreements)",
    on: On::MeterPoint(overlap),
    ..Rule::OF_PAYLOAD
};

/// A gap before an agreement.
pub(super) const AGR_03: Rule = Rule {
    id: RuleId("AGR-03"),
    codes: &[Code::GapBetweenAgreements],
    place: "`MP.agreements.#.effective_from`",
    condition: "later than the latest end of all agreements before it in their [order](#83-order-of-agreements), and not before `supply_start_date`",
    level: Level::Warning,
    on: On::MeterPoint(gap),
    ..Rule::OF_PAYLOAD
};

fn overlap(point: &MeterPoint<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    successors(point, |next, latest_end| {
        if next.start < latest_end {
            let agreement = at.item("agreements", next.index);
            checker.report(agreement.member("effective_from"), Code::OverlappingAgreements);
        }
    });
}

fn gap(point: &MeterPoint<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let Some(supply_start) = point.point.common.supply_start_date.usable() else { return };
    successors(point, |next, latest_end| {
        if next.start > latest_end && next.start >= *supply_start {
            let agreement = at.item("agreements", next.index);
            checker.report(agreement.member("effective_from"), Code::GapBetweenAgreements);
        }
    });
}

/// The days of an agreement: from its start up to, not including, its end.
#[derive(Debug, Clone, Copy)]
struct Span {
    index: u32,
    start: NaiveDate,
    /// `NaiveDate::MAX` if the agreement is open; no payload can contain that day.
    end: NaiveDate,
}

/// Calls `f` for each agreement but the first, ordered by start, with the latest end of those before it
/// (rules 8.3). Agreements are copied only if they are not sent in that order.
fn successors(point: &MeterPoint<'_, '_>, f: impl FnMut(Span, NaiveDate)) {
    let Some(list) = point.point.common.agreements.usable().filter(|list| is_known(list)) else { return };
    if spans(list).is_sorted_by_key(|span| span.start) {
        return follow(spans(list), f);
    }
    let mut sorted: Vec<_> = spans(list).collect();
    sorted.sort_by_key(|span| span.start);
    follow(sorted, f);
}

/// Returns true if the list, its items, their starts and their ends are free of faults.
fn is_known(list: &List<Agreement<'_>>) -> bool {
    let dates_are = |a: &Agreement<'_>| a.effective_from.usable().is_some() && !a.effective_to.is_faulty();
    list.is_whole() && list.usable().all(|(_, agreement)| dates_are(agreement))
}

fn spans(list: &List<Agreement<'_>>) -> impl Iterator<Item = Span> {
    list.usable().filter_map(|(index, agreement)| {
        let start = *agreement.effective_from.usable()?;
        let end = agreement.effective_to.usable().copied().unwrap_or(NaiveDate::MAX);
        (start < end).then_some(Span { index, start, end })
    })
}

fn follow(spans: impl IntoIterator<Item = Span>, mut f: impl FnMut(Span, NaiveDate)) {
    let mut latest_end: Option<NaiveDate> = None;
    for span in spans {
        if let Some(latest_end) = latest_end {
            f(span, latest_end);
        }
        latest_end = latest_end.max(Some(span.end));
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    /// Returns the indexes of the agreements that a rule reports. Agreements are `from..to`, days of June.
    fn named(id: &str, supply_start: &str, agreements: &[&str]) -> Vec<u32> {
        let day = |day: &str| if day.is_empty() { json!(null) } else { json!(format!("2026-06-{day}")) };
        let agreement = |text: &&str| {
            let (from, to) = text.split_once("..").unwrap();
            json!({"effective_from": day(from), "effective_to": day(to)})
        };
        let agreements: Value = agreements.iter().map(agreement).collect();
        let found =
            found(id, point(json!({"supply_start_date": day(supply_start), "agreements": agreements})));
        found.iter().map(|line| line.split('.').nth(1).unwrap().parse().unwrap()).collect()
    }

    #[test]
    fn overlaps_are_reported() {
        for (agreements, expected) in [
            (&["01..10", "10..20", "20.."][..], &[][..]),
            (&["01..11", "10..20"], &[1]),
            (&["10..20", "01..11"], &[0]),
            (&["01..", "02..03"], &[1]),
            (&["01..30", "02..03", "04..05"], &[1, 2]),
            (&["01..05", "01..05"], &[1]),
            (&["02..01", "01..05"], &[]),
            (&["03..03", "01..05"], &[]),
            (&["01..", "01.."], &[1]),
            (&["01..05", ".."], &[]),
            (&["01..05", "01..99"], &[]),
        ] {
            assert_eq!(named("AGR-02", "01", agreements), expected, "{agreements:?}");
        }
    }

    #[test]
    fn gaps_are_reported() {
        for (supply_start, agreements, expected) in [
            ("01", &["01..10", "10..20"][..], &[][..]),
            ("01", &["01..10", "11..20"], &[1]),
            ("01", &["11..20", "01..10"], &[0]),
            ("01", &["05..10"], &[]),
            ("01", &["01..10", "02..20", "15..16", "21.."], &[3]),
            ("01", &["01..", "11..20"], &[]),
            ("11", &["01..10", "11..20"], &[1]),
            ("12", &["01..10", "11..20"], &[]),
            ("01", &["01..10", "10..10", "11..20"], &[2]),
            ("", &["01..10", "11..20"], &[]),
            ("99", &["01..10", "11..20"], &[]),
            ("01", &["01..10", "11..20", "21..99"], &[]),
        ] {
            assert_eq!(named("AGR-03", supply_start, agreements), expected, "{agreements:?}");
        }
    }

    #[test]
    fn codes_and_faulty_items() {
        let june =
            |day: &str| json!({"effective_from": format!("2026-06-{day}"), "effective_to": "2026-06-20"});
        let body =
            |agreements: Value| point(json!({"supply_start_date": "2026-06-01", "agreements": agreements}));
        let overlap = "agreements.1.effective_from overlapping_agreements (error)";
        assert_eq!(found("AGR-02", body(json!([june("01"), june("02")]))), [overlap]);
        let gap = "agreements.1.effective_from gap_between_agreements (warning)";
        assert_eq!(found("AGR-03", body(json!([june("01"), {"effective_from": "2026-06-21"}]))), [gap]);
        assert!(found("AGR-02", body(json!([june("01"), june("02"), 7]))).is_empty());
        assert!(found("AGR-02", body(json!([june("01"), june("02"), {}]))).is_empty());
        assert!(found("AGR-02", body(json!(7))).is_empty());
    }
}
