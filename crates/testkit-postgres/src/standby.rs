use crate::cluster::Cluster;
use crate::instance::{Instance, Stop};
use crate::psql;
use crate::user::run;
use std::io;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

/// How long a standby may take to do what it is asked.
const DEADLINE: Duration = Duration::from_secs(30);

/// A standby that streams from a cluster, on a port of its own: reads see what it has replayed. It ends, with all
/// that is in it, when it goes out of scope.
#[derive(Debug)]
pub struct Standby {
    instance: Instance,
    primary: String,
}

impl Standby {
    /// Copies the cluster and starts to follow it.
    ///
    /// # Errors
    /// If the copy fails, or the server does not start.
    pub fn of(primary: &Cluster) -> io::Result<Self> {
        let mut instance = Instance::new(primary.programs())?;
        let url = primary.url("postgres");
        let mut copy = instance.command("pg_basebackup");
        copy.args(["-R", "-X", "stream", "-c", "fast", "--no-sync", "-d", &url, "-D"]);
        run(copy.arg(instance.data()))?;
        instance.authority = primary.authority();
        instance.start_somewhere()?;
        Ok(Self { instance, primary: url })
    }

    /// The URL of a database of it.
    pub fn url(&self, database: &str) -> String {
        self.instance.url(database)
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.instance.address()
    }

    /// Waits until it shows what the cluster has committed by now.
    ///
    /// # Errors
    /// If it does not get there in half a minute, or one of the two cannot be asked.
    pub fn wait_until_caught_up(&self) -> io::Result<()> {
        let written = psql::sql(&self.primary, "SELECT pg_current_wal_flush_lsn()")?;
        self.wait_for(&format!("SELECT pg_last_wal_replay_lsn() >= '{written}'"))
    }

    /// Makes it stay as it is, while it goes on receiving.
    ///
    /// # Errors
    /// If it cannot be asked, or does not pause.
    pub fn pause_replay(&self) -> io::Result<()> {
        self.sql("postgres", "SELECT pg_wal_replay_pause()")?;
        self.wait_for("SELECT pg_get_wal_replay_pause_state() = 'paused'")
    }

    /// Lets it follow again.
    ///
    /// # Errors
    /// If it cannot be asked.
    pub fn resume_replay(&self) -> io::Result<()> {
        self.sql("postgres", "SELECT pg_wal_replay_resume()").map(drop)
    }

    /// What `psql` prints for a statement in a database of it: a line a row, columns parted by `|`.
    ///
    /// # Errors
    /// If it fails: with what it says.
    pub fn sql(&self, database: &str, sql: &str) -> io::Result<String> {
        psql::sql(&self.url(database), sql)
    }

    /// Stops it as a crash would.
    ///
    /// # Errors
    /// If it cannot be stopped.
    pub fn stop_at_once(&mut self) -> io::Result<()> {
        self.instance.stop(Stop::Immediate)
    }

    /// Starts it where it was, after it was stopped.
    ///
    /// # Errors
    /// If it does not start.
    pub fn start_again(&mut self) -> io::Result<()> {
        self.instance.stop(Stop::Fast)?;
        self.instance.start()
    }

    /// Asks until it is so. A question takes long enough to need no pause.
    fn wait_for(&self, question: &str) -> io::Result<()> {
        let deadline = Instant::now() + DEADLINE;
        while self.sql("postgres", question)? != "t" {
            if Instant::now() > deadline {
                return Err(io::Error::new(
                    io::ErrorKind::TimedOut,
                    format!("the standby is not there yet: {question}"),
                ));
            }
        }
        Ok(())
    }
}
