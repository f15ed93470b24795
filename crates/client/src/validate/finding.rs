use crate::across::{InCommon, SharedBirth};
use crate::copies::Earlier;
use crate::input::{Location, Source};
use crate::origin::{AccountOrigins, Origin, TableFinding};
use crate::output::grouped;
use crate::request::Kind;
use cutover_core::{Code, Issue, Level, NON_FIELD_ERRORS, RuleId};
use cutover_model::SyntaxError;
use cutover_rules::rules_with;
use std::borrow::Cow;

/// A fault or warning about an account: found by the rules, or by comparing accounts of the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Whether the service would refuse the account.
    pub level: Level,
    /// Path in the account; never a value.
    pub attr: Cow<'static, str>,
    /// Stable code.
    pub code: &'static str,
    /// The rule that found it; `None` for what only this program finds.
    pub rule: Option<RuleId>,
    /// Text for people; holds no value of an account except numbers of accounts, unless `--show-values` is given.
    pub detail: Cow<'static, str>,
    /// The value as sent; `None` unless `--show-values` is given.
    pub(crate) value: Option<String>,
    /// The place in a table, if the account was made of tables.
    pub(crate) source: Option<Origin>,
}

impl Finding {
    /// The account is not JSON; `line` is its position in the file.
    pub(crate) fn no_json(error: SyntaxError, line: u32) -> Self {
        let error = SyntaxError { line: error.line + line as usize - 1, ..error };
        let rule = rules_with(Code::ParseError).next().map(|rule| rule.id);
        Self { rule, ..Self::of_whole(Code::ParseError, format!("This is not JSON: {error}.").into()) }
    }

    /// It is larger than the limit of the service.
    pub(crate) fn too_large(kind: Kind) -> Self {
        let detail = format!("The {} is larger than 8 MiB.", kind.noun());
        Self::of_whole(Code::PayloadTooLarge, detail.into())
    }

    /// A fault of a whole account or request.
    pub(crate) fn of_whole(code: Code, detail: Cow<'static, str>) -> Self {
        Self {
            level: Level::Error,
            attr: NON_FIELD_ERRORS.into(),
            code: code.as_str(),
            rule: None,
            detail,
            value: None,
            source: None,
        }
    }

    /// The account, or another request of this kind, is in an earlier line already: a warning if it is the same, else an error. Only the client has
    /// these codes, because the service sees one account at a time.
    pub(crate) fn copy(kind: Kind, earlier: Earlier, sources: &[Source]) -> Self {
        let noun = kind.noun();
        let place = place(earlier.location, sources);
        let (level, code, detail) = match earlier.differs {
            false => {
                (Level::Warning, Code::RepeatedInInput, format!("The same {noun} is already in {place}."))
            }
            true => {
                let detail =
                    format!("The {noun} is already in {place}, with other content. The last one counts.");
                (Level::Error, Code::DiffersInInput, detail)
            }
        };
        let attr = kind.identity_attr().into();
        Self {
            level,
            attr,
            code: code.as_str(),
            rule: None,
            detail: detail.into(),
            value: None,
            source: None,
        }
    }

    /// The account has something in common with an earlier one. The value itself is not named: it may be personal.
    pub(crate) fn in_common(found: InCommon, sources: &[Source]) -> Self {
        let InCommon { code, attr, earlier } = found;
        let place = place(earlier, sources);
        let detail = match code {
            Code::SharedMeterPointInInput => format!(
                "Another account, in {place}, has this meter point too. If its supply has ended there, send supply_end_date."
            ),
            Code::SharedSerialNumberInInput => format!(
                "A meter of another account, in {place}, has this serial number too. If its supply has ended there, send \
                 supply_end_date."
            ),
            Code::SharedPaymentReferenceInInput => {
                format!("Another account, in {place}, has this payment reference too, with the same vendor.")
            }
            Code::SharedStatementPathInInput => {
                format!("Another account, in {place}, names this document too.")
            }
            _ => format!(
                "The account number looks like that of another account, in {place}. If both are one account, send it once."
            ),
        };
        let (level, code, detail) = (Level::Warning, code.as_str(), detail.into());
        Self { level, attr, code, rule: None, detail, value: None, source: None }
    }

    /// Many accounts share a date of birth. It is shown only if asked for.
    pub(crate) fn shared_birth(shared: &SharedBirth, show_value: bool) -> Self {
        let SharedBirth { date, accounts, of, first, numbers } = shared;
        let examples = match numbers.as_slice() {
            [] => String::new(),
            numbers => format!(", such as {}", numbers.join(", ")),
        };
        let tenths = accounts * 1_000 / of;
        let detail = format!(
            "A birth date is shared by {} of {} accounts with customers ({}.{} %){examples}. If the date stands for an \
             unknown one, leave date_of_birth out.",
            grouped(*accounts),
            grouped(*of),
            tenths / 10,
            tenths % 10,
        );
        let finding = Self {
            level: Level::Warning,
            attr: format!("customers.{}.date_of_birth", first.customer).into(),
            code: Code::SharedDateOfBirthInInput.as_str(),
            rule: None,
            detail: detail.into(),
            value: None,
            source: None,
        };
        // As JSON, like the values of other findings.
        if show_value { finding.with_value(format!("\"{date}\"")) } else { finding }
    }

    /// Something that was found about the rows of the account.
    pub(crate) fn of_table(finding: &TableFinding<'_>) -> Self {
        let attr = finding.attr().map_or(NON_FIELD_ERRORS.into(), Cow::Owned);
        let (code, detail) = (finding.code.as_str(), finding.detail.clone().into_owned().into());
        Self {
            level: Level::Error,
            attr,
            code,
            rule: None,
            detail,
            value: None,
            source: Some(finding.origin()),
        }
    }

    /// A temporary file with the origins of the account cannot be read.
    pub(super) fn unknown_origin(error: &std::io::Error) -> Self {
        let detail = format!("Where it comes from in the tables cannot be read: {error}");
        Self::of_whole(Code::UnreadableInput, detail.into())
    }

    /// Adds the place in a table.
    pub(super) fn locate(&mut self, origins: &AccountOrigins<'_>) {
        self.source = self.source.take().or_else(|| origins.of(&self.attr));
    }

    /// The same with the place in a table, if the account of this line was made of tables.
    pub(crate) fn located(mut self, source: &Source, line: u32) -> Self {
        if let Ok(Some(origins)) = source.origins(line) {
            self.locate(&origins);
        }
        self
    }

    /// Adds the value as sent.
    pub(super) fn with_value(self, value: String) -> Self {
        let detail = format!("{} Sent: {value}", self.detail).into();
        Self { detail, value: Some(value), ..self }
    }
}

fn place(location: Location, sources: &[Source]) -> String {
    let place = sources[location.source as usize].place(location.line);
    format!("{}, line {}", place.file, place.line.unwrap_or_default())
}

impl From<Issue> for Finding {
    fn from(issue: Issue) -> Self {
        let attr = issue.attr.to_string().into();
        Self {
            level: issue.level,
            attr,
            code: issue.code.as_str(),
            rule: Some(issue.rule),
            detail: issue.detail,
            value: None,
            source: None,
        }
    }
}
