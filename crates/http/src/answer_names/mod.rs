//! Further names of members in answers, for clients of a comparable service (contract D12).

mod body;
mod repeat;

use crate::answer::NDJSON;
use actix_web::HttpResponse;
use actix_web::body::{BodySize, MessageBody};
use actix_web::http::header::CONTENT_TYPE;
use body::RepeatedBody;
use cutover_model::describe::Json;
use repeat::Repeat;
use std::str::FromStr;
use std::sync::Arc;

/// The members that can have further names: the numbers that this service gives.
const MEMBERS: [&str; 3] = ["service_account_number", "service_identifier", "service_business_id"];

/// Maximum number of bytes of a name.
const LONGEST: usize = 64;

/// A further name of a member in answers: an answer with the member has it under both names.
///
/// [`answer_name`](crate::answer_name) reads one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerName {
    member: &'static str,
    name: String,
}

/// Reason why a text is not `MEMBER=NAME`, a further name of a member in answers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnswerNameError {
    /// It is not `MEMBER=NAME` with one of the members.
    #[error("must be MEMBER=NAME, with {} or {} as MEMBER", MEMBERS[..2].join(", "), MEMBERS[2])]
    Form,
    /// The name is not of the form that members have.
    #[error(
        "has a NAME that is not of at most 64 lower-case letters, digits and underscores, beginning with a letter"
    )]
    Name,
    /// An answer has a member of this name beside the member.
    #[error("has a NAME that a member of the same answer has")]
    Taken,
}

impl FromStr for AnswerName {
    type Err = AnswerNameError;

    fn from_str(text: &str) -> Result<Self, AnswerNameError> {
        let (member, name) = text.split_once('=').ok_or(AnswerNameError::Form)?;
        let member = MEMBERS.into_iter().find(|known| *known == member).ok_or(AnswerNameError::Form)?;
        let is_name = name.starts_with(|first: char| first.is_ascii_lowercase())
            && name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_'));
        if !is_name || name.len() > LONGEST {
            return Err(AnswerNameError::Name);
        }
        Ok(Self { member, name: name.to_owned() })
    }
}

impl AnswerName {
    /// Returns true if an object of a description of the API has a member of this name beside the member.
    pub(crate) fn is_taken(&self, json: &Json) -> bool {
        match json {
            Json::Object(members) => {
                json.get(self.member).is_some() && json.get(&self.name).is_some()
                    || members.iter().any(|(_, value)| self.is_taken(value))
            }
            Json::List(items) => items.iter().any(|item| self.is_taken(item)),
            _ => false,
        }
    }
}

/// The further names of members in answers.
#[derive(Debug, Clone, Default)]
pub(crate) struct AnswerNames(Arc<[AnswerName]>);

impl AnswerNames {
    pub(crate) fn new(names: &[AnswerName]) -> Self {
        Self(names.into())
    }

    /// Returns true if there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The further names of a member.
    fn of<'n>(&'n self, member: &'n [u8]) -> impl Iterator<Item = &'n str> {
        self.0.iter().filter(move |one| one.member.as_bytes() == member).map(|one| one.name.as_str())
    }

    /// Adds the members under their further names to a response, if it is JSON.
    pub(crate) fn add(&self, response: HttpResponse) -> HttpResponse {
        let media = response.headers().get(CONTENT_TYPE);
        let is_json = media.is_some_and(|media| media == "application/json" || media == NDJSON);
        if self.is_empty() || !is_json || response.body().size() == BodySize::None {
            return response;
        }
        response.map_body(|_, body| match body.try_into_bytes() {
            Ok(bytes) => Repeat::new(self.clone()).chunk(&bytes).boxed(),
            Err(body) => RepeatedBody::new(body, Repeat::new(self.clone())).boxed(),
        })
    }

    /// Adds the further names to the description of the API: to schemas and examples.
    pub(crate) fn describe(&self, json: &mut Json) {
        match json {
            Json::Object(members) => {
                for one in &*self.0 {
                    let Some(at) = members.iter().position(|(name, _)| name == one.member) else { continue };
                    let value = members[at].1.clone();
                    members.insert(at + 1, (one.name.clone(), value));
                }
                members.iter_mut().for_each(|(_, value)| self.describe(value));
            }
            Json::List(items) => items.iter_mut().for_each(|item| self.describe(item)),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer_name;
    use crate::config::Config;
    use crate::testing::{ELECTRICITY, TestService};
    use actix_web::http::header::AUTHORIZATION;
    use actix_web::test::TestRequest;
    use cutover_app::port::ApiKeyRole;

    #[test]
    fn names_are_of_numbers() {
        let refused = |text: &str| text.parse::<AnswerName>().unwrap_err();
        assert_eq!("service_business_id=business_id".parse::<AnswerName>().unwrap().name, "business_id");
        for text in ["", "account_number", "status=state", "=account_number", "service_identifier"] {
            assert_eq!(refused(text), AnswerNameError::Form, "{text}");
        }
        for text in ["", "9a", "_a", "Account", "a b", "a\"b", "ä", &"a".repeat(65)] {
            assert_eq!(refused(&format!("service_identifier={text}")), AnswerNameError::Name, "{text}");
        }
    }

    fn service(names: &[&str]) -> TestService {
        let answer_names = names.iter().map(|name| answer_name(name).unwrap()).collect();
        let service = TestService::with(Config { rate_limit: 0, answer_names, ..Config::default() });
        service.create("Acme", ELECTRICITY);
        service.import_pending();
        service
    }

    const OF_PEERS: &[&str] = &[
        "service_account_number=account_number",
        "service_identifier=identifier",
        "service_business_id=business_id",
    ];

    #[actix_web::test]
    async fn answers_have_members_under_both_names() {
        let (service, plain) = (service(OF_PEERS), service(&[]));
        let paths = [
            "/v1/data-import/account-transfer-status/ACME_ENERGY/ELEC-1001/",
            "/v2/data-import/accounts/ACME_ENERGY/ELEC-1001/",
            "/v1/data-import/all-account-import-processes/ACME_ENERGY/",
            "/v2/data-import/imported-accounts/ACME_ENERGY/ELEC-1001/",
            "/v2/data-import/imported-accounts/ACME_ENERGY/",
            "/v2/data-import/import-suppliers/ACME_ENERGY/progress/",
            "/openapi.json",
        ];
        let mut added = Vec::new();
        for path in paths {
            let role =
                if path.contains("imported-accounts") { ApiKeyRole::Reader } else { ApiKeyRole::Supplier };
            let get = |service: &TestService| {
                let token = format!("Token {}", service.token_as("Acme", role));
                TestRequest::get().uri(path).insert_header((AUTHORIZATION, token))
            };
            let (with, without) = (service.send(get(&service)).await, plain.send(get(&plain)).await);
            assert_eq!((with.status, without.status), (200, 200), "{path}");
            let (with, without) = (with.text(), without.text());
            for name in ["account_number", "identifier", "business_id"] {
                let count = |text: &str| text.matches(&format!("\"{name}\":")).count();
                added.push((path, name, count(with) - count(without)));
            }
        }
        let added: Vec<String> = added
            .iter()
            .filter(|(.., n)| *n > 0)
            .map(|(path, name, n)| format!("{path} {name}: {n}"))
            .collect();
        insta::assert_snapshot!(added.join("\n"));
    }

    #[actix_web::test]
    async fn names_beside_the_member_are_taken() {
        let taken = |text: &str| answer_name(text).is_err_and(|error| error == AnswerNameError::Taken);
        for text in [
            "service_identifier=status",
            "service_account_number=reference",
            "service_account_number=external_account_number",
            "service_business_id=external_business_identifier",
            "service_identifier=service_identifier",
        ] {
            assert!(taken(text), "{text}");
        }
        assert!(OF_PEERS.iter().all(|text| answer_name(text).is_ok()));
    }
}
