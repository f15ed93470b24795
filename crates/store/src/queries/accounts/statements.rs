use super::super::schema::statements;
use super::super::types::{Day, Digits};
use super::builder::{Builder, identity, next, text};
use super::json::Members;
use cutover_model::{AccountStatement, Writer};
use diesel::prelude::*;
use std::borrow::Cow;

row! {
    #[derive(Insertable, Queryable, Selectable)]
    #[diesel(table_name = statements, treat_none_as_default_value = false)]
    pub(super) struct StatementRow<'a> {
        pub(super) account_id: i64,
        position: i64,
        statement_id: Cow<'a, str>,
        bill_period_from_date: Day,
        bill_period_to_date: Day,
        statement_path: Option<Cow<'a, str>>,
        average_daily_usage: Option<Digits<'a>>,
        total_consumption: Option<Digits<'a>>,
        total_consumption_cost: Option<Digits<'a>>,
        total_supply_cost: Option<Digits<'a>>,
        total_feed_in_energy: Option<Digits<'a>>,
        total_feed_in_cost: Option<Digits<'a>>,
        is_reversed: Option<bool>,
    }
}

impl<'a> Builder<'a> {
    pub(super) fn statements(&mut self, statements: &'a [AccountStatement<'_>]) {
        for statement in statements {
            self.rows.statements.push(StatementRow {
                account_id: self.account_id,
                position: next(&self.rows.statements),
                statement_id: identity(&statement.statement_id),
                bill_period_from_date: statement.bill_period_from_date.into(),
                bill_period_to_date: statement.bill_period_to_date.into(),
                statement_path: statement.statement_path.as_ref().map(text),
                average_daily_usage: statement.average_daily_usage.as_ref().map(Digits::from),
                total_consumption: statement.total_consumption.as_ref().map(Digits::from),
                total_consumption_cost: statement.total_consumption_cost.as_ref().map(Digits::from),
                total_supply_cost: statement.total_supply_cost.as_ref().map(Digits::from),
                total_feed_in_energy: statement.total_feed_in_energy.as_ref().map(Digits::from),
                total_feed_in_cost: statement.total_feed_in_cost.as_ref().map(Digits::from),
                is_reversed: statement.is_reversed,
            });
        }
    }
}

impl StatementRow<'_> {
    pub(super) fn write(&self, writer: &mut Writer) {
        writer.set("statement_id", &self.statement_id);
        writer.set("bill_period_from_date", &self.bill_period_from_date);
        writer.set("bill_period_to_date", &self.bill_period_to_date);
        writer.set_if("statement_path", &self.statement_path);
        writer.set_if("average_daily_usage", &self.average_daily_usage);
        writer.set_if("total_consumption", &self.total_consumption);
        writer.set_if("total_consumption_cost", &self.total_consumption_cost);
        writer.set_if("total_supply_cost", &self.total_supply_cost);
        writer.set_if("total_feed_in_energy", &self.total_feed_in_energy);
        writer.set_if("total_feed_in_cost", &self.total_feed_in_cost);
        writer.flag("is_reversed", self.is_reversed);
    }
}
