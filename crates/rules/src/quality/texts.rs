//! The members of an account whose text the rules of data quality judge.

use crate::prelude::*;
use std::marker::PhantomData;

/// A fault that any text may have.
pub(super) trait Fault {
    const CODE: Code;

    fn is_in(text: &Text<'_>) -> bool;

    /// Reports the fault if a member has it.
    fn check(text: &Field<Text<'_>>, name: &'static str, at: &At<'_>, checker: &mut Checker<'_>) {
        if text.usable().is_some_and(Self::is_in) {
            checker.report(at.member(name), Self::CODE);
        }
    }
}

/// Checks names of people, businesses and places for a fault.
pub(super) struct Names<F>(PhantomData<F>);

impl<F: Fault> Names<F> {
    pub(super) const OF_CUSTOMER: On = On::Customer(Self::customer);
    pub(super) const OF_ADMINISTRATOR: On = On::Administrator(Self::administrator);
    pub(super) const OF_ADDRESS: On = On::Address(Self::address);
    pub(super) const OF_BUSINESS: On = On::Business(Self::business);

    fn customer(customer: &Customer<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
        F::check(&customer.given_name, "given_name", at, checker);
        F::check(&customer.family_name, "family_name", at, checker);
    }

    fn administrator(administrator: &PropertyAdministrator<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
        F::check(&administrator.given_name, "given_name", at, checker);
        F::check(&administrator.family_name, "family_name", at, checker);
    }

    fn address(address: Address<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
        match address {
            Address::Postal(address) => {
                F::check(&address.locality, "locality", at, checker);
                if let Some(street) = address.structured_street_address.usable() {
                    let at = at.member("structured_street_address");
                    F::check(&street.street_name, "street_name", &at, checker);
                }
            }
            Address::Gas(address) => {
                F::check(&address.suburb_or_place_or_locality, "suburb_or_place_or_locality", at, checker);
                items(&address.street, "street", at, |street, at| {
                    F::check(&street.street_name, "street_name", at, checker);
                });
            }
        }
    }

    fn business(business: &Business<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
        F::check(&business.company_name, "company_name", at, checker);
    }
}

/// Checks identifiers for a fault.
pub(super) struct Identifiers<F>(PhantomData<F>);

impl<F: Fault> Identifiers<F> {
    pub(super) const OF_ACCOUNT: On = On::Account(Self::account);
    pub(super) const OF_METER_POINT: On = On::MeterPoint(Self::meter_point);
    pub(super) const OF_AGREEMENT: On = On::Agreement(Self::agreement);
    pub(super) const OF_METER: On = On::Meter(Self::meter);
    pub(super) const OF_TRANSACTION: On = On::Transaction(Self::transaction);
    pub(super) const OF_INSTRUCTION: On = On::Instruction(Self::instruction);

    fn account(account: &Account<'_>, checker: &mut Checker<'_>) {
        F::check(&account.external_account_number, "external_account_number", &At::ROOT, checker);
        items(&account.statements, "statements", &At::ROOT, |statement, at| {
            F::check(&statement.statement_id, "statement_id", at, checker);
        });
    }

    fn meter_point(point: &MeterPoint<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
        F::check(&point.point.common.mpxn, "mpxn", at, checker);
        if let Some(parent) = point.parent_nmi() {
            F::check(parent, "parent_nmi", at, checker);
        }
        if let Some(parent) = point.parent_mirn() {
            F::check(parent, "parent_mirn", at, checker);
        }
    }

    fn agreement(agreement: &Agreement<'_>, _: &MeterPoint<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
        F::check(&agreement.tariff_code, "tariff_code", at, checker);
    }

    fn meter(meter: &Meter<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
        F::check(meter.serial_number(), "meter_serial_number", at, checker);
        for (index, register) in meter.registers.list.each() {
            F::check(register.register_id, "register_id", &at.item("registers", index), checker);
        }
    }

    fn transaction(transaction: &Transaction<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
        F::check(&transaction.transaction.transaction_id, "transaction_id", at, checker);
        F::check(&transaction.transaction.product_code, "product_code", at, checker);
    }

    fn instruction(instruction: &AccountPaymentInstruction<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
        F::check(&instruction.reference, "reference", at, checker);
        if let Some(bank) = instruction.bank_account.usable() {
            F::check(&bank.account_number, "account_number", &at.member("bank_account"), checker);
        }
    }
}
