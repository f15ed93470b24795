use crate::harness::{Action, INSTRUCTION, Installation, Vendor, instruction, items, text, wait_until};
use crate::payloads::small;
use serde_json::json;

#[test]
fn vendors_are_added_listed_and_removed() {
    let installation = Installation::new();
    installation.run_json(&["organisation", "add", "Acme"]);
    assert_eq!(installation.run_json(&["vendor", "list"]), json!([]));
    let added = installation.add_vendor(
        "STRIPE",
        "stripe",
        "https://api.stripe.com/",
        &["--secret-env", "STRIPE_KEY"],
    );
    assert_eq!(added["name"], "STRIPE");
    installation.add_vendor("Installation Pay", "http", "http://10.0.0.7:9000/api", &[]);
    let list = installation.run_json(&["vendor", "list"]);
    let names: Vec<String> = items(&list).iter().map(|vendor| text(&vendor["name"])).collect();
    assert_eq!(names, ["Installation Pay", "STRIPE"]);
    assert_eq!((&list[1]["kind"], &list[1]["secret_env"]), (&json!("stripe"), &json!("STRIPE_KEY")));
    assert_eq!(list[1], added);
    let again = ["vendor", "add", "STRIPE", "--kind", "http", "--base-url", "https://other.example"];
    assert!(installation.run_refused(&again).contains("STRIPE"));
    assert_eq!(installation.run_json(&["vendor", "list"]), list);
    installation.run_json(&["vendor", "remove", "STRIPE"]);
    assert!(installation.run_refused(&["vendor", "remove", "STRIPE"]).contains("STRIPE"));
    assert_eq!(items(&installation.run_json(&["vendor", "list"])).len(), 1);
}

/// Names are unique in an organisation, and payloads find the vendors of their own organisation only.
#[test]
fn vendors_belong_to_an_organisation() {
    let vendor = Vendor::start(|_| Action::Json(200, json!({"reference": "R", "type": "CARD"})));
    let other = Vendor::start(|_| Action::Json(500, json!({})));
    let (installation, _server, client) = Installation::with_accounts(&[small("V-1")]);
    installation.run_json(&["organisation", "add", "Beta"]);
    let of = |organisation| ["--organisation", organisation];
    installation.add_vendor("PAY", "http", &vendor.url(""), &of("Acme"));
    for name in ["PAY", "THEIRS"] {
        installation.add_vendor(name, "http", &other.url(""), &of("Beta"));
    }
    let list = |organisation| {
        let found = installation.run_json(&[&["vendor", "list"][..], &of(organisation)].concat());
        items(&found).iter().map(|vendor| text(&vendor["name"])).collect::<Vec<_>>()
    };
    assert_eq!((list("Acme"), list("Beta")), (vec!["PAY".into()], vec!["PAY".into(), "THEIRS".into()]));
    let show = installation.run_json(&[&["vendor", "show", "PAY"][..], &of("Beta")].concat());
    assert_eq!((&show["organisation"], &show["base_url"]), (&json!("Beta"), &json!(other.url(""))));
    assert_eq!(client.send_json(INSTRUCTION, &instruction("V-1", "PAY", "CARD", "R")).status, 201);
    let theirs = client.send_json(INSTRUCTION, &instruction("V-1", "THEIRS", "CARD", "R"));
    let nobodys = client.send_json(INSTRUCTION, &instruction("V-1", "NOBODY", "CARD", "R"));
    assert_eq!((theirs.status, theirs.text()), (nobodys.status, nobodys.text()));
    assert_eq!((theirs.status, other.asked("/").len()), (400, 0));
    let remove = [&["vendor", "remove", "THEIRS"][..], &of("Acme")].concat();
    assert!(installation.run_refused(&remove).contains("THEIRS"));
}

/// Failure 13.
#[test]
fn addresses_that_are_not_allowed_are_refused() {
    let installation = Installation::new();
    installation.run_json(&["organisation", "add", "Acme"]);
    let add = |url: &str| installation.run(&["vendor", "add", "V", "--kind", "http", "--base-url", url]);
    for url in [
        "http://169.254.169.254/latest",
        "https://169.254.169.254",
        "http://[fe80::1]",
        "http://[::ffff:169.254.169.254]",
        "http://[fd00:ec2::254]/latest",
        "https://[fd20:ce::254]",
        "http://2852039166/",
        "http://8.8.8.8",
        "http://0xa9fe.0xa9fe/",
        "file:///etc/passwd",
        "ftp://10.0.0.1",
        "unix:/run/x",
        "10.0.0.1:80",
        "https://user:pw@vendor.example",
        "https://vendor.example/?key=1",
        "https://vendor.example/#x",
        "https:// vendor.example",
        "",
    ] {
        let output = add(url);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_ne!(output.status.code(), Some(0), "{url}: {stderr}");
        assert!(!stderr.contains("panicked") && !stderr.is_empty(), "{url}: {stderr}");
        assert!(!stderr.contains("pw@"), "{stderr}");
    }
    for args in [
        &["vendor", "add", "V", "--kind", "paypal", "--base-url", "https://vendor.example"][..],
        &["vendor", "add", " ", "--kind", "http", "--base-url", "https://vendor.example"],
        &["vendor", "add", "V", "--kind", "http", "--base-url", "https://v.example", "--secret-env", "A B"],
        &["vendor", "add", "V", "--kind", "http"],
    ] {
        assert_ne!(installation.run(args).status.code(), Some(0), "{args:?}");
    }
    assert_eq!(installation.run_json(&["vendor", "list"]), json!([]));
    for url in
        ["http://127.0.0.1:1", "http://[::1]:1", "http://192.168.1.1", "http://172.31.0.1", "https://8.8.8.8"]
    {
        installation.add_vendor(url, "http", url, &[]);
    }
}

#[test]
fn changes_take_effect_while_a_server_runs() {
    let vendor = Vendor::start(|_| Action::Json(200, json!({"reference": "R", "type": "CARD"})));
    let (installation, _server, client) = Installation::with_accounts(&[small("V-1")]);
    let pay = |reference| client.send_json(INSTRUCTION, &instruction("V-1", "PAY", "CARD", reference));
    assert_eq!(pay("R").faults(), ["vendor payment_vendor_unknown"]);
    installation.add_vendor("PAY", "http", &vendor.url(""), &[]);
    assert_eq!(pay("R").status, 201);
    installation.run_json(&["vendor", "remove", "PAY"]);
    assert_eq!(pay("R-2").faults(), ["vendor payment_vendor_unknown"]);
    assert_eq!(pay("R").status, 201, "a stored instruction may be sent again");
    let stored = installation.account("V-1");
    assert_eq!(stored["verified_payment_instructions"][0]["vendor"], "PAY", "what it confirmed stays");
}

#[test]
fn a_missing_secret_is_reported_to_the_operator() {
    let vendor = Vendor::start(|_| Action::Json(200, json!({"reference": "R", "type": "CARD"})));
    let (installation, server, client) = Installation::with_accounts(&[small("V-1")]);
    let url = vendor.url("");
    installation.add_vendor("PAY", "http", &url, &["--secret-env", "NO_SUCH_SECRET"]);
    let answer = client.send_json(INSTRUCTION, &instruction("V-1", "PAY", "CARD", "R"));
    assert_eq!(answer.code(), (500, "payment_vendor_unavailable".to_owned()));
    assert_eq!(vendor.asked("/").len(), 0, "nobody is asked without it");
    wait_until("the log names the variable", || server.log().contains("NO_SUCH_SECRET"));
}
