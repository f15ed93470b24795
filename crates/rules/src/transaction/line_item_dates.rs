use crate::prelude::*;

/// A line item that ends before it starts.
pub(super) const TXN_05: Rule = Rule {
    id: RuleId("TXN-05"),
    codes: &[Code::StartDateLaterThanEndDate],
    place: "`TX.line_items.#.end_date`",
    condition: "before `start_date`",
    on: On::LineItem(check),
    ..Rule::OF_PAYLOAD
};

fn check(item: &LineItem<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if let (Some(start), Some(end)) = (item.start_date.usable(), item.end_date.usable())
        && end < start
    {
        checker.report(at.member("end_date"), Code::StartDateLaterThanEndDate);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    #[test]
    fn a_line_item_does_not_end_before_it_starts() {
        let item = |start, end| json!({"start_date": start, "end_date": end});
        let items = json!([
            item("2026-10-02", "2026-10-01"),
            item("2026-10-01", "2026-10-01"),
            item("2026-10-02", "faulty"),
            item("faulty", "2026-10-01"),
            {"end_date": "2026-10-01"},
        ]);
        let expected = "transactions.0.line_items.0.end_date start_date_later_than_end_date (error)";
        assert_eq!(request_finds("TXN-05", &json!([{"line_items": items}])), [expected]);
    }
}
