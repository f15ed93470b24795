use super::super::schema::{payment_instructions, payment_schedules};
use super::super::types::{Day, Digits, Json};
use super::builder::{Builder, next, text};
use super::json::Members;
use super::rows::Rows;
use crate::error::Result;
use crate::sealed::{Location, SealedTable, Sealer};
use cutover_model::{AccountPaymentInstruction, PaymentSchedule, Writer};
use diesel::prelude::*;
use std::borrow::Cow;

row! {
    #[derive(Insertable, Queryable, Selectable)]
    #[diesel(table_name = payment_instructions, treat_none_as_default_value = false)]
    pub(super) struct PaymentInstructionRow<'a> {
        pub(super) account_id: i64,
        position: i64,
        vendor: Cow<'a, str>,
        kind: Cow<'a, str>,
        reference: Cow<'a, str>,
        valid_from: Day,
        details: Option<Json<'a>>,
    }
}

const INSTRUCTION: &[&str] = &["vendor", "type", "reference", "valid_from"];

row! {
    #[derive(Insertable, Queryable, Selectable)]
    #[diesel(table_name = payment_schedules, treat_none_as_default_value = false)]
    pub(super) struct PaymentScheduleRow<'a> {
        pub(super) account_id: i64,
        position: i64,
        amount: Option<Digits<'a>>,
        day_of_month: Option<i64>,
        frequency: Option<Cow<'a, str>>,
        means: Cow<'a, str>,
        start_date: Day,
        is_debt_repayment_plan: Option<bool>,
    }
}

impl<'a> Builder<'a> {
    pub(super) fn payment_instructions(&mut self, instructions: &'a [AccountPaymentInstruction<'_>]) {
        for instruction in instructions {
            let row = PaymentInstructionRow {
                account_id: self.account_id,
                position: next(&self.rows.payment_instructions),
                vendor: text(&instruction.vendor),
                kind: instruction.kind.as_str().into(),
                reference: text(&instruction.reference),
                valid_from: instruction.valid_from.into(),
                details: self.details(instruction, INSTRUCTION),
            };
            self.rows.payment_instructions.push(row);
        }
    }

    pub(super) fn payment_schedules(&mut self, schedules: &'a [PaymentSchedule<'_>]) {
        for schedule in schedules {
            self.rows.payment_schedules.push(PaymentScheduleRow {
                account_id: self.account_id,
                position: next(&self.rows.payment_schedules),
                amount: schedule.amount.as_ref().map(Digits::from),
                day_of_month: schedule.day_of_month.value().map(|day| day.value()),
                frequency: schedule.frequency.map(|frequency| frequency.as_str().into()),
                means: schedule.means.as_str().into(),
                start_date: schedule.start_date.into(),
                is_debt_repayment_plan: schedule.is_debt_repayment_plan,
            });
        }
    }
}

impl Rows<'_> {
    /// Seals the details of bank accounts and cards.
    pub(super) fn seal(&mut self, sealer: &Sealer) -> Result<()> {
        self.payment_instructions
            .iter_mut()
            .try_for_each(|row| row.convert(|details, location| details.sealed(sealer, location)))
    }

    /// Opens the sealed details.
    pub(super) fn open(&mut self, sealer: &Sealer) -> Result<()> {
        self.payment_instructions
            .iter_mut()
            .try_for_each(|row| row.convert(|details, location| details.opened(sealer, location)))
    }
}

impl PaymentInstructionRow<'_> {
    fn convert(
        &mut self,
        convert: impl FnOnce(Json<'_>, Location<'_>) -> Result<Json<'static>>,
    ) -> Result<()> {
        let table = SealedTable::PaymentInstructions.as_str();
        let location = Location::Row { table, owner: self.account_id, position: self.position };
        self.details = self.details.take().map(|details| convert(details, location)).transpose()?;
        Ok(())
    }

    pub(super) fn write(&self, writer: &mut Writer) {
        writer.set("vendor", &self.vendor);
        writer.set("type", &self.kind);
        writer.set("reference", &self.reference);
        writer.set("valid_from", &self.valid_from);
        writer.details(&self.details);
    }
}

impl PaymentScheduleRow<'_> {
    pub(super) fn write(&self, writer: &mut Writer) {
        writer.set_if("amount", &self.amount);
        writer.integer("day_of_month", self.day_of_month);
        writer.set_if("frequency", &self.frequency);
        writer.set("means", &self.means);
        writer.set("start_date", &self.start_date);
        writer.flag("is_debt_repayment_plan", self.is_debt_repayment_plan);
    }
}
