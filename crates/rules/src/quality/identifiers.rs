//! The identifiers that rules about their text look at.

use crate::prelude::*;
use std::marker::PhantomData;

/// A fault that the text of any identifier may have.
pub(super) trait Fault {
    const CODE: Code;

    /// Returns false if the text, as sent, cannot have the fault. Called for every identifier.
    fn may_be_in(text: &str) -> bool;

    /// Returns true if the trimmed text has the fault.
    fn is_in(text: &str) -> bool;
}

/// Where identifiers are, for the rule about one fault.
pub(super) struct Identifiers<F>(PhantomData<F>);

impl<F: Fault> Identifiers<F> {
    pub(super) const OF_ACCOUNT: On = On::Account(Self::account);
    pub(super) const OF_METER_POINT: On = On::MeterPoint(Self::meter_point);
    pub(super) const OF_AGREEMENT: On = On::Agreement(Self::agreement);
    pub(super) const OF_METER: On = On::Meter(Self::meter);
    pub(super) const OF_TRANSACTION: On = On::Transaction(Self::transaction);
    pub(super) const OF_INSTRUCTION: On = On::Instruction(Self::instruction);

    fn check(text: &Field<Text<'_>>, name: &'static str, at: &At<'_>, checker: &mut Checker<'_>) {
        if let Field::Value(text) = text
            && F::may_be_in(text.as_sent())
            && F::is_in(text.trimmed())
        {
            checker.report(at.member(name), F::CODE);
        }
    }

    fn account(account: &Account<'_>, checker: &mut Checker<'_>) {
        Self::check(&account.external_account_number, "external_account_number", &At::ROOT, checker);
        items(&account.statements, "statements", &At::ROOT, |statement, at| {
            Self::check(&statement.statement_id, "statement_id", at, checker);
        });
    }

    fn meter_point(point: &MeterPoint<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
        Self::check(&point.point.common.mpxn, "mpxn", at, checker);
        if let Some(parent) = point.parent_nmi() {
            Self::check(parent, "parent_nmi", at, checker);
        }
        if let Some(parent) = point.parent_mirn() {
            Self::check(parent, "parent_mirn", at, checker);
        }
    }

    fn agreement(agreement: &Agreement<'_>, _: &MeterPoint<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
        Self::check(&agreement.tariff_code, "tariff_code", at, checker);
    }

    fn meter(meter: &Meter<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
        Self::check(meter.serial_number(), "meter_serial_number", at, checker);
        for (index, register) in meter.registers.list.each() {
            Self::check(register.register_id, "register_id", &at.item("registers", index), checker);
        }
    }

    fn transaction(transaction: &Transaction<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
        Self::check(&transaction.transaction.transaction_id, "transaction_id", at, checker);
        Self::check(&transaction.transaction.product_code, "product_code", at, checker);
    }

    fn instruction(instruction: &AccountPaymentInstruction<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
        Self::check(&instruction.reference, "reference", at, checker);
        if let Some(bank) = instruction.bank_account.usable() {
            Self::check(&bank.account_number, "account_number", &at.member("bank_account"), checker);
        }
    }
}
