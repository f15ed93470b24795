use crate::cluster::Cluster;
use crate::instance::{Instance, Stop};
use crate::psql;
use crate::user::run;
use cutover_testkit_machine::wait_for;
use std::io;
use std::net::SocketAddr;

/// A standby that streams from a cluster and shows the data that it has replayed. It is stopped and removed
/// when it is dropped.
#[derive(Debug)]
pub struct Standby {
    instance: Instance,
    primary: String,
}

impl Standby {
    /// Copies the cluster and follows it.
    ///
    /// # Errors
    /// If the copy fails, or the server does not start.
    pub fn of(primary: &Cluster) -> io::Result<Self> {
        let mut instance = Instance::new(primary.programs(), false)?;
        let url = primary.url("postgres");
        let mut copy = instance.command("pg_basebackup");
        copy.args(["-R", "-X", "stream", "-c", "fast", "--no-sync", "-d", &url, "-D"]);
        run(copy.arg(instance.data()))?;
        instance.authority = primary.authority();
        instance.start_first()?;
        Ok(Self { instance, primary: url })
    }

    /// Returns the URL of one of its databases.
    pub fn url(&self, database: &str) -> String {
        self.instance.url(database)
    }

    /// Returns the address that it listens on.
    pub fn address(&self) -> SocketAddr {
        self.instance.address()
    }

    /// Waits until it shows all that the cluster has committed by now.
    ///
    /// # Errors
    /// If one of the two does not answer.
    ///
    /// # Panics
    /// If it makes no progress.
    pub fn wait_until_caught_up(&self) -> io::Result<()> {
        let written = psql::sql(&self.primary, "SELECT pg_current_wal_flush_lsn()")?;
        self.wait_for(&format!("pg_last_wal_replay_lsn() >= '{written}'"))
    }

    /// Pauses the replay. It still receives the log.
    ///
    /// # Errors
    /// If it does not answer.
    ///
    /// # Panics
    /// If it does not pause.
    pub fn pause_replay(&self) -> io::Result<()> {
        self.sql("postgres", "SELECT pg_wal_replay_pause()")?;
        self.wait_for("pg_get_wal_replay_pause_state() = 'paused'")
    }

    /// Resumes the replay.
    ///
    /// # Errors
    /// If it does not answer.
    pub fn resume_replay(&self) -> io::Result<()> {
        self.sql("postgres", "SELECT pg_wal_replay_resume()").map(drop)
    }

    /// Runs a statement with `psql`. Returns a line for each row, with `|` between columns.
    ///
    /// # Errors
    /// If it fails, with its output.
    pub fn sql(&self, database: &str, sql: &str) -> io::Result<String> {
        psql::sql(&self.url(database), sql)
    }

    /// Stops it like a crash.
    ///
    /// # Errors
    /// If it cannot be stopped.
    pub fn stop_at_once(&mut self) -> io::Result<()> {
        self.instance.stop(Stop::Immediate)
    }

    /// Starts it again on the same port.
    ///
    /// # Errors
    /// If it does not start.
    pub fn start_again(&mut self) -> io::Result<()> {
        self.instance.stop(Stop::Fast)?;
        self.instance.start()
    }

    /// Waits until a condition in SQL is true. What it has replayed is its progress.
    fn wait_for(&self, condition: &str) -> io::Result<()> {
        let query = format!("SELECT {condition}, pg_last_wal_replay_lsn()");
        wait_for(condition, || match self.sql("postgres", &query) {
            Ok(row) if row.starts_with("t|") => Ok(Ok(())),
            Ok(row) => Err(row),
            Err(error) => Ok(Err(error)),
        })
    }
}
