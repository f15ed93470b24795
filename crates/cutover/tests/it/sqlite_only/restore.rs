//! A database that is replaced by an older copy of it.

use crate::harness::Installation;
use crate::migration::{Supplier, export_small};

#[test]
fn an_upload_after_a_restore_sends_again_what_the_restore_lost() {
    let (installation, key) = Installation::with_supplier();
    let (folder, copy) = (installation.path(), installation.path().join("copy.db"));
    let database = folder.join("cutover.db");
    export_small(folder, "a.ndjson", 0..40);
    let server = installation.serve();
    let (_, code, notes) = Supplier { installation: &installation, server: &server, key: &key }.upload();
    assert_eq!((code, notes.as_str()), (Some(0), ""));
    installation.run_json(&["backup", copy.to_str().unwrap()]);
    export_small(folder, "b.ndjson", 40..100);
    drop(server);

    // A restart alone loses nothing.
    let server = installation.serve();
    let (sent, code, notes) = Supplier { installation: &installation, server: &server, key: &key }.upload();
    assert_eq!((code, notes.as_str()), (Some(0), ""));
    assert_eq!((&sent["accepted"], &sent["sent_again"]), (&100.into(), &0.into()), "{sent}");
    drop(server);

    for name in ["cutover.db-wal", "cutover.db-shm"] {
        // They are gone if the server could empty them.
        let _ = std::fs::remove_file(folder.join(name));
    }
    std::fs::rename(&copy, &database).unwrap();
    let server = installation.serve();
    let supplier = Supplier { installation: &installation, server: &server, key: &key };
    let (sent, code, notes) = supplier.upload();
    let named = "note: 60 accounts that had been accepted are missing from the service; sending them again\n";
    assert_eq!((code, notes.as_str()), (Some(0), named));
    assert_eq!((&sent["accepted"], &sent["sent_again"]), (&100.into(), &60.into()), "{sent}");
    let client = server.client(&key);
    (0..100).for_each(|n| drop(client.wait(&format!("L-{n:03}"), "PROCESSED")));

    let (sent, code, notes) = supplier.upload();
    assert_eq!((code, notes.as_str()), (Some(0), ""));
    assert_eq!(
        (&sent["in_earlier_runs"]["accepted"], &sent["sent_again"]),
        (&100.into(), &0.into()),
        "{sent}"
    );
}
