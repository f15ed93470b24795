//! Servers that are held, killed or fail at a point of the program.

use super::{Installation, Server, fleet, wait_until};
use cutover_app::fault::Point;
use std::path::PathBuf;

/// A held server; see [`Installation::serve_held`].
pub(crate) struct HeldServer {
    file: PathBuf,
}

impl HeldServer {
    /// Waits until the server is at the point.
    pub(crate) fn wait(&self) {
        wait_until("the server is at the point", || self.file.exists());
    }

    /// Releases the server.
    pub(crate) fn release(&self) {
        std::fs::remove_file(&self.file).unwrap();
    }
}

impl Installation {
    /// Starts a server that performs an action (`panic`, `abort`, `fail`) at a point, for the account `about`
    /// or for all if it is empty.
    pub(crate) fn serve_with_failpoint(
        &self,
        act: &str,
        point: Point,
        about: &str,
        options: &[&str],
    ) -> Server {
        self.serve_with_failpoints(&format!("{}=return({about}|{act})", point.name()), options)
    }

    /// Starts a server with a configuration of the crate `fail`.
    pub(crate) fn serve_with_failpoints(&self, order: &str, options: &[&str]) -> Server {
        Server::start(self.server(options).env("FAILPOINTS", order).spawn().unwrap())
    }

    /// Starts a server that is held at a point until it is released.
    pub(crate) fn serve_held(&self, point: Point, about: &str, options: &[&str]) -> (Server, HeldServer) {
        let file = self.path().join(format!("held-at-{}", point.name()));
        let held = HeldServer { file };
        let server =
            self.serve_with_failpoint(&format!("hold|{}", held.file.display()), point, about, options);
        (server, held)
    }

    /// Starts a server that is held once, after a point was reached this number of times.
    pub(crate) fn serve_held_after(
        &self,
        count: usize,
        point: Point,
        options: &[&str],
    ) -> (Server, HeldServer) {
        let file = self.path().join(format!("held-at-{}", point.name()));
        let order = format!("{}={count}*off->1*return(|hold|{})", point.name(), file.display());
        (self.serve_with_failpoints(&order, options), HeldServer { file })
    }

    /// Checks the invariants of the database; `accepted` are numbers of `ACME` that were answered 201.
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
