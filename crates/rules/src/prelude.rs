//! The names that most rules use.

pub(crate) use crate::at::{At, items};
pub(crate) use crate::checker::Checker;
pub(crate) use crate::form::{
    CompanyNumber, Folded, Phone, Seen, SmallMap, SupplyPointId, dates_reversed, datetimes_reversed,
    holds_card_number, is_absent_or_empty, is_bsb, is_document_path, is_email, stored_path,
};
pub(crate) use crate::rule::{On, Rule};
pub(crate) use crate::view::{
    Address, CURRENT, HISTORICAL, Life, Meter, MeterObject, MeterPoint, Origin, Reading, Source, Statement,
    Transaction, Transactions, dates, each_electricity_register, is_on_supply,
};
pub(crate) use chrono::NaiveDate;
pub(crate) use cutover_core::{Code, Level, RuleId};
pub(crate) use cutover_model::draft::{
    Account, AccountEvent, AccountPaymentInstruction, Agreement, Business, BusinessPaymentInstructionRequest,
    BusinessRequest, Card, Contract, ContractVersion, Customer, ElectricityMeter,
    EmbeddedElectricityMeterPoint, HistoricalStatementsRequest, Ledger, LineItem, Note,
    PaymentInstructionRequest, PaymentSchedule, PropertyAdministrator, TaxItem, Variant,
};
pub(crate) use cutover_model::{Field, List, Presence, Text};
