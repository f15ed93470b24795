use super::{Browser, between, held_since};
use crate::console::ENDPOINTS;
use crate::testing::{ACCOUNT, TestService, log};
use actix_web::http::Method;
use cutover_app::job::JobRunner;
use cutover_app::operator::AuditScope;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Returns the form for the settings with a change.
fn settings(page: &str) -> String {
    let revision = between(page, "name=\"revision\" value=\"", "\"");
    let others = "profile=standard&country=AU&undocumented_members=error";
    format!("revision={revision}&{others}&dry_run=yes&max_concurrent_imports=&waves=&hold_on_errors=&rules=")
}

#[actix_web::test]
async fn actions_are_logged_without_personal_data() {
    let service = TestService::with_accounts();
    service.create("Acme", ACCOUNT);
    let key = service.operator_key("Acme");
    let prefix = service.app.as_command().api_keys().unwrap().last().unwrap().prefix.clone();
    let mut browser = Browser { service: &service, cookie: None };
    browser.sign_in(&key).await;
    log::keep();
    let supplier = "/console/suppliers/ACME_ENERGY/";
    browser.page(&format!("{supplier}accounts/ELEC-1001/")).await;
    for act in [
        "accounts/ELEC-1001/reveal/",
        "accounts/UNME-4001/cancel/",
        "accounts/UNME-4001/retry/",
        "accounts/UNME-4001/erase/",
        "pause/",
        "complete/",
        "resume/",
        "hold/",
        "release/",
        "failed/",
        "certificates/",
        "settings/",
        "timeline/",
    ] {
        let form = match act {
            "hold/" => "because=tariffs".to_owned(),
            "timeline/" => "note=shift+ends".to_owned(),
            erase if erase.ends_with("erase/") => "because=asked+for".to_owned(),
            "settings/" => settings(&browser.page(&format!("{supplier}{act}")).await),
            "release/" => held_since(&browser.page(&format!("{supplier}{act}")).await),
            _ => String::new(),
        };
        assert!(browser.post(&format!("{supplier}{act}"), &form).await.status < 400, "{act}");
    }
    assert!(browser.post(&format!("{supplier}runs/start/"), "name=night").await.status < 400);
    assert!(browser.post(&format!("{supplier}runs/end/"), "").await.status < 400);
    let sought = "q=Okafor&supplier=ACME_ENERGY";
    assert!(browser.post("/console/search/", sought).await.status < 400);
    let webhook =
        service.app.as_command().add_webhook("Acme", "http://127.0.0.1:9/", &[], false).unwrap().webhook.name;
    for act in ["disable", "enable", "replay", "test"] {
        let done = browser.post(&format!("/console/webhooks/{webhook}/{act}/"), "since=all").await;
        assert!(done.status < 400, "{act}");
    }
    assert!(browser.post(&format!("{supplier}erase-rehearsed/"), "because=trial").await.status < 400);
    let begun = browser.post(&format!("{supplier}cancel/"), "").await;
    let job = begun.header("location").to_owned();
    for act in ["stop", "resume"] {
        assert!(browser.post(&format!("{job}{act}/"), "").await.status < 400, "{act}");
    }
    assert!(browser.post(&format!("{supplier}retry/"), "").await.status < 400);
    assert!(
        browser.post(&format!("{supplier}undo/"), "since=2999-01-01T00:00&because=tariffs").await.status
            < 400
    );
    let runner = JobRunner::new(service.app.clone(), Arc::default());
    while runner.run_once().unwrap() {}
    browser.post("/console/sign-out/", "").await;
    browser.sign_in(&key).await;
    let lines = log::take();
    let audited: Vec<_> = lines.iter().filter(|line| line.starts_with("cutover::audit ")).collect();
    let actions: Vec<_> =
        audited.iter().map(|line| line.split("action=").nth(1).unwrap().split('"').nth(1).unwrap()).collect();
    let (done, door) = actions.split_at(26);
    assert_eq!(
        done[..18],
        [
            "reveal",
            "cancel",
            "retry",
            "erase",
            "pause",
            "complete",
            "resume",
            "hold",
            "release",
            "export failed",
            "issue certificate",
            "set",
            "note",
            "start run",
            "end run",
            "search",
            "disable",
            "enable",
        ]
    );
    let jobs = ["replay", "test", "erase-rehearsed", "cancel", "stop", "resume", "retry", "undo"];
    assert_eq!(done[18..], jobs);
    assert_eq!(door, ["sign-out", "sign-in"]);
    for line in &audited {
        assert!(line.contains(&format!("key=\"{prefix}\"")), "{line}");
    }
    assert!(audited.iter().all(|line| line.contains("request_id=")), "{audited:?}");
    assert!(audited[1..4].iter().all(|line| line.contains("process=3")), "{audited:?}");
    for line in &audited[..16] {
        assert!(line.contains("supplier=\"ACME_ENERGY\""), "{line}");
    }
    // The same is in the database.
    let scope = AuditScope { limit: 29, ..AuditScope::default() };
    let mut kept = service.app.as_command().audit(&scope).unwrap();
    kept.retain(|record| record.action.as_str() != "webhook.add");
    kept.reverse();
    let actions: Vec<_> = kept.iter().map(|record| record.action.as_str()).collect();
    let of_suppliers = [
        "account.reveal",
        "process.cancel",
        "process.retry",
        "account.erase",
        "supplier.set",
        "supplier.set",
        "supplier.set",
        "supplier.hold",
        "supplier.release",
        "process.export",
        "supplier.certificate",
        "supplier.set",
        "supplier.note",
        "run.start",
        "run.end",
        "account.search",
    ];
    assert_eq!(actions[..16], of_suppliers);
    assert_eq!(
        actions.len(),
        ENDPOINTS.iter().filter(|endpoint| endpoint.method == Method::POST).count(),
        "each route logs its action"
    );
    assert_eq!(actions[16..20], ["webhook.disable", "webhook.enable", "webhook.replay", "webhook.test"]);
    let ended: BTreeSet<_> = actions[20..26].iter().copied().collect();
    assert_eq!(
        ended,
        BTreeSet::from([
            "account.erase",
            "job.resume",
            "job.stop",
            "process.cancel",
            "process.retry",
            "supplier.undo"
        ])
    );
    assert_eq!(actions[26..], ["console.sign-out", "console.sign-in"]);
    for record in &kept {
        assert_eq!((&record.by, record.organisation.as_deref()), (&format!("key:{prefix}"), Some("Acme")));
    }
    assert!(kept[..16].iter().all(|record| record.supplier.as_deref() == Some("ACME_ENERGY")), "{kept:?}");
    assert_eq!(kept[1].process_id, Some(3));
    let number = service
        .app
        .as_command()
        .show_process("ACME_ENERGY", "ELEC-1001")
        .unwrap()
        .status
        .service_identifier
        .unwrap();
    assert!(audited[0].contains(number.as_str()), "{}", audited[0]);
    assert!(lines.len() >= 16, "{lines:#?}");
    for word in ["ELEC-1001", "UNME-4001", "Mara", "Okafor", &key] {
        assert!(!lines.iter().any(|line| line.contains(word)), "{word}");
    }
}
