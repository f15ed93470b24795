use super::account_lists::{cursor, paging};
use super::{Endpoint, Kind};
use crate::answer::json;
use crate::call::{Answer, Call};
use crate::openapi::{self, Operation, Parameter, Response, array_of, examples, json_content, own, refusals};
use crate::refusal::Refusal;
use crate::request::path::encode;
use crate::request::query::Query;
use actix_web::HttpResponse;
use actix_web::http::Method;
use actix_web::http::header::LINK;
use cutover_app::App;
use cutover_app::account::{AccountFilter, AccountStatus};
use cutover_app::auth::Caller;
use cutover_app::port::Position;
use cutover_core::{Code, Level, Word};
use cutover_model::ListedStatus;
use cutover_model::describe::{Json, Schemas};

/// The default size of a page.
const USUAL: u32 = 100;

/// Parameters that filter accounts and select a page (contract D12).
const FILTERS: &[Parameter] = &[
    Parameter { name: "status", doc: "Only accounts with this status.", schema: own::status },
    Parameter {
        name: "error_code",
        doc: "Only failed accounts with an error item of this code, or, if the failure has no items, with this code \
              itself. A newer version may give codes that are not listed here; one that no account of the supplier \
              has is refused.",
        schema: own::code,
    },
    Parameter {
        name: "warning_code",
        doc: "Only accounts with a warning of this code. As for `error_code`, other codes are accepted if an account \
              has them.",
        schema: own::code,
    },
    Parameter {
        name: "modified_after",
        doc: "Only accounts modified after this time. Without an offset it is in the supplier's zone. Steps \
              may be committed in another order than their times: to poll, send the newest `modified_at` seen so \
              far minus one minute, and skip duplicates. There is no index for this filter: a page reads a bounded \
              number of accounts, and may be empty although others follow.",
        schema: || Json::object().with("type", "string").with("format", "date-time"),
    },
    Parameter {
        name: "undone",
        doc: "`true`: only accounts that are CANCELLED because their import was undone. `false`: only others.",
        schema: || Json::object().with("type", "boolean"),
    },
    Parameter {
        name: "page_size",
        doc: "Maximum number of accounts. A page may have fewer, even none, before the last one: continue until a \
              response has no `Link`.",
        schema: || {
            let size = Json::object().with("type", "integer").with("minimum", 1_u32);
            size.with("maximum", 10_000_u32).with("default", 100_u32)
        },
    },
    Parameter {
        name: "cursor",
        doc: "Start of the page, from the `Link` of the page before.",
        schema: || Json::object().with("type", "string"),
    },
];

/// `GET /v2/data-import/accounts/<supplier>/`: the accounts of a supplier with their status, filtered, in
/// pages (contract D12).
pub(crate) const ENDPOINT: Endpoint = Endpoint {
    method: Method::GET,
    template: "/v2/data-import/accounts/<supplier>/",
    kind: Kind::Api,
    handler: handle,
    operation: Some(Operation {
        id: "findAccounts",
        tag: openapi::PROGRESS,
        summary: "Finds accounts of a supplier, with their status",
        notes: "Returns pages, in the order the accounts were first sent.",
        query: FILTERS,
        answers: &[Response {
            status: 200,
            means: "The accounts that match every filter; an empty array if there are none.",
            headers: &["Link"],
            content: json_content(statuses, &[("usual", examples::statuses)]),
        }],
        refusals: refusals::of_search,
        ..Operation::BASE
    }),
};

fn handle(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        let caller = call.caller().await?;
        let supplier = call.parameter(0);
        let undocumented = undocumented(call.query());
        let known = if undocumented.is_empty() {
            Vec::new()
        } else {
            let (caller, supplier) = (caller.clone(), supplier.clone());
            call.run(move |app| known(app, &caller, &supplier, undocumented)).await?
        };
        let Asked { filter, after, size } = Asked::of(call.query(), &known)?;
        let words = words(&filter);
        let find =
            move |app: &cutover_app::App| Ok(app.find_accounts(&caller, &supplier, &filter, after, size)?);
        let found = call.run_page(find).await?.ok_or(Refusal::NotFound)?;
        let mut response = HttpResponse::Ok();
        if let Some(next) = found.next {
            let (path, cursor) = (encode(call.path()), cursor::encode(next));
            response.insert_header((
                LINK,
                format!("<{path}?{words}page_size={size}&cursor={cursor}>; rel=\"next\""),
            ));
        }
        let shown = |AccountStatus { number, status, waits_for, .. }| ListedStatus {
            external_account_number: number,
            status,
            waits_for,
        };
        Ok(json(&mut response, &found.accounts.into_iter().map(shown).collect::<Vec<_>>()))
    })
}

fn statuses(schemas: &mut Schemas) -> Json {
    array_of(schemas, &ListedStatus::SPEC)
}

/// The parameters that are codes, with the issues that they select.
const CODES: [(&str, Level); 2] = [("error_code", Level::Error), ("warning_code", Level::Warning)];

/// A code of errors or warnings.
type CodeOf = (Level, String);

/// Returns true if a newer version may have a code like this.
fn is_word(text: &str) -> bool {
    (1..=100).contains(&text.len()) && text.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'_'))
}

/// Returns the codes in a query that are not documented.
fn undocumented(query: &str) -> Vec<CodeOf> {
    let mut query = Query::new(query);
    let code = |(name, level)| {
        let code = query.read(name, |text| is_word(text).then(|| text.to_owned()))?;
        code.parse::<Code>().is_err().then_some((level, code))
    };
    CODES.into_iter().filter_map(code).collect()
}

/// Returns those of the codes that accounts of the supplier have.
fn known(app: &App, caller: &Caller, supplier: &str, codes: Vec<CodeOf>) -> Result<Vec<CodeOf>, Refusal> {
    let mut known = Vec::new();
    for (level, code) in codes {
        if app.is_cause(caller, supplier, level, &code)? {
            known.push((level, code));
        }
    }
    Ok(known)
}

/// The parsed query.
struct Asked {
    filter: AccountFilter,
    after: Option<Position>,
    size: u32,
}

impl Asked {
    /// Parses a query. Of codes that are not documented only the known ones are accepted.
    fn of(query: &str, known: &[CodeOf]) -> Result<Self, Refusal> {
        let mut query = Query::new(query);
        let status = query.read("status", |text| text.parse().ok());
        let [error_code, warning_code] = CODES.map(|(name, level)| {
            query.read(name, |text| {
                let is_known = || known.iter().any(|(of, code)| *of == level && code == text);
                let code = Word::<Code>::read(text);
                (code.known().is_some() || is_known()).then_some(code)
            })
        });
        let filter = AccountFilter {
            status,
            error_code,
            warning_code,
            modified_after: query.read("modified_after", |text| text.parse().ok()),
            is_undone: query.read("undone", |text| text.parse().ok()),
        };
        let (after, size) = paging::read(&mut query);
        query.finish()?;
        Ok(Self { filter, after, size: size.unwrap_or(USUAL) })
    }
}

/// Parses a query and writes it as the query of a link (feature `fuzzing`).
///
/// # Errors
/// [`Refusal::Parameters`].
#[cfg(feature = "fuzzing")]
pub(crate) fn same_query(query: &str) -> Result<String, Refusal> {
    let Asked { filter, after, size } = Asked::of(query, &[])?;
    let cursor = after.map(|after| format!("&cursor={}", cursor::encode(after)));
    Ok(format!("{}page_size={size}{}", words(&filter), cursor.unwrap_or_default()))
}

/// Returns the filter as the beginning of a query.
fn words(filter: &AccountFilter) -> String {
    let AccountFilter { status, error_code, warning_code, modified_after, is_undone } = filter;
    let status = status.map(|status| format!("status={}&", status.as_str()));
    let code =
        |name, code: &Option<Word<Code>>| code.as_ref().map(|code| format!("{name}={}&", code.as_str()));
    let (error, warning) = (code("error_code", error_code), code("warning_code", warning_code));
    let after = modified_after.as_ref().map(|at| format!("modified_after={}&", plain(at.as_sent())));
    let undone = is_undone.map(|is_undone| format!("undone={is_undone}&"));
    [status, error, warning, after, undone].into_iter().flatten().collect()
}

/// A datetime has no other characters with a meaning in a query.
fn plain(datetime: &str) -> String {
    datetime.replace('+', "%2B").replace(' ', "%20")
}

#[cfg(test)]
mod tests {
    use crate::config::Config;
    use crate::testing::{ACCOUNT, Reply, TestService};
    use actix_web::http::header::AUTHORIZATION;
    use actix_web::test::TestRequest;
    use chrono::Duration;
    use cutover_app::operator::{JobOwner, SupplierChange, UndoRequest, UndoScope};
    use cutover_app::port::{Store, StoreError, Tx, WriteJob};
    use cutover_core::Level;
    use cutover_testkit::memory::MemoryStore;
    use futures_util::future::{Either, join_all, select};
    use std::pin::pin;
    use std::sync::{Arc, Condvar, Mutex};

    const PATH: &str = "/v2/data-import/accounts/ACME_ENERGY/";

    fn numbers(reply: &Reply) -> Vec<String> {
        assert_eq!(reply.status, 200, "{}", reply.text());
        let items = reply.json();
        let number = |item: &serde_json::Value| item["external_account_number"].as_str().unwrap().to_owned();
        items.as_array().unwrap().iter().map(number).collect()
    }

    /// Accounts 0 to 4; account 1 failed.
    fn service() -> TestService {
        let service = TestService::new();
        let require_customers = |level| {
            let rules = [("ACC-04".to_owned(), level)].into();
            service.set_supplier(SupplierChange { rules, ..SupplierChange::default() });
        };
        for n in 0..5 {
            service.clock.advance(Duration::seconds(1));
            let mut account: serde_json::Value = serde_json::from_str(ACCOUNT).unwrap();
            account["external_account_number"] = format!("A-{n}").into();
            account["customers"] = serde_json::json!([]);
            service.create("Acme", &account.to_string());
            require_customers((n == 1).then_some(Level::Error));
            service.import_pending();
            require_customers(None);
        }
        service
    }

    #[actix_web::test]
    async fn each_item_is_a_status_with_its_number() {
        let service = service();
        insta::assert_json_snapshot!(service.get(&format!("{PATH}?page_size=2")).await.json());
    }

    #[actix_web::test]
    async fn filters_are_combined() {
        let service = service();
        let first = service.get(&format!("{PATH}?page_size=1")).await.json();
        let modified = first[0]["modified_at"].as_str().unwrap().replace('+', "%2B");
        for (query, expected) in [
            ("", &["A-0", "A-1", "A-2", "A-3", "A-4"][..]),
            ("status=PROCESSED", &["A-0", "A-2", "A-3", "A-4"]),
            ("status=ERRORED", &["A-1"]),
            ("status=CANCELLED", &[]),
            ("error_code=account_without_customers", &["A-1"]),
            ("error_code=account_without_customers&status=PROCESSED", &[]),
            ("error_code=import_process_failed_validation", &[]),
            ("warning_code=account_without_customers", &["A-0", "A-2", "A-3", "A-4"]),
            ("warning_code=account_without_customers&error_code=account_without_customers", &[]),
            (&format!("modified_after={modified}"), &["A-1", "A-2", "A-3", "A-4"]),
            (&format!("modified_after={modified}&status=PROCESSED&page_size=2"), &["A-2", "A-3"]),
            ("modified_after=2999-01-01T00:00:00", &[]),
            // In the supplier's zone the first day of all began in the year before.
            ("modified_after=0001-01-01T00:00:00&status=ERRORED", &["A-1"]),
            ("modified_after=9999-12-31T23:59:59", &[]),
            ("undone=true", &[]),
            ("undone=false&status=ERRORED", &["A-1"]),
        ] {
            assert_eq!(numbers(&service.get(&format!("{PATH}?{query}")).await), expected, "{query}");
        }
    }

    #[actix_web::test]
    async fn undone_accounts_are_told_from_cancelled_ones() {
        let service = service();
        service.create("Acme", &ACCOUNT.replace("UNME-4001", "B-1"));
        service.app.as_command().cancel_process("ACME_ENERGY", "B-1").unwrap();
        service.clock.advance(Duration::seconds(1));
        let which = UndoScope::Numbers(["A-0", "A-3"].map(str::to_owned).to_vec());
        let undo = UndoRequest { supplier: "ACME_ENERGY".into(), which };
        let by = service.app.as_command();
        let begun = by.begin_undo(&undo, "wrong tariffs", JobOwner::Caller).unwrap();
        by.run_job(&begun.name, Some(begun.claim), |_| {}).unwrap();
        for (query, expected) in [
            ("status=CANCELLED", &["A-0", "A-3", "B-1"][..]),
            ("status=CANCELLED&undone=true", &["A-0", "A-3"]),
            ("undone=true", &["A-0", "A-3"]),
            ("status=CANCELLED&undone=false", &["B-1"]),
            ("undone=false", &["A-1", "A-2", "A-4", "B-1"]),
        ] {
            assert_eq!(numbers(&service.get(&format!("{PATH}?{query}")).await), expected, "{query}");
        }
        let pages = service.pages(&format!("{PATH}?undone=true&page_size=1")).await;
        assert_eq!(pages.iter().map(numbers).collect::<Vec<_>>().concat(), ["A-0", "A-3"]);
        let progress = service.get("/v2/data-import/import-suppliers/ACME_ENERGY/progress/").await.json();
        assert_eq!((&progress["counts"]["CANCELLED"], &progress["undone"]), (&3.into(), &2.into()));
    }

    #[actix_web::test]
    async fn pages_lead_to_the_next_with_their_filters() {
        let service = service();
        let path = format!("{PATH}?status=PROCESSED&modified_after=2020-01-01T00:00:00%2B01:00&page_size=3");
        let pages = service.pages(&path).await;
        assert_eq!(pages.iter().map(numbers).collect::<Vec<_>>(), [vec!["A-0", "A-2", "A-3"], vec!["A-4"]]);
    }

    /// A page can read more rows than match.
    #[actix_web::test]
    async fn an_empty_page_leads_to_the_next() {
        let service = TestService::new();
        let caller = service.caller("Acme");
        let accounts = (0..1_001).map(|n| ACCOUNT.replace("UNME-4001", &format!("N-{n}")));
        accounts.for_each(|account| service.create_as(&caller, &account));
        let first = service.get(&format!("{PATH}?modified_after=9000-01-01T00:00:00Z&page_size=5")).await;
        assert_eq!(numbers(&first), [""; 0]);
        let next = first.next().unwrap();
        assert!(
            next.starts_with(&format!("{PATH}?modified_after=9000-01-01T00:00:00Z&page_size=5&cursor=")),
            "{next}"
        );
        let last = service.get(&next).await;
        assert_eq!((numbers(&last), last.next()), (vec![], None));
    }

    /// A store whose lists block until they are released.
    struct Stalled {
        store: Arc<MemoryStore>,
        /// Number of lists being read, and whether they are released.
        lists: Mutex<(usize, bool)>,
        changed: Condvar,
    }

    impl Store for Stalled {
        fn read(&self, job: &mut dyn FnMut(&mut dyn Tx) -> Result<(), StoreError>) -> Result<(), StoreError> {
            self.store.read(job)
        }

        fn read_stale(
            &self,
            job: &mut dyn FnMut(&mut dyn Tx) -> Result<(), StoreError>,
        ) -> Result<(), StoreError> {
            let mut lists = self.lists.lock().unwrap();
            lists.0 += 1;
            self.changed.notify_all();
            drop(self.changed.wait_while(lists, |(_, may_end)| !*may_end).unwrap());
            self.store.read(job)
        }

        fn write(&self, job: WriteJob) -> Result<(), StoreError> {
            self.store.write(job)
        }

        fn ping(&self) -> Result<(), StoreError> {
            self.store.ping()
        }

        fn connection_limit(&self) -> Option<u32> {
            Some(16)
        }
    }

    /// Failure 17: endless reads of one organisation leave slots and connections to the others.
    #[actix_web::test]
    async fn slow_lists_of_one_organisation_hold_up_no_other() {
        let mut stalled = None;
        let service = TestService::over(Config { rate_limit: 0, workers: 8, ..Config::default() }, |store| {
            let (lists, changed) = (Mutex::default(), Condvar::new());
            stalled.insert(Arc::new(Stalled { store, lists, changed })).clone()
        });
        let store = stalled.unwrap();
        let lists = join_all((0..64).map(|_| service.get(PATH)));
        let other = (AUTHORIZATION, format!("Token {}", service.token_of("Other")));
        let body = ACCOUNT.replace("ACME_ENERGY", "OTHER");
        let create = async {
            let held = store.clone();
            let wait =
                move || drop(held.changed.wait_while(held.lists.lock().unwrap(), |l| l.0 < 4).unwrap());
            actix_web::rt::task::spawn_blocking(wait).await.unwrap();
            let request = TestRequest::post().uri("/v2/data-import/accounts/").insert_header(other);
            let created = service.send(request.set_payload(body)).await;
            let read = std::mem::replace(&mut *store.lists.lock().unwrap(), (0, true)).0;
            store.changed.notify_all();
            (created.line(), read)
        };
        let (created, read) = match select(pin!(create), pin!(lists)).await {
            Either::Left((created, lists)) => {
                lists.await;
                created
            }
            Either::Right(_) => panic!("the lists have ended"),
        };
        assert_eq!(created, "201 {}");
        assert_eq!(read, 4, "half of the processors are others'");
    }

    #[actix_web::test]
    async fn invalid_parameters_are_reported() {
        let service = TestService::new();
        let query = "status=DONE&error_code=x&modified_after=yesterday&undone=perhaps&page_size=0&cursor=!";
        let refused = service.get(&format!("{PATH}?{query}")).await.json();
        let attrs = refused["errors"].as_array().unwrap().iter().map(|error| error["attr"].as_str().unwrap());
        assert_eq!(
            attrs.collect::<Vec<_>>(),
            ["status", "error_code", "modified_after", "undone", "cursor", "page_size"]
        );
        for path in ["/v2/data-import/accounts/OTHER/", "/v2/data-import/accounts/NOBODY/"] {
            assert_eq!(service.get(path).await.status, 404, "{path}");
        }
        assert_eq!(numbers(&service.get(PATH).await), [""; 0]);
    }
}
