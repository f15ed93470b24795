//! Behaviour on SQLite only, left out in runs on PostgreSQL.

mod backup;
#[cfg(unix)]
mod restore;

use crate::harness::Installation;
use crate::payloads::small;

#[test]
fn a_second_serve_on_the_same_file_is_refused() {
    let (installation, key) = Installation::with_supplier();
    let server = installation.serve();
    let refused = installation.run_refused(&["serve", "--listen", "127.0.0.1:0", "--log-format", "json"]);
    assert!(refused.contains("serve"), "{refused}");
    assert_eq!(server.client(&key).create(&small("S-1")).status, 201);
}
