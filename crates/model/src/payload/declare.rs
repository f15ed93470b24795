//! The declaration of objects: one line per member drives decoding, limits, documentation and encoding.

/// Declares the objects of a file.
///
/// A member is `name: presence kind;`, or `name as "JSON name": presence kind;`. With `formerly "old name"` before the colon it
/// is also read under that name, in which no document shows it. The presences are
/// `required`, `optional`, `nullable` (optional or `null`) and `required_nullable`; the kinds are those of
/// `kind!`. Each object becomes a plain type, and a type of the same name in `draft` whose members are
/// absent, usable or faulty. The documentation of the crate shows an expansion.
///
/// After the name of an object, `in customers` names the table of its rows, and `by mpxn` the member that identifies
/// a row among those of its parent; see [`tables`](crate::tables).
///
/// After the kind, `personal` makes `Debug` mask the member and everything below it; `shown` says that it is
/// not about a person. `reference` is a shown text that names something elsewhere: a contract, a tariff, a meter point.
/// `document` is the path of a document, which is masked as `personal` is. Operators see both beside their faults
/// ([`references`](fn@crate::references)). Texts must have one of the four; other kinds are shown by default.
macro_rules! objects {
    ($(
        $(#[doc = $doc:literal])+
        $name:ident $label:literal $(in $table:ident $(by $key:ident)?)? {
            $(
                $(#[doc = $field_doc:literal])+
                $field:ident $(as $wire:literal)? $(formerly $former:literal)? :
                    $presence:ident $kind:ident $( ( $($args:tt)* ) )? $($class:ident)? ;
            )*
        }
    )*) => {
        $(
            $(#[doc = $doc])+
            #[derive(Clone, PartialEq)]
            pub struct $name<'j> {
                $( $(#[doc = $field_doc])+ pub $field: presence!($presence plain!($kind $( ($($args)*) )?)), )*
            }

            impl $name<'_> {
                /// The declaration of the object and its members.
                pub const SPEC: $crate::ObjectSpec = $crate::ObjectSpec {
                    ident: stringify!($name),
                    name: $label,
                    doc: concat!($($doc),+),
                    table: named!($($table)?),
                    key: named!($($($key)?)?),
                    fields: &[$($crate::FieldSpec {
                        name: wire_name!($field $($wire)?),
                        quoted: concat!("\"", wire_name!($field $($wire)?), "\":"),
                        former: former_name!($($former)?),
                        doc: concat!($($field_doc),+),
                        required: is_required!($presence),
                        nullable: is_nullable!($presence),
                        kind: kind!($kind $( ($($args)*) )?),
                        is_personal: is_personal!($kind $( ($($args)*) )? ; $($class)?),
                        is_reference: is_reference!($($class)?),
                    }),*],
                };
            }

            impl std::fmt::Debug for $name<'_> {
                fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    let mut object = f.debug_struct(stringify!($name));
                    $(object.field(stringify!($field), &$crate::shown::Member {
                        value: &self.$field,
                        is_personal: is_personal!($kind $( ($($args)*) )? ; $($class)?),
                    });)*
                    object.finish()
                }
            }

            impl std::fmt::Debug for draft::$name<'_> {
                fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    let mut object = f.debug_struct(stringify!($name));
                    $(object.field(stringify!($field), &$crate::shown::Member {
                        value: &self.$field,
                        is_personal: is_personal!($kind $( ($($args)*) )? ; $($class)?),
                    });)*
                    object.finish()
                }
            }

            shown_by_debug!($name<'_>, draft::$name<'_>);

            impl $crate::convert::Object for $name<'_> {
                fn encode_members(&self, writer: &mut $crate::Writer, keep: impl Fn(&str) -> bool) {
                    $(
                        if keep(wire_name!($field $($wire)?)) {
                            encode!($presence writer, wire_name!($field $($wire)?), &self.$field);
                        }
                    )*
                }
            }

            count_rows!($name<'_>, draft::$name<'_>: $name { $($field),* });

            impl $crate::convert::IntoOwned for $name<'_> {
                type Owned = $name<'static>;

                fn into_owned(self) -> Self::Owned {
                    $name { $($field: $crate::convert::IntoOwned::into_owned(self.$field),)* }
                }
            }

            impl<'j> $crate::convert::IntoValid for draft::$name<'j> {
                type Valid = $name<'j>;

                fn into_valid(self) -> Option<Self::Valid> {
                    Some($name { $($field: valid!($presence self.$field),)* })
                }
            }

            impl<'j> $crate::decode::Draft<'j> for draft::$name<'j> {
                const FIELDS: &'static [$crate::FieldSpec] = $name::SPEC.fields;

                fn hints() -> &'static $crate::decode::Hints {
                    static HINTS: $crate::decode::Hints = $crate::decode::Hints::new();
                    &HINTS
                }
            }

            impl<'j> $crate::decode::Members<'j> for draft::$name<'j> {
                fn decode_member(
                    &mut self,
                    index: usize,
                    decoder: &mut $crate::decode::Decoder<'j>,
                ) -> Result<(), $crate::SyntaxErrorKind> {
                    #[expect(non_camel_case_types, reason = "a number for each member")]
                    enum At { $($field),* }
                    $(
                        if index == At::$field as usize {
                            return decode!($kind decoder, &mut self.$field, &$name::SPEC.fields[At::$field as usize]);
                        }
                    )*
                    Ok(())
                }
            }

            impl $crate::Blank for draft::$name<'_> {}

            impl<'j> $crate::decode::Slots<'j> for draft::$name<'j> {
                fn decode_item(
                    items: &mut Vec<$crate::Item<Self>>,
                    decoder: &mut $crate::decode::Decoder<'j>,
                    _: &'static $crate::FieldSpec,
                ) -> Result<(), $crate::SyntaxErrorKind> {
                    decoder.object_item(items)
                }
            }
        )*

        /// The drafts of the objects: every member is absent, usable or faulty (rules 1.2).
        pub(crate) mod draft {
            use crate::payload::prelude::*;

            $(
                $(#[doc = $doc])+
                #[derive(Clone, PartialEq, Default)]
                pub struct $name<'j> {
                    $( $(#[doc = $field_doc])+ pub $field: Field<drafted!($kind $( ($($args)*) )?)>, )*
                }
            )*
        }
    };
}

/// Counts the rows of an object, plain or a draft, in its members.
macro_rules! count_rows {
    ($($type:ty),*: $name:ident $fields:tt) => {
        $(count_rows!(@one $type: $name $fields);)*
    };
    (@one $type:ty: $name:ident { $($field:ident),* }) => {
        impl $crate::rows::CountRows for $type {
            const TABLE: Option<usize> = $crate::rows::place_of($name::SPEC.table);

            fn count_rows(&self, rows: &mut $crate::RowCounts) {
                $($crate::rows::CountRows::count_rows(&self.$field, rows);)*
            }
        }
    };
}

/// The name of a table or of a member, if there is one.
macro_rules! named {
    () => {
        None
    };
    ($name:ident) => {
        Some(stringify!($name))
    };
}

/// The type of a member by its presence.
macro_rules! presence {
    (required $type:ty) => { $type };
    (optional $type:ty) => { Option<$type> };
    ($nullable:ident $type:ty) => { $crate::Nullable<$type> };
}

/// The old name of a member, if it has one.
macro_rules! former_name {
    () => {
        None
    };
    ($former:literal) => {
        Some($former)
    };
}

/// The name of a member in JSON.
macro_rules! wire_name {
    ($field:ident) => {
        stringify!($field)
    };
    ($field:ident $wire:literal) => {
        $wire
    };
}

macro_rules! is_required {
    (required) => {
        true
    };
    (required_nullable) => {
        true
    };
    ($other:ident) => {
        false
    };
}

macro_rules! is_nullable {
    (nullable) => {
        true
    };
    (required_nullable) => {
        true
    };
    ($other:ident) => {
        false
    };
}

/// True if a member is personal. Texts have no default.
macro_rules! is_personal {
    ($kind:ident $( ( $($args:tt)* ) )? ; personal) => { true };
    ($kind:ident $( ( $($args:tt)* ) )? ; document) => { true };
    ($kind:ident $( ( $($args:tt)* ) )? ; shown) => { false };
    ($kind:ident $( ( $($args:tt)* ) )? ; reference) => { false };
    (text $( ( $($args:tt)* ) )? ;) => { is_personal!(@unclassified) };
    (filled $( ( $($args:tt)* ) )? ;) => { is_personal!(@unclassified) };
    (digits $( ( $($args:tt)* ) )? ;) => { is_personal!(@unclassified) };
    (open $( ( $($args:tt)* ) )? ;) => { is_personal!(@unclassified) };
    (text_or_integer $( ( $($args:tt)* ) )? ;) => { is_personal!(@unclassified) };
    (free_object ;) => { is_personal!(@unclassified) };
    (free_array ;) => { is_personal!(@unclassified) };
    (list ( $kind:ident $( ( $($args:tt)* ) )? $( ; $($limits:tt)* )? ) ;) => {
        is_personal!($kind $( ( $($args)* ) )? ;)
    };
    ($kind:ident $( ( $($args:tt)* ) )? ;) => { false };
    (@unclassified) => {
        compile_error!("a text is declared `personal`, `shown`, `reference` or `document` after its kind")
    };
}

/// True if operators see the value of a member beside its faults.
macro_rules! is_reference {
    (reference) => {
        true
    };
    (document) => {
        true
    };
    ($($other:ident)?) => {
        false
    };
}

macro_rules! valid {
    (required $field:expr) => {
        $crate::convert::IntoValid::into_valid($field.into_required()?)?
    };
    (optional $field:expr) => {
        match $field.into_optional()? {
            Some(value) => Some($crate::convert::IntoValid::into_valid(value)?),
            None => None,
        }
    };
    ($nullable:ident $field:expr) => {
        match $field.into_nullable()? {
            $crate::Nullable::Value(value) => {
                $crate::Nullable::Value($crate::convert::IntoValid::into_valid(value)?)
            }
            $crate::Nullable::Null => $crate::Nullable::Null,
            $crate::Nullable::Absent => $crate::Nullable::Absent,
        }
    };
}

macro_rules! encode {
    (required $writer:ident, $name:expr, $value:expr) => {
        $crate::convert::write_member($writer, $name, $value)
    };
    (optional $writer:ident, $name:expr, $value:expr) => {
        if let Some(value) = $value {
            $crate::convert::write_optional($writer, $name, value);
        }
    };
    ($nullable:ident $writer:ident, $name:expr, $value:expr) => {
        match $value {
            $crate::Nullable::Value(value) => $crate::convert::write_member($writer, $name, value),
            $crate::Nullable::Null => $crate::convert::write_null($writer, $name, is_required!($nullable)),
            $crate::Nullable::Absent => {}
        }
    };
}

macro_rules! decode {
    (object $decoder:ident, $field:expr, $spec:expr) => {
        $decoder.object($field, $spec)
    };
    ($leaf:ident $decoder:ident, $field:expr, $spec:expr) => {
        $decoder.leaf($field, $spec)
    };
}

/// The type of a kind in a plain object.
macro_rules! plain {
    (object($name:ident)) => { $crate::$name<'j> };
    (meter_point($name:ident)) => { $crate::$name<'j> };
    (list($kind:ident $( ( $($args:tt)* ) )? $(; $($limits:tt)*)?)) => { Vec<plain!($kind $( ($($args)*) )?)> };
    (batch($kind:ident $( ( $($args:tt)* ) )?)) => { Vec<plain!($kind $( ($($args)*) )?)> };
    ($($leaf:tt)*) => { leaf!($($leaf)*) };
}

/// The type of a kind in a draft.
macro_rules! drafted {
    (object($name:ident)) => { $crate::draft::$name<'j> };
    (meter_point($name:ident)) => { $crate::draft::$name<'j> };
    (list($kind:ident $( ( $($args:tt)* ) )? $(; $($limits:tt)*)?)) => { List<drafted!($kind $( ($($args)*) )?)> };
    (batch($kind:ident $( ( $($args:tt)* ) )?)) => { List<drafted!($kind $( ($($args)*) )?)> };
    ($($leaf:tt)*) => { leaf!($($leaf)*) };
}

macro_rules! leaf {
    (text $($limits:tt)*) => { $crate::Text<'j> };
    (filled $($limits:tt)*) => { $crate::Text<'j> };
    (digits $($limits:tt)*) => { $crate::Text<'j> };
    (open $($limits:tt)*) => { $crate::Text<'j> };
    (choice($name:ident)) => { $crate::choices::$name };
    (text_or_integer $($limits:tt)*) => { $crate::TextOrInteger<'j> };
    (date) => { chrono::NaiveDate };
    (datetime) => { $crate::DateTime<'j> };
    (decimal $($limits:tt)*) => { $crate::Decimal<'j> };
    (positive_decimal $($limits:tt)*) => { $crate::Decimal<'j> };
    (integer $($limits:tt)*) => { $crate::Integer<'j> };
    (boolean) => { bool };
    (free_object) => { $crate::Free<'j> };
    (free_array) => { $crate::Free<'j> };
}

/// The [`Kind`](crate::Kind) of a member.
macro_rules! kind {
    (text) => { $crate::Kind::Text { min: 0, max: None, filled: false } };
    (text($max:literal)) => { $crate::Kind::Text { min: 0, max: Some($max), filled: false } };
    (text($min:literal, $max:literal)) => { $crate::Kind::Text { min: $min, max: Some($max), filled: false } };
    (filled($max:literal)) => { $crate::Kind::Text { min: 0, max: Some($max), filled: true } };
    (digits($min:literal, $max:literal)) => { $crate::Kind::Digits { min: $min, max: $max } };
    (open($max:literal, $known:ident)) => {
        $crate::Kind::Open { max: Some($max), known: $crate::known::$known }
    };
    (choice($name:ident)) => { $crate::Kind::Choice {
        words: $crate::choices::$name::WORDS,
        meanings: $crate::choices::$name::MEANINGS,
    } };
    (text_or_integer($max:literal)) => { $crate::Kind::TextOrInteger { max: $max } };
    (date) => { $crate::Kind::Date };
    (datetime) => { $crate::Kind::DateTime };
    (decimal($before:literal, $after:literal)) => {
        $crate::Kind::Decimal { before: $before, after: $after, positive: false }
    };
    (positive_decimal($before:literal, $after:literal)) => {
        $crate::Kind::Decimal { before: $before, after: $after, positive: true }
    };
    (integer) => { $crate::Kind::Integer { min: None, max: None } };
    (integer($min:literal, $max:literal)) => { $crate::Kind::Integer { min: Some($min), max: Some($max) } };
    (boolean) => { $crate::Kind::Boolean };
    (object($name:ident)) => { $crate::Kind::Object(|| &$crate::$name::SPEC) };
    (meter_point($name:ident)) => { $crate::Kind::MeterPoint };
    (list($kind:ident $( ( $($args:tt)* ) )?)) => {
        $crate::Kind::List { item: item!($kind $( ($($args)*) )?), min: 0, max: None, batch: false }
    };
    (list($kind:ident $( ( $($args:tt)* ) )?; $min:literal..)) => {
        $crate::Kind::List { item: item!($kind $( ($($args)*) )?), min: $min, max: None, batch: false }
    };
    (list($kind:ident $( ( $($args:tt)* ) )?; $min:literal..=$max:literal)) => {
        $crate::Kind::List { item: item!($kind $( ($($args)*) )?), min: $min, max: Some($max), batch: false }
    };
    (batch($kind:ident $( ( $($args:tt)* ) )?)) => {
        $crate::Kind::List { item: item!($kind $( ($($args)*) )?), min: 1, max: None, batch: true }
    };
    (free_object) => { $crate::Kind::FreeObject };
    (free_array) => { $crate::Kind::FreeArray };
}

macro_rules! item {
    ($($kind:tt)*) => {
        &$crate::FieldSpec {
            name: "",
            quoted: "",
            former: None,
            doc: "",
            required: true,
            nullable: false,
            kind: kind!($($kind)*),
            is_personal: false,
            is_reference: false,
        }
    };
}
