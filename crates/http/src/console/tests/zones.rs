//! The zone of the times on a page.

use super::{Browser, zones};
use crate::testing::{ACCOUNT, TestService};
use cutover_app::operator::SupplierChange;

const SUPPLIER: &str = "/console/suppliers/ACME_ENERGY/";

fn add(service: &TestService, code: &str, zone: &str) {
    let time_zone = Some(zone.parse().unwrap());
    let change = SupplierChange { time_zone, ..SupplierChange::default() };
    service.app.as_command().add_supplier(code, "Acme", change).unwrap();
}

/// Returns the zone that a page names and the first time on it that has a date.
async fn zone_and_time(browser: &mut Browser<'_>, path: &str) -> (String, String) {
    let page = browser.page(path).await;
    let zone = zones(&page).next().unwrap_or_else(|| panic!("{path} names no zone: {page}")).to_owned();
    let times =
        page.split("<time ").skip(1).filter_map(|rest| rest.split("</time>").next()?.split('>').nth(1));
    let time = times.into_iter().find(|time| time.len() > "12:01".len());
    (zone, time.unwrap_or_else(|| panic!("{path} has no date: {page}")).to_owned())
}

#[actix_web::test]
async fn times_of_a_supplier_are_in_its_zone_and_those_of_several_in_one() {
    let service = TestService::new();
    service.create("Acme", ACCOUNT);
    let mut browser = service.browser().await;
    let job = browser.post(&format!("{SUPPLIER}cancel/"), "").await.header("location").to_owned();
    let of_supplier = [
        SUPPLIER.to_owned(),
        format!("{SUPPLIER}accounts/UNME-4001/"),
        job,
        "/console/audit/?supplier=ACME_ENERGY".to_owned(),
        format!("{SUPPLIER}timeline/"),
        "/console/search/?q=UNME&supplier=ACME_ENERGY".to_owned(),
    ];
    let of_several = ["/console/jobs/", "/console/audit/", "/console/search/?q=UNME"];
    let sydney = |(zone, time): (String, String)| {
        assert!(zone == "Australia/Sydney" && time.ends_with(" +11:00"), "{zone}: {time}");
    };
    // The only supplier, and one more in the same zone.
    for path in of_several {
        sydney(zone_and_time(&mut browser, path).await);
    }
    add(&service, "SECOND", "Australia/Sydney");
    for path in of_several {
        sydney(zone_and_time(&mut browser, path).await);
    }
    add(&service, "THIRD", "Australia/Perth");
    for path in of_several {
        let (zone, time) = zone_and_time(&mut browser, path).await;
        assert!(zone == "UTC" && time.ends_with(" +00:00"), "{path}: {zone}: {time}");
    }
    for path in of_supplier {
        sydney(zone_and_time(&mut browser, &path).await);
    }
}
