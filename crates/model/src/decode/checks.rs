use super::{FieldSpec, Kind};
use cutover_core::{Code, Level, RuleId};

/// A field check: a row of the rule catalogue that the decoder itself checks (rules 2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Check {
    /// The id in the catalogue.
    pub rule: RuleId,
    /// The code it gives.
    pub code: Code,
    /// The members that it checks.
    pub place: &'static str,
    /// The condition that it reports.
    pub condition: &'static str,
    /// Default level; only the level of warnings can be changed (rules 1.5).
    pub level: Level,
}

macro_rules! checks {
    ($($name:ident = $rule:literal $code:ident $level:ident, $place:literal, $condition:literal;)*) => {
        impl Check {
            $(
                #[doc = concat!("`", $rule, "`: ", $condition, ".")]
                pub(crate) const $name: Self = Self {
                    rule: RuleId($rule),
                    code: Code::$code,
                    place: $place,
                    condition: $condition,
                    level: Level::$level,
                };
            )*
        }

        /// Every field check, in the order of the catalogue.
        pub const FIELD_CHECKS: &[Check] = &[$(Check::$name,)*];
    };
}

checks! {
    REQUIRED = "STR-01" Required Error, "any required member", "member missing while its object is there";
    NULL = "STR-02" Null Error, "any non-nullable member, any array item", "JSON null";
    BLANK = "STR-03" Blank Error, "required strings; strings marked not blank", "empty after trimming";
    INVALID = "STR-04" Invalid Error, "any", "wrong JSON type or unreadable date, datetime, decimal, integer, pattern";
    INVALID_CHOICE = "STR-05" InvalidChoice Error, "closed lists", "string not in the list";
    MAX_LENGTH = "STR-06" MaxLength Error, "strings with a maximum", "longer";
    MIN_LENGTH = "STR-07" MinLength Error, "strings with a minimum", "shorter";
    MAX_DIGITS = "STR-08" MaxDigits Error, "decimals", "too many digits before the point";
    MAX_DECIMAL_PLACES = "STR-09" MaxDecimalPlaces Error, "decimals", "too many digits after the point";
    MIN_VALUE = "STR-10" MinValue Error, "numbers with a minimum", "smaller";
    MAX_VALUE = "STR-11" MaxValue Error, "numbers with a maximum", "larger";
    NOT_A_LIST = "STR-12" NotAList Error, "arrays", "not a JSON array";
    TOO_FEW_ITEMS = "STR-13" TooFewItems Error, "arrays with a minimum", "fewer";
    TOO_MANY_ITEMS = "STR-14" TooManyItems Error, "arrays with a maximum; any array beyond the general limit", "more";
    UNKNOWN_FIELD = "STR-15" UnknownField Error, "any undocumented member", "present";
    NUL = "STR-16" NullCharactersNotAllowed Error, "any string, also in free content", "holds U+0000";
    NO_OBJECT = "STR-17" Invalid Error, "body", "JSON, but not an object";
    DUPLICATE_FIELD = "STR-20" DuplicateField Error, "any object", "a member name occurs twice";
    UNRECOGNISED = "STR-19" UnrecognisedValue Warning, "open lists with known values", "value not among them";
    SUPPLY_TYPE_MISMATCH = "SUP-01" SupplyTypeMismatch Error, "`MP.supply_type`",
        "`supply_type` and the `mpxn` prefix name different variants";
    NOT_ALLOWED_FOR_SUPPLY_TYPE = "SUP-02" FieldNotAllowedForSupplyType Error, "the member",
        "member documented for another variant only";
    SUPPLY_TYPE_ASSUMED = "SUP-03" SupplyTypeAssumed Warning, "`MP`", "nothing sent tells the variant";
}

impl FieldSpec {
    /// The checks of a value in place of the member, as far as they are about this value alone.
    pub(crate) fn checks(&self) -> Vec<&'static Check> {
        // An item has no name: it is there, or it is none.
        let is_item = self.name.is_empty();
        let presence = [
            (self.required && !is_item).then_some(&Check::REQUIRED),
            (!self.nullable).then_some(&Check::NULL),
        ];
        presence.into_iter().flatten().chain(self.checks_of_kind()).collect()
    }

    fn checks_of_kind(&self) -> Vec<&'static Check> {
        let if_set = |is_set: bool, check| is_set.then_some(check);
        let text = |min: u32, max: Option<u32>| {
            vec![
                Some(&Check::INVALID),
                Some(&Check::NUL),
                if_set(self.refuses_blank(), &Check::BLANK),
                if_set(max.is_some(), &Check::MAX_LENGTH),
                if_set(min > 0, &Check::MIN_LENGTH),
            ]
        };
        let checks = match self.kind {
            Kind::Text { min, max, .. } => text(min, max),
            Kind::Digits { .. } => text(0, None),
            Kind::TextOrInteger { max } => text(0, Some(max)),
            Kind::Open { max, .. } => [text(0, max), vec![Some(&Check::UNRECOGNISED)]].concat(),
            Kind::Choice { .. } => {
                vec![Some(&Check::INVALID), Some(&Check::NUL), Some(&Check::INVALID_CHOICE)]
            }
            Kind::Date | Kind::DateTime => vec![Some(&Check::INVALID), Some(&Check::NUL)],
            Kind::Decimal { positive, .. } => vec![
                Some(&Check::INVALID),
                Some(&Check::NUL),
                Some(&Check::MAX_DIGITS),
                Some(&Check::MAX_DECIMAL_PLACES),
                if_set(positive, &Check::MIN_VALUE),
            ],
            Kind::Integer { min, max } => vec![
                Some(&Check::INVALID),
                Some(&Check::NUL),
                if_set(min.is_some(), &Check::MIN_VALUE),
                if_set(max.is_some(), &Check::MAX_VALUE),
            ],
            Kind::List { min, .. } => vec![
                Some(&Check::NOT_A_LIST),
                if_set(min > 0, &Check::TOO_FEW_ITEMS),
                Some(&Check::TOO_MANY_ITEMS),
            ],
            Kind::FreeArray => vec![Some(&Check::NOT_A_LIST)],
            Kind::MeterPoint => vec![Some(&Check::INVALID), Some(&Check::SUPPLY_TYPE_ASSUMED)],
            Kind::Boolean | Kind::Object(_) | Kind::FreeObject => vec![Some(&Check::INVALID)],
        };
        checks.into_iter().flatten().collect()
    }
}
