use super::{Endpoint, Kind};
use crate::answer::json;
use crate::call::{Answer, Call};
use crate::openapi::{self, Operation, Parameter, Response, array_of, examples, json_content, refusals};
use crate::refusal::Refusal;
use crate::request::path::encode;
use crate::request::query::Query;
use actix_web::HttpResponse;
use actix_web::http::Method;
use actix_web::http::header::LINK;
use cutover_app::auth::Caller;
use cutover_app::port::{FeedFilter, FeedPage, FeedPosition};
use cutover_core::{FeedEventType, SupplierCode};
use cutover_model::Event;
use cutover_model::describe::{Json, Schemas};
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// The default size of a page.
const USUAL: u32 = 100;
/// The largest page.
const LARGEST: u32 = 10_000;
/// The longest wait for an event in seconds.
const LONGEST_WAIT: u64 = 30;
/// Pause before the feed is read again for a waiting reader.
const PAUSE: Duration = Duration::from_millis(250);

/// Parameters that select events (contract D19).
const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "after",
        doc: "Only events after this one: the `id` of an event, or what the `Link` of the page before has. Without it \
              the feed begins with the oldest event that is kept.",
        schema: || Json::object().with("type", "string"),
    },
    Parameter {
        name: "import_supplier",
        doc: "Only events about this import supplier.",
        schema: || Json::object().with("type", "string"),
    },
    Parameter {
        name: "type",
        doc: "Only events of these types, separated by commas.",
        schema: || Json::object().with("type", "string"),
    },
    Parameter {
        name: "page_size",
        doc: "Maximum number of events. A page may have fewer, even none, although others follow.",
        schema: || {
            let size = Json::object().with("type", "integer").with("minimum", 1_u32);
            size.with("maximum", LARGEST).with("default", USUAL)
        },
    },
    Parameter {
        name: "wait",
        doc: "Seconds to wait for an event if there is none.",
        schema: || {
            let seconds = Json::object().with("type", "integer").with("minimum", 0_u32);
            seconds.with("maximum", 30_u32).with("default", 0_u32)
        },
    },
];

/// `GET /v2/data-import/events/`: the feed of events of the caller's organisation (contract D19).
pub(crate) const ENDPOINT: Endpoint = Endpoint {
    method: Method::GET,
    template: "/v2/data-import/events/",
    kind: Kind::Api,
    handler: handle,
    operation: Some(Operation {
        id: "readEvents",
        tag: openapi::EVENTS,
        summary: "Reads events of the organisation, in order",
        notes: "A reader that continues from the `Link` of each response, or after the last `id` it has seen, receives \
                every event once and in the same order. Keep the position together with the effects of the events.",
        query: PARAMETERS,
        answers: &[Response {
            status: 200,
            means: "The events after the position. `Link` has the position that the page was read to, also if no event \
                    matched.",
            headers: &["Link"],
            content: json_content(events, &[("usual", examples::events)]),
        }],
        refusals: refusals::of_feed,
        ..Operation::BASE
    }),
};

fn handle(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        let caller = call.caller().await?;
        let asked = Asked::of(call.query())?;
        let page = read(call, caller, &asked).await?;
        let mut response = HttpResponse::Ok();
        let (path, query) = (encode(call.path()), asked.link(page.next));
        response.insert_header((LINK, format!("<{path}?{query}>; rel=\"next\"")));
        Ok(json(&mut response, &page.events.into_iter().map(Event::from).collect::<Vec<_>>()))
    })
}

/// Reads a page, again at intervals while it is empty and the client waits.
async fn read(call: &Call, caller: Caller, asked: &Asked) -> Result<FeedPage, Refusal> {
    let (begun, mut after) = (Instant::now(), asked.after);
    loop {
        let (caller, filter, size) = (caller.clone(), asked.filter.clone(), asked.size);
        let page = call.run_page(move |app| Ok(app.feed_page(&caller, &filter, after, size)?)).await?;
        let is_over = begun.elapsed() >= asked.wait || call.service().is_shutting_down();
        if !page.events.is_empty() || is_over {
            return Ok(page);
        }
        after = Some(page.next);
        if !page.has_more {
            let pause = PAUSE.min(asked.wait - begun.elapsed().min(asked.wait));
            tokio::select! {
                () = sleep(pause) => {}
                // The client goes on from here at another node.
                () = call.service().stopping() => return Ok(page),
            }
        }
    }
}

fn events(schemas: &mut Schemas) -> Json {
    array_of(schemas, &Event::SPEC)
}

/// The parsed query.
struct Asked {
    filter: FeedFilter,
    after: Option<FeedPosition>,
    size: u32,
    wait: Duration,
}

impl Asked {
    fn of(query: &str) -> Result<Self, Refusal> {
        let mut query = Query::new(query);
        let after = query.read("after", FeedPosition::decode);
        let supplier =
            query.read("import_supplier", |text| cutover_core::trimmed(text).parse::<SupplierCode>().ok());
        let types = query.read("type", |text| {
            text.split(',').map(|word| word.trim().parse::<FeedEventType>().ok()).collect::<Option<Vec<_>>>()
        });
        let size = query
            .read("page_size", |text| number(text).filter(|size| (1..=u64::from(LARGEST)).contains(size)));
        let wait = query.read("wait", |text| number(text).filter(|wait| *wait <= LONGEST_WAIT));
        query.finish()?;
        Ok(Self {
            filter: FeedFilter { supplier, types: types.unwrap_or_default() },
            after,
            size: size.and_then(|size| u32::try_from(size).ok()).unwrap_or(USUAL),
            wait: Duration::from_secs(wait.unwrap_or_default()),
        })
    }

    /// Returns the query of the page after this one.
    fn link(&self, next: FeedPosition) -> String {
        let FeedFilter { supplier, types } = &self.filter;
        let supplier = supplier.as_ref().map(|code| format!("import_supplier={}&", encode(code.as_str())));
        let words: Vec<_> = types.iter().map(|of| of.as_str()).collect();
        let types = (!words.is_empty()).then(|| format!("type={}&", words.join(",")));
        let filter: String = [supplier, types].into_iter().flatten().collect();
        let (size, wait) = (self.size, self.wait.as_secs());
        let wait = if wait == 0 { String::new() } else { format!("wait={wait}&") };
        format!("{filter}page_size={size}&{wait}after={}", next.encode())
    }
}

/// Parses a whole number without a sign.
fn number(text: &str) -> Option<u64> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ACCOUNT, Reply, TestService};
    use actix_web::http::header::AUTHORIZATION;
    use actix_web::test::TestRequest;
    use chrono::Duration as Span;
    use cutover_app::operator::SupplierChange;
    use cutover_app::port::ApiKeyRole;
    use cutover_core::SupplierStatus;
    use proptest::prelude::*;

    const PATH: &str = "/v2/data-import/events/";

    /// Account, type and attempt of each event.
    fn words(reply: &Reply) -> Vec<String> {
        assert_eq!(reply.status, 200, "{}", reply.text());
        let events = reply.json();
        let word = |event: &serde_json::Value| {
            let account = event["external_account_number"].as_str().unwrap_or("-");
            format!("{account} {} {}", event["type"].as_str().unwrap(), event["attempt"])
        };
        events.as_array().unwrap().iter().map(word).collect()
    }

    /// Two imported accounts, and a supplier that was paused.
    fn service() -> TestService {
        let service = TestService::new();
        for n in 0..2 {
            service.clock.advance(Span::seconds(1));
            service.create("Acme", &ACCOUNT.replace("UNME-4001", &format!("A-{n}")));
            service.import_pending();
        }
        let status = Some(SupplierStatus::Paused);
        service.set_supplier(SupplierChange { status, ..SupplierChange::default() });
        service
    }

    const ALL: [&str; 5] = [
        "A-0 account_import_process.created 0",
        "A-0 account_import_process.processed 1",
        "A-1 account_import_process.created 0",
        "A-1 account_import_process.processed 1",
        "- import_supplier.paused null",
    ];

    #[actix_web::test]
    async fn events_have_all_members() {
        let reply = service().get(&format!("{PATH}?page_size=2")).await;
        insta::assert_json_snapshot!(reply.json());
    }

    #[actix_web::test]
    async fn links_lead_through_the_feed_and_wait_at_its_end() {
        let service = service();
        let (mut path, mut read) = (format!("{PATH}?page_size=2"), Vec::new());
        for expected in [2, 2, 1, 0, 0] {
            let reply = service.get(&path).await;
            assert_eq!(words(&reply).len(), expected);
            read.extend(words(&reply));
            path = reply.next().unwrap();
        }
        assert_eq!(read, ALL);
        service.set_supplier(SupplierChange {
            status: Some(SupplierStatus::Ongoing),
            ..SupplierChange::default()
        });
        assert_eq!(words(&service.get(&path).await), ["- import_supplier.resumed null"]);
    }

    #[actix_web::test]
    async fn an_id_can_be_continued_from() {
        let service = service();
        let first = service.get(&format!("{PATH}?page_size=2")).await.json();
        let id = first[1]["id"].as_str().unwrap();
        assert_eq!(words(&service.get(&format!("{PATH}?after={id}")).await), ALL[2..]);
    }

    #[actix_web::test]
    async fn filters_are_part_of_the_link() {
        let service = service();
        let types = "account_import_process.processed,import_supplier.paused";
        let path = format!("{PATH}?import_supplier=ACME_ENERGY&type={types}&page_size=1&wait=1");
        let (mut path, mut read) = (path, Vec::new());
        for _ in 0..3 {
            let reply = service.get(&path).await;
            read.extend(words(&reply));
            path = reply.next().unwrap();
            let kept = format!("{PATH}?import_supplier=ACME_ENERGY&type={types}&page_size=1&wait=1&after=");
            assert!(path.starts_with(&kept), "{path}");
        }
        assert_eq!(read, [ALL[1], ALL[3], ALL[4]]);
    }

    #[actix_web::test]
    async fn a_waiting_reader_is_answered_when_there_is_an_event() {
        let service = service();
        let end = service.get(PATH).await.next().unwrap().replace("after=", "wait=30&after=");
        let waiting = service.get(&end);
        let resume = async {
            actix_web::rt::task::yield_now().await;
            let status = Some(SupplierStatus::Ongoing);
            service.set_supplier(SupplierChange { status, ..SupplierChange::default() });
        };
        let (reply, ()) = futures_util::join!(waiting, resume);
        assert_eq!(words(&reply), ["- import_supplier.resumed null"]);
    }

    #[actix_web::test]
    async fn a_wait_without_an_event_ends() {
        let service = service();
        let end = service.get(PATH).await.next().unwrap().replace("after=", "wait=1&after=");
        let reply = service.get(&end).await;
        assert_eq!((words(&reply), reply.next().unwrap()), (Vec::new(), end));
    }

    #[actix_web::test]
    async fn readers_that_missed_events_are_told() {
        let service = service();
        let first = service.get(&format!("{PATH}?page_size=1")).await.next().unwrap();
        let end = service.get(PATH).await.next().unwrap();
        service.clock.advance(Span::days(31));
        service.app.expire_events().unwrap();
        let token = (AUTHORIZATION, format!("Token {}", service.token_of("Acme")));
        let get = |path: &str| service.send(TestRequest::get().uri(path).insert_header(token.clone()));
        assert_eq!(get(&first).await.status, 410);
        assert_eq!(words(&get(&end).await), [""; 0]);
        assert_eq!(words(&get(PATH).await), [""; 0]);
    }

    #[actix_web::test]
    async fn organisations_see_their_own_events() {
        let service = service();
        let other = (AUTHORIZATION, format!("Token {}", service.token_of("Other")));
        let request = TestRequest::get().uri(PATH).insert_header(other);
        assert_eq!(words(&service.send(request).await), [""; 0]);
        let of = |code: &str| format!("{PATH}?import_supplier={code}");
        let (others, nobodys) = (service.get(&of("OTHER")).await, service.get(&of("NOBODY")).await);
        assert_eq!((others.status, others.json()), (400, nobodys.json()));
        assert_eq!(others.json()["errors"][0]["attr"], "import_supplier");
    }

    #[actix_web::test]
    async fn invalid_parameters_are_reported() {
        let service = TestService::new();
        let query = "after=x&import_supplier=%20&type=created,&page_size=0&wait=31";
        let refused = service.get(&format!("{PATH}?{query}")).await.json();
        let attrs = refused["errors"].as_array().unwrap().iter().map(|error| error["attr"].as_str().unwrap());
        assert_eq!(attrs.collect::<Vec<_>>(), ["after", "import_supplier", "type", "page_size", "wait"]);
    }

    #[actix_web::test]
    async fn a_reader_reads_and_sends_nothing() {
        let service = service();
        let token = (AUTHORIZATION, format!("Token {}", service.token_as("Acme", ApiKeyRole::Reader)));
        let read = |path: &str| service.send(TestRequest::get().uri(path).insert_header(token.clone()));
        assert_eq!(words(&read(PATH).await), ALL);
        for path in [
            "/v2/data-import/accounts/ACME_ENERGY/",
            "/v2/data-import/accounts/ACME_ENERGY/A-0/",
            "/v2/data-import/import-suppliers/ACME_ENERGY/progress/",
            "/v1/data-import/all-account-import-processes/ACME_ENERGY/",
        ] {
            assert_eq!(read(path).await.status, 200, "{path}");
        }
        for path in [
            "/v2/data-import/accounts/",
            "/v2/data-import/accounts/validate/",
            "/v1/data-import/notes/create/",
        ] {
            let request = TestRequest::post().uri(path).insert_header(token.clone());
            let refused = service.send(request.set_payload(ACCOUNT)).await;
            assert_eq!(
                (refused.status, &refused.json()["code"]),
                (403, &"permission_denied".into()),
                "{path}"
            );
        }
    }

    proptest! {
        #[test]
        fn a_position_is_decoded_as_it_was_encoded(written_in in 0..i64::MAX, id in 0..i64::MAX) {
            let position = FeedPosition { written_in, id };
            prop_assert_eq!(FeedPosition::decode(&position.encode()), Some(position));
        }

        #[test]
        fn any_text_is_decoded_or_refused(text: String) {
            let _ = FeedPosition::decode(&text);
        }
    }
}
