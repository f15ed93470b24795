use cutover_model::{Field, Text, draft};

/// An address of either kind.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Address<'a, 'j> {
    /// Of a customer or a supply address entry.
    Postal(&'a draft::Address<'j>),
    /// Of a gas meter point.
    Gas(&'a draft::GasAddress<'j>),
}

impl<'a, 'j> Address<'a, 'j> {
    /// Returns a member that both kinds have.
    pub(crate) fn delivery_point_identifier(self) -> &'a Field<Text<'j>> {
        match self {
            Self::Postal(address) => &address.delivery_point_identifier,
            Self::Gas(address) => &address.delivery_point_identifier,
        }
    }

    /// Returns the postal address if it is in the country with this code.
    pub(crate) fn in_country(self, code: &str) -> Option<&'a draft::Address<'j>> {
        let Self::Postal(address) = self else { return None };
        let country = address.country.usable()?.trimmed();
        country.eq_ignore_ascii_case(code).then_some(address)
    }
}
