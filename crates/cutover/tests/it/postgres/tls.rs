use crate::harness::Installation;
use crate::payloads::small;
use cutover_testkit_postgres::{Cluster, ClusterOptions};

/// A server that requires TLS, and its URL with its certificate authority.
fn secured() -> Option<(Cluster, String, String)> {
    let cluster = Cluster::for_test(&ClusterOptions { tls: true, ..ClusterOptions::fast() })?;
    let url = cluster.url("postgres");
    let (place, authority) = url.split_once("?sslmode=verify-full&sslrootcert=").unwrap();
    let parts = (place.to_owned(), authority.to_owned());
    Some((cluster, parts.0, parts.1))
}

#[test]
fn the_servers_certificate_must_match_its_name() {
    let Some((cluster, place, authority)) = secured() else { return };
    let Some((_other, _, wrong)) = secured() else { return };
    let installation =
        Installation::with_database_url(&format!("{place}?sslmode=verify-full&sslrootcert={authority}"));
    installation.run_json(&["migrate"]);
    let key = installation.add_supplier();
    installation.serve().client(&key).import(&[small("T-1")]);
    let encrypted = "SELECT count(*) FROM pg_stat_ssl s JOIN pg_stat_activity a USING (pid) \
                     WHERE a.application_name = 'cutover' AND NOT s.ssl";
    assert_eq!(cluster.sql("postgres", encrypted).unwrap(), "0");
    for (parameters, cause) in [
        (format!("sslmode=verify-full&sslrootcert={wrong}"), "TLS: "),
        (format!("sslmode=verify-full&sslrootcert={authority}-missing"), "cannot be read"),
        ("sslmode=disable".to_owned(), "no encryption"),
    ] {
        let installation = Installation::with_database_url(&format!("{place}?{parameters}"));
        let refused = installation.run_refused(&["serve", "--listen", "127.0.0.1:0"]);
        assert!(refused.contains(cause), "{parameters}: {refused}");
    }
    // The certificate has another name.
    let elsewhere = place.replace("127.0.0.1", "127.0.0.2");
    let installation = Installation::with_database_url(&format!(
        "{elsewhere}?hostaddr=127.0.0.1&sslmode=verify-full&sslrootcert={authority}"
    ));
    let refused = installation.run_refused(&["organisation", "list"]);
    assert!(refused.contains("not valid for name"), "{refused}");
}
