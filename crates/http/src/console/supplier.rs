use super::failed::{self, Download};
use super::jobs;
use super::links;
use super::migration::Overview;
use super::page::{Frame, page};
use super::view::{AccountRow, Choice, Moment, ROWS, statuses};
use super::visit::{Stop, found, visited};
use super::visitor::Visitor;
use crate::call::{Answer, Call};
use crate::endpoint::account_lists::cursor;
use crate::refusal::Refusal;
use crate::request::query::Query;
use actix_web::HttpResponse;
use askama::Template;
use cutover_app::account::AccountFilter;
use cutover_app::port::{Hold, HoldReason, Position, Supplier, set_values};
use cutover_core::{Word, Zone};

/// Accounts on a page.
const PAGE: u32 = ROWS as u32;

#[derive(Template)]
#[template(path = "console/supplier.html")]
struct Page {
    frame: Frame,
    supplier: Shown,
    overview: Overview,
    accounts: Accounts,
}

/// A supplier and its settings.
struct Shown {
    code: String,
    link: String,
    status: String,
    is_dry_run: bool,
    hold: Option<Held>,
    settings: Vec<(&'static str, String)>,
    created: Moment,
}

/// A hold of the imports.
pub(super) struct Held {
    pub(super) why: String,
    pub(super) since: Moment,
    pub(super) counts: String,
    pub(super) because: Option<String>,
    pub(super) also: Vec<AlsoHeld>,
}

/// A further reason of a hold.
pub(super) struct AlsoHeld {
    pub(super) why: String,
    pub(super) since: Moment,
    pub(super) because: Option<String>,
}

impl Held {
    pub(super) fn new(hold: &Hold, zone: Zone) -> Self {
        let why = |reason: &HoldReason| match &reason.owner {
            Some(owner) => format!("{} ({owner})", reason.words(hold.wave)),
            None => reason.words(hold.wave),
        };
        let also = |reason: &HoldReason| AlsoHeld {
            why: why(reason),
            since: Moment::new(reason.since, zone),
            because: reason.because.clone(),
        };
        let window = hold.window.map(|window| format!(" of the last {window}")).unwrap_or_default();
        Self {
            why: why(&hold.first),
            since: Moment::new(hold.first.since, zone),
            counts: format!("{} accounts had ended, {} failed{window}", hold.ended, hold.failed),
            because: hold.first.because.clone(),
            also: hold.also.iter().map(also).collect(),
        }
    }
}

impl Shown {
    fn of(supplier: &Supplier, hold: Option<&Hold>) -> Self {
        let settings = &supplier.settings;
        let yes_no = |value| if value { "Yes" } else { "No" }.to_owned();
        let rules: Vec<_> =
            settings.rules.iter().map(|(id, level)| format!("{id} = {}", level.as_str())).collect();
        let values = set_values(&settings.rule_values);
        let values: Vec<_> = values.iter().map(|value| format!("{} = {value}", value.name())).collect();
        let most = settings.max_concurrent_imports.map_or("No bound".to_owned(), |most| most.to_string());
        Self {
            code: supplier.code.to_string(),
            link: links::supplier(supplier.code.as_str()),
            status: settings.status.to_string(),
            is_dry_run: settings.dry_run,
            hold: hold.map(|hold| Held::new(hold, settings.time_zone)),
            settings: vec![
                ("Time zone", settings.time_zone.name().to_owned()),
                ("Imports at a time", most),
                ("Every import is a dry run", yes_no(settings.dry_run)),
                ("Documents must exist", yes_no(settings.verify_documents)),
                ("Document root", settings.document_root.clone()),
                ("Customers may be written to", yes_no(settings.send_customer_emails)),
                ("The supplier starts and ends runs itself", yes_no(settings.supplier_runs)),
                (
                    "Waves",
                    if settings.waves.is_none() { "None".to_owned() } else { settings.waves.to_string() },
                ),
                (
                    "Hold on errors",
                    settings.hold_on_errors.map_or("No".to_owned(), |share| share.to_string()),
                ),
                ("Profile", settings.profile.to_string()),
                ("Country", settings.country.to_string()),
                ("Undocumented members", settings.undocumented_members.to_string()),
                (
                    "Values of rules",
                    if values.is_empty() { "By default".to_owned() } else { values.join("\n") },
                ),
                ("Rules", if rules.is_empty() { "As in the profile".to_owned() } else { rules.join("\n") }),
            ],
            created: Moment::new(supplier.created_at, settings.time_zone),
        }
    }
}

/// A page of accounts and its filter.
struct Accounts {
    rows: Vec<AccountRow>,
    statuses: Vec<Choice>,
    is_undone: Option<bool>,
    error_code: String,
    /// Links to the operations on these accounts, with their labels.
    operations: Vec<(&'static str, String)>,
    download: Option<Download>,
    warning_code: String,
    is_filtered: bool,
    is_first: bool,
    next: Option<String>,
}

/// The filter in the query; invalid values are ignored.
struct Asked {
    filter: AccountFilter,
    after: Option<Position>,
}

impl Asked {
    fn of(query: &str) -> Self {
        let mut query = Query::new(query);
        let status = query.read("status", |text| text.parse().ok());
        let error_code = query.read("error_code", |text| links::error_code(text.trim()));
        let warning_code = query.read("warning_code", |text| links::error_code(text.trim()));
        let is_undone = query.read("undone", |text| text.parse().ok());
        let filter = AccountFilter { status, error_code, warning_code, modified_after: None, is_undone };
        Self { filter, after: query.read("cursor", cursor::decode) }
    }

    /// Returns the link to the page after a position.
    fn next(&self, code: &str, next: Position) -> String {
        let mut link = format!("{}?", links::supplier(code));
        for (name, value) in [
            ("status", self.filter.status.map(|status| status.as_str())),
            ("undone", self.filter.is_undone.map(|is_undone| if is_undone { "true" } else { "false" })),
            ("error_code", self.filter.error_code.as_ref().map(Word::as_str)),
            ("warning_code", self.filter.warning_code.as_ref().map(Word::as_str)),
        ] {
            if let Some(value) = value {
                link.push_str(&format!("{name}={value}&"));
            }
        }
        format!("{link}cursor={}#accounts", cursor::encode(next))
    }
}

/// `GET /console/suppliers/<supplier>/`: the state of its migration.
pub(crate) fn show(call: &mut Call) -> Answer<'_> {
    Box::pin(async move { Ok(visited(call, answer).await) })
}

async fn answer(call: &mut Call, visitor: &Visitor) -> Result<HttpResponse, Stop> {
    let (caller, code) = (visitor.caller().clone(), call.parameter(0));
    let asked = Asked::of(call.query());
    let job = move |app: &cutover_app::App| {
        let migration = found(app.as_caller(&caller).migration(&code))?;
        let accounts = app.find_accounts(&caller, &code, &asked.filter, asked.after, PAGE)?;
        let accounts = accounts.ok_or(Refusal::NotFound)?;
        Ok((migration, accounts, asked))
    };
    let (migration, accounts, asked) = call.run(job).await?;
    let code = migration.supplier.code.as_str();
    let zone = migration.supplier.settings.time_zone;
    let row = |account| AccountRow::new(code, account, zone);
    let accounts = Accounts {
        rows: accounts.accounts.into_iter().map(row).collect(),
        statuses: statuses(asked.filter.status),
        is_undone: asked.filter.is_undone,
        error_code: asked.filter.error_code.as_ref().map(Word::to_string).unwrap_or_default(),
        operations: jobs::operations(code, &asked.filter),
        download: failed::download(
            code,
            asked.filter.status,
            asked.filter.error_code.as_ref(),
            asked.filter.warning_code.is_some(),
        ),
        warning_code: asked.filter.warning_code.as_ref().map(Word::to_string).unwrap_or_default(),
        is_filtered: asked.filter.status.is_some()
            || asked.filter.is_undone.is_some()
            || asked.filter.error_code.is_some()
            || asked.filter.warning_code.is_some(),
        is_first: asked.after.is_none(),
        next: accounts.next.map(|next| asked.next(code, next)),
    };
    let shown = Page {
        frame: Frame::of(visitor).in_zone(zone),
        supplier: Shown::of(&migration.supplier, migration.progress.hold.as_ref()),
        overview: (&migration).into(),
        accounts,
    };
    Ok(page(&mut HttpResponse::Ok(), &shown)?)
}
