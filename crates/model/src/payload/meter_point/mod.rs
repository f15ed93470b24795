//! Meter points: common members and those of one of seven variants (fields 3).

mod common;
mod decide;
mod electricity;
mod embedded_electricity;
mod embedded_gas;
mod embedded_water;
mod gas;
mod unmetered_electricity;
mod unmetered_gas;

use crate::choices::SupplyType;
use crate::convert::{IntoOwned, IntoValid, Object};
use crate::decode::Blank;
use crate::json::Writer;
use crate::rows::{CountRows, RowCounts};

pub use common::MeterPointCommon;
pub use electricity::*;
pub use embedded_electricity::*;
pub use embedded_gas::*;
pub use embedded_water::*;
pub use gas::*;
pub use unmetered_electricity::*;
pub use unmetered_gas::*;

/// A meter point: common members and those of its variant.
#[derive(Debug, Clone, PartialEq)]
pub struct MeterPoint<'j> {
    /// The common members.
    pub common: MeterPointCommon<'j>,
    /// The members of its variant.
    pub variant: Variant<'j>,
}

macro_rules! variants {
    ($($(#[doc = $doc:literal])+ $name:ident($object:ident);)*) => {
        /// The seven kinds of meter point, in preference order (fields 3.1).
        #[derive(Debug, Clone, PartialEq)]
        #[expect(clippy::large_enum_variant, reason = "an allocation per meter point would cost more")]
        pub enum Variant<'j> {
            $( $(#[doc = $doc])+ $name($object<'j>), )*
        }

        /// The members of each kind, in preference order.
        const FIELDS: [&[crate::FieldSpec]; 7] = [$($object::SPEC.fields),*];

        /// The kinds in preference order.
        const PREFERENCE: [SupplyType; 7] = [$(SupplyType::$name),*];

        impl Variant<'_> {
            /// The supply type that names this kind.
            pub fn supply_type(&self) -> SupplyType {
                match self { $(Self::$name(_) => SupplyType::$name,)* }
            }
        }

        impl Object for MeterPoint<'_> {
            fn encode_members(&self, writer: &mut Writer, keep: impl Fn(&str) -> bool) {
                self.common.encode_members(writer, &keep);
                match &self.variant { $(Variant::$name(own) => own.encode_members(writer, keep),)* }
            }
        }

        impl CountRows for MeterPoint<'_> {
            const TABLE: Option<usize> = MeterPointCommon::TABLE;

            fn count_rows(&self, rows: &mut RowCounts) {
                self.common.count_rows(rows);
                match &self.variant { $(Variant::$name(own) => own.count_rows(rows),)* }
            }
        }

        impl CountRows for draft::MeterPoint<'_> {
            const TABLE: Option<usize> = MeterPointCommon::TABLE;

            fn count_rows(&self, rows: &mut RowCounts) {
                self.common.count_rows(rows);
                match &self.variant {
                    $(draft::Variant::$name(own) => own.count_rows(rows),)*
                    draft::Variant::Undecided => {}
                }
            }
        }

        impl IntoOwned for MeterPoint<'_> {
            type Owned = MeterPoint<'static>;

            fn into_owned(self) -> Self::Owned {
                let variant = match self.variant { $(Variant::$name(own) => Variant::$name(own.into_owned()),)* };
                MeterPoint { common: self.common.into_owned(), variant }
            }
        }

        impl<'j> IntoValid for draft::MeterPoint<'j> {
            type Valid = MeterPoint<'j>;

            fn into_valid(self) -> Option<Self::Valid> {
                let variant = match self.variant {
                    $(draft::Variant::$name(own) => Variant::$name(own.into_valid()?),)*
                    draft::Variant::Undecided => return None,
                };
                Some(MeterPoint { common: self.common.into_valid()?, variant })
            }
        }

        impl Blank for draft::MeterPoint<'_> {}

        /// Drafts of meter points.
        pub(crate) mod draft {
            use super::SupplyType;

            pub use super::all::*;

            /// A meter point: common members and those of its variant.
            #[derive(Debug, Clone, PartialEq)]
            pub struct MeterPoint<'j> {
                /// The common members.
                pub common: MeterPointCommon<'j>,
                /// The members of its variant.
                pub variant: Variant<'j>,
            }

            /// The seven kinds of meter point; `Undecided` if its `supply_type` is faulty.
            #[derive(Debug, Clone, PartialEq)]
            #[expect(clippy::large_enum_variant, reason = "an allocation per meter point would cost more")]
            pub enum Variant<'j> {
                $( $(#[doc = $doc])+ $name($object<'j>), )*
                /// The supply type is faulty: only common members are checked (fields 3.1).
                Undecided,
            }

            impl Variant<'_> {
                /// The supply type that names this kind, if it is known.
                pub fn supply_type(&self) -> Option<SupplyType> {
                    match self {
                        $(Self::$name(_) => Some(SupplyType::$name),)*
                        Self::Undecided => None,
                    }
                }
            }
        }

        /// Decodes the object that comes next as the kind of meter point.
        fn decode_as<'j>(
            decoder: &mut crate::decode::Decoder<'j>,
            kind: Option<SupplyType>,
        ) -> Result<decide::Decoded<'j>, crate::SyntaxErrorKind> {
            match kind {
                $(Some(SupplyType::$name) => decide::decode_point::<draft::$object<'j>>(decoder, draft::Variant::$name),)*
                None => decide::decode_point::<decide::Undecided>(decoder, |_| draft::Variant::Undecided),
            }
        }

        impl Variant<'_> {
            /// The supply types, in preference order (fields 3.1).
            pub const SUPPLY_TYPES: &'static [SupplyType] = &PREFERENCE;

            /// The declaration of the members that only this kind has.
            pub fn spec(supply_type: SupplyType) -> &'static crate::ObjectSpec {
                match supply_type { $(SupplyType::$name => const { &$object::SPEC },)* }
            }
        }
    };
}

shown_by_debug!(MeterPoint<'_>, draft::MeterPoint<'_>);

variants! {
    /// Metered electricity.
    Electricity(ElectricityMeterPoint);
    /// An unmetered electric appliance.
    UnmeteredElectricity(UnmeteredElectricityMeterPoint);
    /// An unmetered gas appliance.
    UnmeteredGas(UnmeteredGasMeterPoint);
    /// Metered gas.
    Gas(GasMeterPoint);
    /// Electricity of an embedded network.
    EmbeddedElectricity(EmbeddedElectricityMeterPoint);
    /// Gas of an embedded network.
    EmbeddedGas(EmbeddedGasMeterPoint);
    /// Water of an embedded network.
    EmbeddedWater(EmbeddedWaterMeterPoint);
}

/// The drafts of all objects of this folder.
pub(crate) mod all {
    pub use super::common::draft::*;
    pub use super::electricity::draft::*;
    pub use super::embedded_electricity::draft::*;
    pub use super::embedded_gas::draft::*;
    pub use super::embedded_water::draft::*;
    pub use super::gas::draft::*;
    pub use super::unmetered_electricity::draft::*;
    pub use super::unmetered_gas::draft::*;
}
