//! Servers that wait, die or fail in the middle of something.

use super::{Installation, Server, fleet, wait_until};
use cutover_app::fault::Point;
use std::path::PathBuf;

/// A place where a server is to wait; see [`House::serve_held`].
pub(crate) struct HeldServer {
    file: PathBuf,
}

impl HeldServer {
    /// Waits until it is there.
    pub(crate) fn wait(&self) {
        wait_until("the server is at the point", || self.file.exists());
    }

    /// Lets it go on.
    pub(crate) fn release(&self) {
        std::fs::remove_file(&self.file).unwrap();
    }
}

impl Installation {
    /// Starts a server that does something at a point about which this is (empty: always): `panic`, `abort`, `fail`.
    pub(crate) fn serve_with_failpoint(
        &self,
        act: &str,
        point: Point,
        about: &str,
        options: &[&str],
    ) -> Server {
        self.serve_with_failpoints(&format!("{}=return({about}|{act})", point.name()), options)
    }

    /// The same of an order in the words of the crate `fail`.
    pub(crate) fn serve_with_failpoints(&self, order: &str, options: &[&str]) -> Server {
        Server::start(self.server(options).env("FAILPOINTS", order).spawn().unwrap())
    }

    /// Starts a server that waits at a point until it is let go.
    pub(crate) fn serve_held(&self, point: Point, about: &str, options: &[&str]) -> (Server, HeldServer) {
        let file = self.path().join(format!("held-at-{}", point.name()));
        let held = HeldServer { file };
        let server =
            self.serve_with_failpoint(&format!("hold|{}", held.file.display()), point, about, options);
        (server, held)
    }

    /// Holds the invariants against the database; `accepted` are numbers of `ACME` that were answered 201.
    pub(crate) fn check_invariants(&self, accepted: &[&str]) {
        let of_acme = |number: &&str| ("ACME".to_owned(), (*number).to_owned());
        let accepted: Vec<_> = accepted.iter().map(of_acme).collect();
        if let Some(url) = self.server_url() {
            fleet::check_invariants(url, self.path(), &accepted);
        }
        assert_eq!(self.failed_checks(), [""; 0]);
        for (supplier, number) in &accepted {
            let shown = self.show_of(supplier, number);
            assert_eq!(shown["status"] == "PROCESSED", shown["account"].is_object(), "{shown}");
            let events = self.history(supplier, number);
            let imported = events.iter().filter(|event| *event == "imported").count();
            assert_eq!(imported, usize::from(shown["status"] == "PROCESSED"), "{events:?}");
        }
    }
}
