use crate::at::{At, items};
use crate::form::is_absent_or_empty;
use chrono::NaiveDate;
use cutover_model::draft::{self, Variant};
use cutover_model::{Field, Integer, List, Text};
use std::collections::HashMap;

/// The list of registers of a meter.
#[derive(Debug, Clone, Copy)]
pub(crate) enum RegisterList<'a, 'j> {
    /// Meters of this kind have none.
    None,
    /// Of a metered electricity meter.
    Electricity(&'a Field<List<draft::ElectricityRegister<'j>>>),
    /// Of an embedded electricity meter.
    Embedded(&'a Field<List<draft::EmbeddedElectricityRegister<'j>>>),
}

/// A register of either kind.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Register<'a, 'j> {
    pub(crate) register_id: &'a Field<Text<'j>>,
    /// Only of metered electricity.
    pub(crate) last_billed_to_date: Option<&'a Field<NaiveDate>>,
    /// Only of embedded electricity.
    pub(crate) dial_format_digits: Option<&'a Field<Integer<'j>>>,
}

/// The registers of a meter, indexed once for all of its readings.
#[derive(Debug)]
pub(crate) struct Registers<'a, 'j> {
    pub(crate) list: RegisterList<'a, 'j>,
    /// Number of items sent, faulty ones included.
    pub(crate) count: usize,
    /// True if the register list is known: not empty, and every register usable with a usable id (rules 5).
    pub(crate) is_known: bool,
    /// The first usable register and its id. Most meters have only one.
    head: Option<(&'a str, Register<'a, 'j>)>,
    /// The first register of each id, if there are more than a few.
    many: Option<HashMap<&'a str, Register<'a, 'j>>>,
}

const FEW: usize = 16;

impl<'a, 'j> Registers<'a, 'j> {
    pub(crate) fn new(list: RegisterList<'a, 'j>) -> Self {
        let count = list.count();
        let is_known = count > 0 && list.is_whole() && list.each().all(|(_, r)| r.id().is_some());
        let many = (count > FEW).then(|| {
            let mut many = HashMap::with_capacity(count);
            for (_, register) in list.each() {
                if let Some(id) = register.id() {
                    many.entry(id).or_insert(register);
                }
            }
            many
        });
        let head = list.each().next().and_then(|(_, register)| Some((register.id()?, register)));
        Self { list, count, is_known, head, many }
    }

    /// Returns the first usable register with this id.
    #[inline]
    pub(crate) fn first(&self, id: &str) -> Option<Register<'a, 'j>> {
        match self.head {
            Some((first, head)) if first == id => Some(head),
            _ => self.find(id),
        }
    }

    #[inline(never)]
    fn find(&self, id: &str) -> Option<Register<'a, 'j>> {
        match &self.many {
            Some(many) => many.get(id).copied(),
            None => self.list.each().map(|(_, register)| register).find(|register| register.id() == Some(id)),
        }
    }
}

impl<'a, 'j> RegisterList<'a, 'j> {
    /// Returns the usable registers with their indexes, in payload order.
    pub(crate) fn each(self) -> impl Iterator<Item = (u32, Register<'a, 'j>)> {
        let (electricity, embedded) = self.lists();
        let electricity = electricity.into_iter().flat_map(List::usable).map(|(i, r)| (i, r.into()));
        electricity.chain(embedded.into_iter().flat_map(List::usable).map(|(i, r)| (i, r.into())))
    }

    /// Returns true if the member is absent or an empty array.
    pub(crate) fn is_absent_or_empty(self) -> bool {
        match self {
            Self::None => true,
            Self::Electricity(field) => is_absent_or_empty(field),
            Self::Embedded(field) => is_absent_or_empty(field),
        }
    }

    /// Returns the number of items sent.
    fn count(self) -> usize {
        let (electricity, embedded) = self.lists();
        electricity.map_or(0, List::len) + embedded.map_or(0, List::len)
    }

    fn is_whole(self) -> bool {
        let (electricity, embedded) = self.lists();
        electricity.is_none_or(List::is_whole) && embedded.is_none_or(List::is_whole)
    }

    /// Returns the usable lists; at most one of them is set.
    fn lists(
        self,
    ) -> (
        Option<&'a List<draft::ElectricityRegister<'j>>>,
        Option<&'a List<draft::EmbeddedElectricityRegister<'j>>>,
    ) {
        match self {
            Self::None => (None, None),
            Self::Electricity(field) => (field.usable(), None),
            Self::Embedded(field) => (None, field.usable()),
        }
    }
}

impl<'a> Register<'a, '_> {
    /// Returns the id, if it is usable.
    pub(crate) fn id(&self) -> Option<&'a str> {
        self.register_id.usable().map(Text::trimmed)
    }
}

impl<'a, 'j> From<&'a draft::ElectricityRegister<'j>> for Register<'a, 'j> {
    fn from(register: &'a draft::ElectricityRegister<'j>) -> Self {
        Self {
            register_id: &register.register_id,
            last_billed_to_date: Some(&register.last_billed_to_date),
            dial_format_digits: None,
        }
    }
}

impl<'a, 'j> From<&'a draft::EmbeddedElectricityRegister<'j>> for Register<'a, 'j> {
    fn from(register: &'a draft::EmbeddedElectricityRegister<'j>) -> Self {
        Self {
            register_id: &register.register_id,
            last_billed_to_date: None,
            dial_format_digits: Some(&register.dial_format_digits),
        }
    }
}

/// Calls `f` with each usable register of metered electricity in the account, its meter and its path.
pub(crate) fn each_electricity_register<'a, 'j>(
    account: &'a draft::Account<'j>,
    mut f: impl FnMut(&'a draft::ElectricityMeter<'j>, &'a draft::ElectricityRegister<'j>, &At<'_>),
) {
    items(&account.supply_addresses, "supply_addresses", &At::ROOT, |entry, at| {
        items(&entry.meter_points, "meter_points", at, |point, at| {
            let Variant::Electricity(own) = &point.variant else { return };
            items(&own.meters, "meters", at, |meter, at| {
                items(&meter.registers, "registers", at, |register, at| f(meter, register, at));
            });
        });
    });
}
