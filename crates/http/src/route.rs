use crate::call::Handler;
use crate::console;
use crate::endpoint::{
    account_lists, account_status, bulk, create_account, create_business,
    create_business_payment_instruction, create_historical_statements, create_notes,
    create_payment_instruction, create_transactions, find_accounts, graphql, healthz, metrics, openapi,
    progress, readyz, transfer_status, validate_account,
};
use crate::path::{decode, segments};
use crate::refusal::Refusal;
use actix_web::http::Method;

/// Which listener serves a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The service itself.
    Api,
    /// What describes the API, for programs and for people.
    Description,
    /// Pages for the operator: no part of the API, and not described with it.
    Console,
    /// Whether it is alive and well.
    Health,
    /// What it has done.
    Metrics,
}

/// A row of the table of routes.
struct Route {
    /// The path; `<…>` stands for one segment. Also what logs and metrics know the route by.
    template: &'static str,
    kind: Kind,
    /// What a refused method is answered with.
    allow: &'static str,
    /// By method. GET serves HEAD as well: the server below leaves out the body.
    endpoints: &'static [(Method, Handler)],
}

/// How many routes of a kind take what changes something.
#[cfg(test)]
pub(crate) fn posts(kind: Kind) -> usize {
    let takes_post = |route: &&Route| route.endpoints.iter().any(|(method, _)| *method == Method::POST);
    ROUTES.iter().filter(|route| route.kind == kind).filter(takes_post).count()
}

/// Every route; of two that match, the first one counts.
const ROUTES: &[Route] = &[
    Route {
        template: "/v2/data-import/accounts/validate/",
        kind: Kind::Api,
        allow: "POST",
        endpoints: &[(Method::POST, validate_account::handle)],
    },
    Route {
        template: "/v2/data-import/accounts/",
        kind: Kind::Api,
        allow: "POST",
        endpoints: &[(Method::POST, create_account::handle)],
    },
    Route {
        template: "/v2/data-import/accounts/bulk/",
        kind: Kind::Api,
        allow: "POST",
        endpoints: &[(Method::POST, bulk::handle)],
    },
    Route {
        template: "/v2/data-import/accounts/<supplier>/",
        kind: Kind::Api,
        allow: "GET, HEAD",
        endpoints: &[(Method::GET, find_accounts::handle)],
    },
    Route {
        template: "/v2/data-import/accounts/<supplier>/<number>/",
        kind: Kind::Api,
        allow: "GET, HEAD",
        endpoints: &[(Method::GET, account_status::handle)],
    },
    Route {
        template: "/v2/data-import/import-suppliers/<supplier>/progress/",
        kind: Kind::Api,
        allow: "GET, HEAD",
        endpoints: &[(Method::GET, progress::handle)],
    },
    Route {
        template: "/v1/data-import/notes/create/",
        kind: Kind::Api,
        allow: "POST",
        endpoints: &[(Method::POST, create_notes::handle)],
    },
    Route {
        template: "/v1/data-import/transactions/create/",
        kind: Kind::Api,
        allow: "POST",
        endpoints: &[(Method::POST, create_transactions::handle)],
    },
    Route {
        template: "/v1/data-import/historical-statements/create/",
        kind: Kind::Api,
        allow: "POST",
        endpoints: &[(Method::POST, create_historical_statements::handle)],
    },
    Route {
        template: "/v1/data-import/payment-instruction/create/",
        kind: Kind::Api,
        allow: "POST",
        endpoints: &[(Method::POST, create_payment_instruction::handle)],
    },
    Route {
        template: "/v1/data-import/account-transfer-status/<supplier>/<number>/",
        kind: Kind::Api,
        allow: "GET, HEAD",
        endpoints: &[(Method::GET, transfer_status::handle)],
    },
    Route {
        template: "/v1/data-import/all-account-import-processes/<supplier>/",
        kind: Kind::Api,
        allow: "GET, HEAD",
        endpoints: &[(Method::GET, account_lists::all)],
    },
    Route {
        template: "/v1/data-import/pending-account-import-processes/<supplier>/",
        kind: Kind::Api,
        allow: "GET, HEAD",
        endpoints: &[(Method::GET, account_lists::pending)],
    },
    Route {
        template: "/v1/data-import/imported-account-import-processes/<supplier>/",
        kind: Kind::Api,
        allow: "GET, HEAD",
        endpoints: &[(Method::GET, account_lists::imported)],
    },
    Route {
        template: "/v1/data-import/business/",
        kind: Kind::Api,
        allow: "POST",
        endpoints: &[(Method::POST, create_business::handle)],
    },
    Route {
        template: "/v1/data-import/business-payment-instruction/create/",
        kind: Kind::Api,
        allow: "POST",
        endpoints: &[(Method::POST, create_business_payment_instruction::handle)],
    },
    Route {
        template: "/v1/graphql/",
        kind: Kind::Api,
        allow: "POST",
        endpoints: &[(Method::POST, graphql::handle), (Method::GET, graphql::refuse_get)],
    },
    Route {
        template: "/openapi.json",
        kind: Kind::Description,
        allow: "GET, HEAD",
        endpoints: &[(Method::GET, openapi::handle)],
    },
    Route {
        template: "/docs/",
        kind: Kind::Description,
        allow: "GET, HEAD",
        endpoints: &[(Method::GET, openapi::read)],
    },
    Route {
        template: "/console/",
        kind: Kind::Console,
        allow: "GET, HEAD",
        endpoints: &[(Method::GET, console::suppliers)],
    },
    Route {
        template: "/console/assets/<file>/",
        kind: Kind::Console,
        allow: "GET, HEAD",
        endpoints: &[(Method::GET, console::asset)],
    },
    Route {
        template: "/console/sign-in/",
        kind: Kind::Console,
        allow: "GET, HEAD, POST",
        endpoints: &[(Method::GET, console::ask_for_key), (Method::POST, console::sign_in)],
    },
    Route {
        template: "/console/sign-out/",
        kind: Kind::Console,
        allow: "POST",
        endpoints: &[(Method::POST, console::sign_out)],
    },
    Route {
        template: "/console/search/",
        kind: Kind::Console,
        allow: "GET, HEAD",
        endpoints: &[(Method::GET, console::search)],
    },
    Route {
        template: "/console/suppliers/<supplier>/",
        kind: Kind::Console,
        allow: "GET, HEAD",
        endpoints: &[(Method::GET, console::supplier)],
    },
    Route {
        template: "/console/suppliers/<supplier>/pause/",
        kind: Kind::Console,
        allow: "GET, HEAD, POST",
        endpoints: &[(Method::GET, console::ask_pause), (Method::POST, console::pause)],
    },
    Route {
        template: "/console/suppliers/<supplier>/resume/",
        kind: Kind::Console,
        allow: "GET, HEAD, POST",
        endpoints: &[(Method::GET, console::ask_resume), (Method::POST, console::resume)],
    },
    Route {
        template: "/console/suppliers/<supplier>/accounts/<number>/",
        kind: Kind::Console,
        allow: "GET, HEAD",
        endpoints: &[(Method::GET, console::account)],
    },
    Route {
        template: "/console/suppliers/<supplier>/accounts/<number>/reveal/",
        kind: Kind::Console,
        allow: "GET, HEAD, POST",
        endpoints: &[(Method::GET, console::hide), (Method::POST, console::reveal)],
    },
    Route {
        template: "/console/suppliers/<supplier>/accounts/<number>/cancel/",
        kind: Kind::Console,
        allow: "GET, HEAD, POST",
        endpoints: &[(Method::GET, console::ask_cancel), (Method::POST, console::cancel)],
    },
    Route {
        template: "/console/suppliers/<supplier>/accounts/<number>/retry/",
        kind: Kind::Console,
        allow: "GET, HEAD, POST",
        endpoints: &[(Method::GET, console::ask_retry), (Method::POST, console::retry)],
    },
    Route {
        template: "/healthz",
        kind: Kind::Health,
        allow: "GET, HEAD",
        endpoints: &[(Method::GET, healthz::handle)],
    },
    Route {
        template: "/readyz",
        kind: Kind::Health,
        allow: "GET, HEAD",
        endpoints: &[(Method::GET, readyz::handle)],
    },
    Route {
        template: "/metrics",
        kind: Kind::Metrics,
        allow: "GET, HEAD",
        endpoints: &[(Method::GET, metrics::handle)],
    },
];

/// What the table says of a request.
pub(crate) struct Found {
    /// The template of the route, or a word for none.
    pub(crate) template: &'static str,
    /// Whether machines ask this all the time.
    pub(crate) is_probe: bool,
    /// The handler and the decoded parameters of the path; or 404, or 405.
    pub(crate) endpoint: Result<(Handler, Vec<String>), Refusal>,
}

/// Looks up the raw path and the method among the routes of the kinds that are served.
pub(crate) fn find(path: &str, method: &Method, serves: impl Fn(Kind) -> bool) -> Found {
    let candidates = ROUTES.iter().filter(|route| serves(route.kind));
    match candidates.into_iter().find_map(|route| Some((route, route.parameters(path)?))) {
        Some((route, parameters)) => Found {
            template: route.template,
            is_probe: matches!(route.kind, Kind::Health | Kind::Metrics),
            endpoint: route.handler(method).map(|handler| (handler, parameters)),
        },
        None => Found { template: "none", is_probe: false, endpoint: Err(Refusal::NotFound) },
    }
}

/// Every route but the console's, which is for people and may change at any time: its template and what it
/// allows.
#[cfg(test)]
pub(crate) fn allowed() -> impl Iterator<Item = (&'static str, &'static str)> {
    ROUTES.iter().filter(|route| route.kind != Kind::Console).map(|route| (route.template, route.allow))
}

/// Every route of the console: its template and the methods that it serves.
#[cfg(test)]
pub(crate) fn of_console() -> impl Iterator<Item = (&'static str, &'static [(Method, Handler)])> {
    ROUTES.iter().filter(|route| route.kind == Kind::Console).map(|route| (route.template, route.endpoints))
}

impl Route {
    /// The decoded parameters of a path that this route matches.
    fn parameters(&self, path: &str) -> Option<Vec<String>> {
        let mut parameters = Vec::new();
        let mut given = segments(path);
        for expected in segments(self.template) {
            let segment = decode(given.next()?)?;
            if expected.starts_with('<') {
                // Nothing is named so.
                if segment.is_empty() {
                    return None;
                }
                parameters.push(segment.into_owned());
            } else if segment != expected {
                return None;
            }
        }
        given.next().is_none().then_some(parameters)
    }

    fn handler(&self, method: &Method) -> Result<Handler, Refusal> {
        let method = if method == Method::HEAD { &Method::GET } else { method };
        let endpoint = self.endpoints.iter().find(|(served, _)| served == method);
        endpoint.map(|(_, handler)| *handler).ok_or(Refusal::MethodNotAllowed(self.allow))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::House;
    use actix_web::http::header::CONTENT_TYPE;
    use actix_web::test::TestRequest;

    fn found(method: Method, path: &str) -> String {
        let found = find(path, &method, |_| true);
        match found.endpoint {
            Ok((_, parameters)) => format!("{} {parameters:?}", found.template),
            Err(refusal) => format!("{} {refusal:?}", found.template),
        }
    }

    #[test]
    fn with_and_without_the_last_slash() {
        let accounts = "/v2/data-import/accounts/";
        for path in ["/v2/data-import/accounts/", "/v2/data-import/accounts", "/v2/data%2Dimport/accounts"] {
            assert_eq!(found(Method::POST, path), format!("{accounts} []"));
        }
        for path in ["/healthz", "/healthz/"] {
            assert_eq!(found(Method::HEAD, path), "/healthz []");
        }
        for path in ["/healthz//", "//healthz", "/", "", "*", "/v2", "/v2/data-import/accounts//"] {
            assert_eq!(found(Method::GET, path), "none NotFound", "{path}");
        }
    }

    #[test]
    fn parameters_are_decoded_once() {
        let status = "/v2/data-import/accounts/<supplier>/<number>/";
        for (path, parameters) in [
            ("/v2/data-import/accounts/ACME/A-1/", r#"["ACME", "A-1"]"#),
            ("/v2/data-import/accounts/ACME/A%2F1", r#"["ACME", "A/1"]"#),
            ("/v2/data-import/accounts/ACME/A%252F1", r#"["ACME", "A%2F1"]"#),
            ("/v2/data-import/accounts/%20ACME/%20A%20/", r#"[" ACME", " A "]"#),
            ("/v2/data-import/accounts/../A/", r#"["..", "A"]"#),
        ] {
            assert_eq!(found(Method::GET, path), format!("{status} {parameters}"));
        }
        for path in ["ACME/%ff/", "%C3/A/", "ACME/A/B/", "ACME/A//", "/A/", "ACME//"] {
            let path = format!("/v2/data-import/accounts/{path}");
            assert_eq!(found(Method::GET, &path), "none NotFound", "{path}");
        }
    }

    #[actix_web::test]
    async fn every_route_of_the_api_asks_for_a_token() {
        let house = House::new();
        for route in ROUTES.iter().filter(|route| route.template.contains("/data-import/")) {
            let path = route.template.replace("<supplier>", "ACME_ENERGY").replace("<number>", "A");
            for path in [path.as_str(), path.trim_end_matches('/')] {
                let (method, _) = &route.endpoints[0];
                let request = TestRequest::default().method(method.clone()).uri(path);
                let reply = house.send(request.insert_header((CONTENT_TYPE, "text/plain"))).await;
                assert_eq!((reply.status, reply.header("www-authenticate")), (401, "Token"), "{path}");
                assert_eq!(reply.json()["code"], "not_authenticated");
                let wrong = house.send(TestRequest::delete().uri(path)).await;
                assert_eq!((wrong.status, wrong.header("allow")), (405, route.allow), "{path}");
                let text = TestRequest::post().uri(path).insert_header((CONTENT_TYPE, "text/plain"));
                let expected = if *method == Method::POST { 415 } else { 405 };
                assert_eq!(house.send_as_acme(text.set_payload("{}")).await.status, expected, "{path}");
            }
        }
    }

    #[test]
    fn reserved_words_are_routes_before_they_are_suppliers() {
        let validate = "/v2/data-import/accounts/validate/";
        assert_eq!(found(Method::POST, validate), format!("{validate} []"));
        assert_eq!(found(Method::GET, validate), format!("{validate} MethodNotAllowed(\"POST\")"));
    }

    #[test]
    fn other_methods_are_told_those_there_are() {
        let refused = |method, path| found(method, path).split_once(' ').unwrap().1.to_owned();
        assert_eq!(refused(Method::DELETE, "/v1/graphql/"), "MethodNotAllowed(\"POST\")");
        assert_eq!(refused(Method::POST, "/metrics"), "MethodNotAllowed(\"GET, HEAD\")");
        assert_eq!(
            refused(Method::OPTIONS, "/v2/data-import/accounts/A/B"),
            "MethodNotAllowed(\"GET, HEAD\")"
        );
        assert_eq!(refused(Method::HEAD, "/v2/data-import/accounts"), "MethodNotAllowed(\"POST\")");
    }

    #[test]
    fn what_a_listener_does_not_serve_is_not_found() {
        let found = find("/metrics", &Method::POST, |kind| kind == Kind::Health);
        assert!(matches!(found.endpoint, Err(Refusal::NotFound)));
    }
}
