use super::{Endpoint, Kind, pages};
use crate::answer::json;
use crate::call::{Answer, Call};
use crate::openapi::{self, Operation, Parameter, Response, array_of, examples, json_content, refusals};
use crate::refusal::Refusal;
use crate::request::path::encode as encode_path;
use crate::request::query::Query;
use actix_web::HttpResponse;
use actix_web::http::Method;
use cutover_app::App;
use cutover_core::ExternalAccountNumber;
use cutover_model::RefusedCreateShown;
use cutover_model::describe::{Json, Schemas};

/// `GET /v2/data-import/import-suppliers/<supplier>/refused/`: refused creates, in pages (contract D13).
pub(crate) const ENDPOINT: Endpoint = Endpoint {
    method: Method::GET,
    template: "/v2/data-import/import-suppliers/<supplier>/refused/",
    kind: Kind::Api,
    handler: handle,
    operation: Some(Operation {
        id: "listRefusedCreates",
        tag: openapi::PROGRESS,
        summary: "Lists accounts whose create was refused, and which were not accepted since",
        notes: "Returns pages, by number. Nothing is kept of a refused payload but its number, and the codes and paths \
                of its faults. Another server's refusals appear within seconds.",
        query: &[NUMBER, pages::SIZE, pages::CURSOR],
        answers: &[Response {
            status: 200,
            means: "The last refused create of each account; an empty array if there are none.",
            headers: &["Link"],
            content: json_content(all, &[("usual", examples::refused)]),
        }],
        refusals: refusals::of_list,
        ..Operation::BASE
    }),
};

const NUMBER: Parameter = Parameter {
    name: "external_account_number",
    doc: "Only this account.",
    schema: || {
        Json::object().with("type", "string").with("minLength", 1_u32).with("maxLength", MAX_CHARACTERS)
    },
};

/// Maximum length of the number of an account.
const MAX_CHARACTERS: u32 = 128;

fn all(schemas: &mut Schemas) -> Json {
    array_of(schemas, &RefusedCreateShown::SPEC)
}

fn handle(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        let caller = call.caller().await?;
        let supplier = call.parameter(0);
        let mut query = Query::new(call.query());
        let has_length = |text: &str| (1..=MAX_CHARACTERS as usize).contains(&text.chars().count());
        let only = query.read(NUMBER.name, |text| has_length(text).then(|| text.to_owned()));
        let (after, size) = pages::position(&mut query, number);
        query.finish()?;
        if let Some(only) = only {
            let find = move |app: &App| match only.parse() {
                Ok(number) => app.refused_create(&caller, &supplier, &number),
                // No account has such a number.
                Err(_) => Ok(app.refused_creates(&caller, &supplier, "", 0)?.map(|_| Vec::new())),
            };
            let found = call.run(move |app| Ok(find(app)?)).await?;
            return Ok(json(&mut HttpResponse::Ok(), &found.ok_or(Refusal::NotFound)?));
        }
        let after = after.unwrap_or_default();
        let found =
            call.run_page(move |app| Ok(app.refused_creates(&caller, &supplier, &after, size)?)).await?;
        let (page, has_more) = found.ok_or(Refusal::NotFound)?;
        let mut response = HttpResponse::Ok();
        if let Some(last) = page.last().filter(|_| has_more) {
            response.insert_header(pages::next(
                &encode_path(call.path()),
                size,
                &last.external_account_number,
            ));
        }
        Ok(json(&mut response, &page))
    })
}

fn number(key: Vec<u8>) -> Option<String> {
    let number = String::from_utf8(key).ok()?;
    number.parse::<ExternalAccountNumber>().ok().map(|_| number)
}

#[cfg(test)]
mod tests {
    use crate::testing::{ACCOUNT, Reply, TestService};
    use actix_web::http::header::CONTENT_TYPE;
    use actix_web::test::TestRequest;
    use serde_json::{Value, json};

    const CREATE: &str = "/v2/data-import/accounts/";
    const REFUSED: &str = "/v2/data-import/import-suppliers/ACME_ENERGY/refused/";
    const PROGRESS: &str = "/v2/data-import/import-suppliers/ACME_ENERGY/progress/";

    fn account(number: &str) -> Value {
        let mut account: Value = serde_json::from_str(ACCOUNT).unwrap();
        account["external_account_number"] = number.into();
        account
    }

    /// A faulty account, with an undocumented member.
    fn faulty(number: &str) -> Value {
        let mut account = account(number);
        account["CANARY"] = "CANARY".into();
        account["customers"][0]["mobile"] = "CANARY".into();
        account["customers"][0]["CANARY"] = 1.into();
        account
    }

    async fn send(service: &TestService, account: &Value, status: u16) {
        let reply = service.post(CREATE, account.to_string()).await;
        assert_eq!(reply.status, status, "{}", reply.text());
    }

    async fn refused(service: &TestService) -> Value {
        service.get(PROGRESS).await.json()["refused"].clone()
    }

    fn nothing(without_number: u64) -> Value {
        let none = json!({"kinds": 0, "count": 0});
        json!({"accounts": 0, "without_number": without_number, "top_errors": [], "other_errors": none})
    }

    #[actix_web::test]
    async fn faults_that_are_not_listed_are_counted() {
        let service = TestService::new();
        for number in ["A-1", "A-2"] {
            let mut many = account(number);
            for name in ["email", "mobile", "landline", "title", "given_name", "family_name", "date_of_birth"]
            {
                many["customers"][0][name] = json!([]);
            }
            for name in ["billing_name", "billing_postcode", "date_of_sale", "notes", "events"] {
                many[name] = json!(7);
            }
            send(&service, &many, 400).await;
        }
        let refused = refused(&service).await;
        let others = refused["other_errors"]["kinds"].as_u64().unwrap();
        assert_eq!(refused["top_errors"].as_array().unwrap().len(), 10);
        assert!(others > 0 && refused["other_errors"]["count"] == others * 2, "{refused}");
    }

    #[actix_web::test]
    async fn refused_creates_are_counted_until_they_are_accepted() {
        let service = TestService::new();
        assert_eq!(refused(&service).await, nothing(0));
        for number in ["A-1", " A-2 ", "A-1"] {
            send(&service, &faulty(number), 400).await;
        }
        let mut nameless = faulty("A-3");
        nameless["external_account_number"] = Value::Null;
        send(&service, &nameless, 400).await;
        // This payload has no number.
        let mut unknown = faulty("A-4");
        unknown["import_supplier"] = "NOBODY".into();
        send(&service, &unknown, 400).await;
        // To validate is not to create.
        service.post("/v2/data-import/accounts/validate/", faulty("A-5").to_string()).await;
        insta::assert_json_snapshot!([refused(&service).await, service.get(REFUSED).await.json()]);
        let text = service.get(REFUSED).await.text().to_owned();
        assert!(!text.contains("CANARY"), "{text}");
        send(&service, &account("A-1"), 201).await;
        let left = service.get(REFUSED).await.json();
        assert_eq!(left.as_array().unwrap().len(), 1, "{left}");
        assert_eq!(left[0]["external_account_number"], "A-2");
        assert_eq!(refused(&service).await["accounts"], 1);
        // A faulty replacement of what waits is refused as well, until a correct one is accepted.
        send(&service, &faulty("A-1"), 400).await;
        assert_eq!(refused(&service).await["accounts"], 2);
        send(&service, &account("A-1"), 201).await;
        send(&service, &account("A-2"), 201).await;
        assert_eq!(refused(&service).await, nothing(1));
        assert_eq!(service.get(REFUSED).await.line(), "200 []");
    }

    #[actix_web::test]
    async fn lines_of_bulk_are_counted_unless_they_are_validated_only() {
        let service = TestService::new();
        let lines = |from: u32| -> String {
            (from..from + 3).map(|n| format!("{}\n", faulty(&format!("A-{n}")))).collect()
        };
        for (query, expected) in [("?validate_only=true", 0), ("", 3)] {
            let request = TestRequest::post().uri(&format!("{CREATE}bulk/{query}"));
            let request = request.insert_header((CONTENT_TYPE, "application/x-ndjson"));
            let reply = service.send_as_acme(request.set_payload(lines(expected))).await;
            assert_eq!(reply.status, 200, "{}", reply.text());
            assert_eq!(refused(&service).await["accounts"], expected);
        }
    }

    #[actix_web::test]
    async fn pages_lead_to_the_next() {
        let service = TestService::new();
        for n in 0..5 {
            send(&service, &faulty(&format!("A/{n} é")), 400).await;
        }
        let pages = service.pages(&format!("{REFUSED}?page_size=2")).await;
        assert_eq!(pages.iter().map(Reply::count).collect::<Vec<_>>(), [2, 2, 1]);
        for path in ["?cursor=!", "?page_size=0"] {
            assert_eq!(service.get(&format!("{REFUSED}{path}")).await.status, 400, "{path}");
        }
        assert_eq!(service.get(&REFUSED.replace("ACME_ENERGY", "OTHER")).await.status, 404);
    }

    #[actix_web::test]
    async fn one_account_is_found_by_its_number() {
        let service = TestService::new();
        for number in ["A/1 é", "A-2"] {
            send(&service, &faulty(number), 400).await;
        }
        let one = |number: &str| format!("{REFUSED}?external_account_number={number}");
        let found = service.get(&one("A%2F1+%C3%A9")).await.json();
        assert_eq!(found.as_array().unwrap().len(), 1, "{found}");
        assert_eq!(found[0]["external_account_number"], "A/1 é");
        assert_eq!(service.get(&one("A-3")).await.line(), "200 []");
        assert_eq!(service.get(&one("%00")).await.line(), "200 []", "no number of an account");
        for text in ["".to_owned(), "A".repeat(129)] {
            assert_eq!(service.get(&one(&text)).await.status, 400, "{text}");
        }
        assert_eq!(service.get(&one("%00").replace("ACME_ENERGY", "OTHER")).await.status, 404);
        assert_eq!(service.get(&one("A-2").replace("ACME_ENERGY", "OTHER")).await.status, 404);
    }

    #[actix_web::test]
    async fn an_outage_of_the_database_loses_no_refusal() {
        let service = TestService::new();
        send(&service, &faulty("A-1"), 400).await;
        service.set_store_down(true);
        assert!(service.app.record_refused().is_err());
        service.set_store_down(false);
        assert_eq!(refused(&service).await["accounts"], 1);
    }
}
