use crate::prelude::*;
use cutover_model::choices::PaymentType::{self, Bacs, Bpay, CardRefund, Cheque, DirectCredit};
use cutover_model::choices::TransactionType;

/// A payment type that does not fit the transaction type.
pub(super) const TXN_08: Rule = Rule {
    id: RuleId("TXN-08"),
    codes: &[Code::PaymentTypeNotForTransactionType],
    place: "`TX.payment_type`",
    condition: "REPAYMENT with a kind other than DIRECT_CREDIT, CARD_REFUND, BACS, CHEQUE, BPAY; PAYMENT with \
        DIRECT_CREDIT, CARD_REFUND or BACS; any other type with a payment type",
    level: Level::Warning,
    on: On::Transaction(check),
    ..Rule::OF_PAYLOAD
};

fn check(transaction: &Transaction<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let transaction = transaction.transaction;
    if let (Some(kind), Some(payment)) = (transaction.kind.usable(), transaction.payment_type.usable())
        && !goes_with(*payment, *kind)
    {
        checker.report(at.member("payment_type"), Code::PaymentTypeNotForTransactionType);
    }
}

fn goes_with(payment: PaymentType, kind: TransactionType) -> bool {
    match kind {
        TransactionType::Repayment => matches!(payment, DirectCredit | CardRefund | Bacs | Cheque | Bpay),
        TransactionType::Payment => !matches!(payment, DirectCredit | CardRefund | Bacs),
        TransactionType::Charge | TransactionType::Credit | TransactionType::SupplyCharge => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    #[test]
    fn payment_types_belong_to_payments_and_repayments() {
        for (kind, payment, fires) in [
            ("REPAYMENT", "CHEQUE", false),
            ("REPAYMENT", "DIRECT_CREDIT", false),
            ("REPAYMENT", "CASH", true),
            ("PAYMENT", "CASH", false),
            ("PAYMENT", "CHEQUE", false),
            ("PAYMENT", "BACS", true),
            ("PAYMENT", "", false),
            ("CHARGE", "", false),
            ("CHARGE", "CASH", true),
            ("CREDIT", "DIRECT_CREDIT", true),
            ("GIFT", "CASH", false),
            ("PAYMENT", "SHELLS", false),
        ] {
            let found = request_finds("TXN-08", &json!([{"type": kind, "payment_type": payment}]));
            let expected = ["transactions.0.payment_type payment_type_not_for_transaction_type (warning)"];
            assert_eq!(found, if fires { &expected[..] } else { &[] }, "{kind} {payment}");
        }
        assert_eq!(request_finds("TXN-08", &json!([{"type": "CHARGE"}])), [""; 0]);
    }
}
