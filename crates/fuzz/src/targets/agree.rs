use super::Target;
use super::body::accounts;
use crate::service::TestService;
use cutover_app::account::{CheckAccount, CreateRefused, CreateStep, Refused};
use cutover_core::Issue;
use std::sync::LazyLock;

/// Validation and creation of accounts.
pub(crate) const TARGET: Target = Target {
    name: "agree",
    description: "bodies of accounts: validation and creation agree, from the store and from memory",
    run,
    seeds: accounts,
    words: &["ACME_ENERGY"],
    max: 64 << 10,
    executions: 50_000,
};

static SERVICE: LazyLock<TestService> = LazyLock::new(|| TestService::new(7));

fn run(input: &[u8]) {
    let Some(body) = input.get(2..) else { return };
    let TestService { app, caller, .. } = &*SERVICE;
    let validated = verdict(app.validate_account(caller, body, None).map(drop));
    assert!(
        validated == verdict(app.validate_account(caller, body, None).map(drop)),
        "a repeated validation differs"
    );
    let check = || CheckAccount::new(caller.clone(), None);
    let created = check().run(app, body).map(drop).map_err(|refused| match refused {
        CreateRefused::Payload(refused) => refused,
        other => panic!("{other}"),
    });
    assert!(verdict(created) == validated, "validate and create do not agree");
    if matches!(check().run_cached(app, body), CreateStep::Stage(_)) {
        assert!(validated.is_ok(), "accepted from memory alone");
    }
}

/// Result of a use case: accepted, not JSON, or the issues.
fn verdict(answer: Result<(), Refused>) -> Result<(), Option<Vec<Issue>>> {
    answer.map_err(|refused| match refused {
        Refused::Syntax(_) => None,
        Refused::Faults(issues) => {
            assert!(!issues.is_empty(), "refused without a reason");
            Some(issues)
        }
        Refused::Store(error) => panic!("{error}"),
    })
}
