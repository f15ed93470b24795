//! The settings of a supplier that its organisation may change (contract D1): a form, and what was changed in it.

use super::actions::log;
use super::links;
use super::page::{Frame, page, see_other};
use super::visit::{Stop, done, found, visited};
use crate::call::{Answer, Call};
use crate::refusal::Refusal;
use crate::request::query::Query;
use actix_web::HttpResponse;
use askama::Template;
use cutover_app::App;
use cutover_app::operator::SupplierChange;
use cutover_app::port::{Country, ProfileName, UndocumentedMembers};
use cutover_app::port::{Supplier, SupplierSettings, Waves};
use cutover_core::{Level, UnknownWord, Word};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::str::FromStr;

#[derive(Template)]
#[template(path = "console/settings.html")]
struct Page {
    frame: Frame,
    code: String,
    back: String,
    /// The revision of the settings shown.
    revision: i64,
    switches: [Switch; 4],
    texts: [Text; 4],
    choices: [Choice; 2],
    /// A line for each rule whose level is set.
    rules: Vec<String>,
}

/// A setting that is on or off.
struct Switch {
    /// Its name in the form.
    name: &'static str,
    label: &'static str,
    is_set: bool,
}

/// A setting that is a text; empty for none.
struct Text {
    /// Its name in the form.
    name: &'static str,
    label: &'static str,
    value: String,
    hint: &'static str,
}

/// A setting that is one of several words.
struct Choice {
    /// Its name in the form.
    name: &'static str,
    label: &'static str,
    words: Vec<&'static str>,
    /// The word that is set; of a newer version, none of these.
    value: String,
}

/// `GET /console/suppliers/<supplier>/settings/`: shows the form.
pub(crate) fn ask(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        Ok(visited(call, async |call, visitor| {
            let (caller, code) = (visitor.caller().clone(), call.parameter(0));
            let supplier = call.run(move |app| found(app.as_caller(&caller).show_supplier(&code))).await?;
            let settings = &supplier.settings;
            let (waves, share) = (&settings.waves, settings.hold_on_errors);
            let waves = if waves.is_none() { String::new() } else { waves.to_string() };
            let form = Page {
                frame: Frame::of(visitor),
                back: links::supplier(supplier.code.as_str()),
                code: supplier.code.to_string(),
                revision: supplier.revision,
                switches: [
                    Switch { name: "dry_run", label: "Every import is a dry run", is_set: settings.dry_run },
                    Switch {
                        name: "verify_documents",
                        label: "Documents that payloads name must exist",
                        is_set: settings.verify_documents,
                    },
                    Switch {
                        name: "send_customer_emails",
                        label: "Customers may be written to",
                        is_set: settings.send_customer_emails,
                    },
                    Switch {
                        name: "supplier_runs",
                        label: "The supplier may start and end runs itself",
                        is_set: settings.supplier_runs,
                    },
                ],
                texts: [
                    Text {
                        name: "max_concurrent_imports",
                        label: "Imports at a time",
                        value: text(settings.max_concurrent_imports),
                        hint: "A number from 1. Empty: no bound.",
                    },
                    Text {
                        name: "waves",
                        label: "Waves",
                        value: waves,
                        hint: "Numbers of accounts after each of which imports are held, then the rest, for example 100,5000,rest. \
                         A change begins anew with the first wave. Empty: no waves.",
                    },
                    Text {
                        name: "hold_on_errors",
                        label: "Hold on errors",
                        value: text(share),
                        hint: "The percentage of the last accounts that may fail, and their number, for example 1/200. Empty: any.",
                    },
                    Text {
                        name: "undocumented_members",
                        label: "Undocumented members",
                        value: settings.undocumented_members.to_string(),
                        hint: "What becomes of members that the contract does not document: error, warning, or the names of \
                               those that are warnings, with commas between them.",
                    },
                ],
                choices: [
                    Choice {
                        name: "profile",
                        label: "Profile",
                        words: ProfileName::WORDS.to_vec(),
                        value: settings.profile.to_string(),
                    },
                    Choice {
                        name: "country",
                        label: "Country",
                        words: Country::all().map(Country::as_str).collect(),
                        value: settings.country.to_string(),
                    },
                ],
                rules: settings.rules.iter().map(|(id, level)| format!("{id}={level}")).collect(),
            };
            Ok(page(&mut HttpResponse::Ok(), &form)?)
        })
        .await)
    })
}

/// `POST /console/suppliers/<supplier>/settings/`: changes what differs from the settings that were shown.
pub(crate) fn set(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        Ok(visited(call, async |call, visitor| {
            let (caller, code) = (visitor.caller().clone(), call.parameter(0));
            let form = call.form().await?;
            let job = move |app: &App| -> Result<Result<Set, String>, Refusal> {
                let by = app.as_caller(&caller);
                let supplier = found(by.show_supplier(&code))?;
                let change = match change(&form, &supplier.settings) {
                    Ok(change) if change.is_none() => return Ok(Ok(Set::Nothing(supplier))),
                    Ok(change) => change,
                    Err(fault) => return Ok(Err(fault)),
                };
                Ok(done(by.set_supplier(&code, change))?.map(Set::Changed))
            };
            let supplier = match call.run(job).await?.map_err(Stop::NotDone)? {
                Set::Nothing(supplier) => supplier,
                Set::Changed(supplier) => {
                    log(call, visitor, "set", supplier.code.as_str(), None);
                    supplier
                }
            };
            Ok(see_other(&links::supplier(supplier.code.as_str())))
        })
        .await)
    })
}

/// What a form has done.
enum Set {
    Nothing(Supplier),
    Changed(Supplier),
}

fn text(value: Option<impl Display>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// Returns what a form changes of the settings, or the first fault for people.
fn change(form: &str, settings: &SupplierSettings) -> Result<SupplierChange, String> {
    let given = |name| {
        let text = Query::new(form).read(name, |text| Some(text.trim().to_owned()));
        text.ok_or_else(|| format!("The form has no {name}: nothing was changed."))
    };
    let revision =
        given("revision")?.parse().map_err(|_| "The form does not say which settings it has shown.")?;
    // A browser leaves out what is not ticked.
    let switch = |name, is_set: bool| {
        let wanted = Query::new(form).read(name, |text| (text == "yes").then_some(())).is_some();
        (wanted != is_set).then_some(wanted)
    };
    let waves = optional("Waves", &given("waves")?)?.unwrap_or_else(Waves::default);
    let share = optional("Hold on errors", &given("hold_on_errors")?)?;
    let most = match given("max_concurrent_imports")?.as_str() {
        "" => None,
        most => match most.parse() {
            Ok(most) if most > 0 => Some(most),
            _ => return Err(format!("Imports at a time: {most:?} is not a whole number from 1.")),
        },
    };
    let undocumented = given("undocumented_members")?;
    let undocumented: UndocumentedMembers = undocumented
        .parse()
        .map_err(|fault| format!("Undocumented members: {undocumented:?} is {fault}."))?;
    Ok(SupplierChange {
        profile: chosen("Profile", &given("profile")?, &settings.profile)?,
        country: chosen("Country", &given("country")?, &settings.country)?,
        undocumented_members: (undocumented != settings.undocumented_members).then_some(undocumented),
        revision: Some(revision),
        dry_run: switch("dry_run", settings.dry_run),
        verify_documents: switch("verify_documents", settings.verify_documents),
        send_customer_emails: switch("send_customer_emails", settings.send_customer_emails),
        supplier_runs: switch("supplier_runs", settings.supplier_runs),
        max_concurrent_imports: (most != settings.max_concurrent_imports).then_some(most),
        waves: (waves != settings.waves).then_some(waves),
        hold_on_errors: (share != settings.hold_on_errors).then_some(share),
        rules: rules(&given("rules")?, settings)?,
        ..SupplierChange::default()
    })
}

/// Returns the word that was chosen, unless it is the one that is set.
fn chosen<T>(label: &str, word: &str, set: &Word<T>) -> Result<Option<T>, String>
where
    T: FromStr<Err = UnknownWord> + AsRef<str>,
{
    // Also a word of a newer version, which stays as it is.
    if word == set.as_str() {
        return Ok(None);
    }
    word.parse().map(Some).map_err(|fault| format!("{label}: {fault}."))
}

/// Parses a text that may be empty.
fn optional<T: FromStr<Err = &'static str>>(label: &str, text: &str) -> Result<Option<T>, String> {
    match text {
        "" => Ok(None),
        text => text.parse().map(Some).map_err(|fault| format!("{label}: {text:?} is {fault}.")),
    }
}

/// Returns the levels that change: those of lines that differ, and of rules that have no line any more.
fn rules(lines: &str, settings: &SupplierSettings) -> Result<BTreeMap<String, Option<Level>>, String> {
    let mut changed: BTreeMap<String, Option<Level>> =
        settings.rules.keys().map(|id| (id.clone(), None)).collect();
    let mut seen = BTreeSet::new();
    for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let fault = || format!("Rules: {line:?} is not a rule and its level, for example ACC-04=error.");
        let (id, level) = line.split_once('=').ok_or_else(fault)?;
        let (id, level) = (id.trim(), level.trim());
        if !seen.insert(id) {
            return Err(format!("Rules: {id} has two lines."));
        }
        // Also a level that only a newer version knows, which stays as it is.
        if settings.rules.get(id).is_some_and(|set| set.as_str() == level) {
            changed.remove(id);
            continue;
        }
        changed.insert(id.to_owned(), Some(level.parse().map_err(|_| fault())?));
    }
    Ok(changed)
}
