//! The walk over a payload, which visits every object once and runs the rules about its kind.

use crate::at::{At, items};
use crate::checker::{Checker, Running};
use crate::rule::On;
use crate::view::{
    Address, Meter, MeterPoint, Origin, Reading, ReadingList, Readings, Statement, Transaction, Transactions,
    of_ledger,
};
use crate::{RULES, Rule};
use cutover_core::Level;
use cutover_model::draft::{self, Variant};
use cutover_model::{AccountRequest, Field, List};
use std::sync::LazyLock;

/// The rules by the kind of object that they check.
macro_rules! by_object {
    ($($name:ident: $on:ident($($type:ty),*);)*) => {
        struct ByObject {
            $($name: Vec<(usize, Running, fn($($type,)* &mut Checker<'_>))>,)*
        }

        static RULES_BY_OBJECT: LazyLock<ByObject> = LazyLock::new(|| {
            let mut all = ByObject { $($name: Vec::new(),)* };
            for (index, rule) in RULES.iter().enumerate() {
                all.register(index, rule, rule.level, rule.on);
            }
            all
        });

        impl ByObject {
            fn register(&mut self, index: usize, rule: &'static Rule, level: Level, on: On) {
                match on {
                    On::Decoding | On::UseCase => {}
                    On::Several(kinds) => kinds.iter().for_each(|on| self.register(index, rule, level, *on)),
                    On::AtLevel(level, on) => self.register(index, rule, level, *on),
                    $(On::$on(run) => self.$name.push((index, rule.at_level(level), run)),)*
                }
            }
        }
    };
}

by_object! {
    request: Request(&AccountRequest<'_>);
    account: Account(&draft::Account<'_>);
    customer: Customer(&draft::Customer<'_>, &At<'_>);
    administrator: Administrator(&draft::PropertyAdministrator<'_>, &At<'_>);
    address: Address(Address<'_, '_>, &At<'_>);
    meter_point: MeterPoint(&MeterPoint<'_, '_>, &At<'_>);
    agreement: Agreement(&draft::Agreement<'_>, &MeterPoint<'_, '_>, &At<'_>);
    meter: Meter(&Meter<'_, '_>, &At<'_>);
    reading: Reading(&Reading<'_, '_>, &Meter<'_, '_>, &At<'_>);
    transfer_reading: TransferReading(&Reading<'_, '_>, &Meter<'_, '_>, &At<'_>);
    historical_reading: HistoricalReading(&Reading<'_, '_>, &Meter<'_, '_>, &At<'_>);
    ledger: Ledger(&draft::Ledger<'_>, &At<'_>);
    transactions: Transactions(Transactions<'_, '_>);
    transaction: Transaction(&Transaction<'_, '_>, &At<'_>);
    line_item: LineItem(&draft::LineItem<'_>, &At<'_>);
    instruction: Instruction(&draft::AccountPaymentInstruction<'_>, &At<'_>);
    schedule: Schedule(&draft::PaymentSchedule<'_>, &At<'_>);
    statement: Statement(&Statement<'_, '_>, &At<'_>);
    event: Event(&draft::AccountEvent<'_>, &At<'_>);
    notes: Notes(&List<draft::Note<'_>>);
    note: Note(&draft::Note<'_>, &At<'_>);
    statements_request: StatementsRequest(&draft::HistoricalStatementsRequest<'_>);
    instruction_request: InstructionRequest(&draft::PaymentInstructionRequest<'_>);
    business_instruction_request: BusinessInstructionRequest(&draft::BusinessPaymentInstructionRequest<'_>);
    business_request: BusinessRequest(&draft::BusinessRequest<'_>);
    business: Business(&draft::Business<'_>, &At<'_>);
    contract: Contract(&draft::Contract<'_>, &At<'_>);
}

macro_rules! run {
    ($checker:ident, $name:ident, $($argument:expr),*) => {
        for (index, rule, run) in &RULES_BY_OBJECT.$name {
            $checker.run(*index, rule, |checker| run($($argument,)* checker));
        }
    };
}

/// Walks an account request.
pub(crate) fn account_request(request: &AccountRequest<'_>, checker: &mut Checker<'_>) {
    run!(checker, request, request);
    if let Some(whole) = request.account.usable() {
        account(whole, checker);
    }
}

/// Walks a notes request.
pub(crate) fn notes_request(request: &draft::NotesRequest<'_>, checker: &mut Checker<'_>) {
    notes(&request.notes, checker);
}

/// Walks a transactions request.
pub(crate) fn transactions_request(request: &draft::TransactionsRequest<'_>, checker: &mut Checker<'_>) {
    let all = Transactions::Request(request);
    run!(checker, transactions, all);
    all.each(|t, at| transaction(t, Origin::Request, at, checker));
}

/// Walks a historical statements request.
pub(crate) fn statements_request(
    request: &draft::HistoricalStatementsRequest<'_>,
    checker: &mut Checker<'_>,
) {
    run!(checker, statements_request, request);
    items(&request.statements, "statements", &At::ROOT, |s, at| {
        run!(checker, statement, &Statement::historical(s), at);
    });
}

/// Walks a payment instruction request.
pub(crate) fn instruction_request(request: &draft::PaymentInstructionRequest<'_>, checker: &mut Checker<'_>) {
    run!(checker, instruction_request, request);
}

/// Walks a business payment instruction request.
pub(crate) fn business_instruction_request(
    request: &draft::BusinessPaymentInstructionRequest<'_>,
    checker: &mut Checker<'_>,
) {
    run!(checker, business_instruction_request, request);
}

/// Walks a business request.
pub(crate) fn business_request(request: &draft::BusinessRequest<'_>, checker: &mut Checker<'_>) {
    run!(checker, business_request, request);
    let Some(business) = request.business.usable() else { return };
    let at = At::ROOT.member("business");
    run!(checker, business, business, &at);
    items(&business.business_contracts, "business_contracts", &at, |c, at| run!(checker, contract, c, at));
}

/// Walks a manifest.
pub(crate) fn manifest_request(_: &draft::ManifestRequest<'_>, _: &mut Checker<'_>) {}

/// Walks a part of account numbers.
pub(crate) fn manifest_numbers_request(_: &draft::ManifestNumbersRequest<'_>, _: &mut Checker<'_>) {}

/// Walks a run.
pub(crate) fn run_request(_: &draft::RunRequest<'_>, _: &mut Checker<'_>) {}

/// Walks a search for accounts.
pub(crate) fn account_search_request(_: &draft::AccountSearchRequest<'_>, _: &mut Checker<'_>) {}

fn account(account: &draft::Account<'_>, checker: &mut Checker<'_>) {
    let root = At::ROOT;
    run!(checker, account, account);
    run!(checker, transactions, Transactions::Account(account));
    items(&account.customers, "customers", &root, |c, at| customer(c, at, checker));
    items(&account.supply_addresses, "supply_addresses", &root, |entry, at| {
        supply_address(entry, account, at, checker);
    });
    items(&account.ledgers, "ledgers", &root, |l, at| ledger(l, at, checker));
    items(&account.payment_instructions, "payment_instructions", &root, |i, at| {
        run!(checker, instruction, i, at);
    });
    items(&account.payment_schedules, "payment_schedules", &root, |s, at| run!(checker, schedule, s, at));
    notes(&account.notes, checker);
    items(&account.statements, "statements", &root, |s, at| {
        run!(checker, statement, &Statement::account(s), at);
    });
    items(&account.events, "events", &root, |e, at| run!(checker, event, e, at));
}

fn customer(customer: &draft::Customer<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    run!(checker, customer, customer, at);
    if let Some(address) = customer.address.usable() {
        run!(checker, address, Address::Postal(address), &at.member("address"));
    }
}

fn supply_address(
    entry: &draft::SupplyAddressEntry<'_>,
    account: &draft::Account<'_>,
    at: &At<'_>,
    checker: &mut Checker<'_>,
) {
    if let Some(address) = entry.supply_address.usable() {
        run!(checker, address, Address::Postal(address), &at.member("supply_address"));
    }
    items(&entry.property_administrators, "property_administrators", at, |a, at| {
        run!(checker, administrator, a, at);
    });
    items(&entry.meter_points, "meter_points", at, |point, at| {
        meter_point(&MeterPoint::new(point, account), at, checker);
    });
}

fn meter_point(point: &MeterPoint<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    run!(checker, meter_point, point, at);
    items(&point.point.common.agreements, "agreements", at, |a, at| run!(checker, agreement, a, point, at));
    match &point.point.variant {
        Variant::Electricity(own) => {
            items(&own.meters, "meters", at, |m, at| meter(&Meter::electricity(m, point), at, checker));
        }
        Variant::Gas(own) => {
            if let Some(address) = own.address.usable() {
                run!(checker, address, Address::Gas(address), &at.member("address"));
            }
            items(&own.meters, "meters", at, |m, at| meter(&Meter::gas(m, point), at, checker));
        }
        Variant::EmbeddedElectricity(own) => {
            items(&own.meters, "meters", at, |m, at| {
                meter(&Meter::embedded_electricity(m, point), at, checker)
            });
        }
        Variant::EmbeddedGas(own) => {
            items(&own.meters, "meters", at, |m, at| meter(&Meter::embedded_gas(m, point), at, checker));
        }
        Variant::EmbeddedWater(own) => {
            items(&own.meters, "meters", at, |m, at| meter(&Meter::embedded_water(m, point), at, checker));
        }
        Variant::UnmeteredElectricity(_) | Variant::UnmeteredGas(_) | Variant::Undecided => {}
    }
}

fn meter(meter: &Meter<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    run!(checker, meter, meter, at);
    readings(meter.transfer_readings, meter, at, checker);
    readings(meter.reading_history, meter, at, checker);
}

fn readings(readings: Readings<'_, '_>, meter: &Meter<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let list = readings.list();
    readings.each(|index, reading| {
        let at = at.item(list.member(), index);
        run!(checker, reading, &reading, meter, &at);
        match list {
            ReadingList::Transfer => run!(checker, transfer_reading, &reading, meter, &at),
            ReadingList::History => run!(checker, historical_reading, &reading, meter, &at),
        }
    });
}

fn ledger(ledger: &draft::Ledger<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    run!(checker, ledger, ledger, at);
    of_ledger(ledger, at, |t, at| transaction(t, Origin::Ledger, at, checker));
}

fn transaction(transaction: &draft::Transaction<'_>, origin: Origin, at: &At<'_>, checker: &mut Checker<'_>) {
    run!(checker, transaction, &Transaction { transaction, origin }, at);
    items(&transaction.line_items, "line_items", at, |item, at| run!(checker, line_item, item, at));
}

fn notes(notes: &Field<List<draft::Note<'_>>>, checker: &mut Checker<'_>) {
    if let Some(list) = notes.usable() {
        run!(checker, notes, list);
    }
    items(notes, "notes", &At::ROOT, |note, at| run!(checker, note, note, at));
}
