use crate::args::Args;
use crate::error::Error;
use crate::postgres::PostgresCluster;
use crate::seed::{ENDED, Target};
use crate::server::{Installation, Server};
use crate::{cpu, kept, seed};

/// The kind of database that is measured.
pub(crate) enum Database {
    Sqlite,
    Postgres(PostgresCluster),
}

/// An installation whose database can be restored before each round.
pub(crate) struct Prepared<'a> {
    database: &'a Database,
    installation: Installation,
    /// Name of the database on PostgreSQL.
    name: String,
}

/// Name of the database that a round works on, on PostgreSQL.
const COPY: &str = "round";

impl Database {
    /// A new PostgreSQL cluster.
    pub(crate) fn postgres() -> Result<Self, Error> {
        Ok(Self::Postgres(PostgresCluster::start(&[])?))
    }

    /// Part of the names of figures.
    pub(crate) fn id(&self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite",
            Self::Postgres(_) => "pg",
        }
    }

    /// The processes whose CPU is counted.
    pub(crate) fn counted(&self) -> &'static str {
        match self {
            Self::Sqlite => "the server's CPU",
            Self::Postgres(_) => "CPU of server and database",
        }
    }

    /// A new installation on an empty database.
    pub(crate) fn install(&self, args: &Args, name: &str) -> Result<Prepared<'_>, Error> {
        let (folder, name) = (format!("bench-{}-{name}", self.id()), name.replace('-', "_"));
        let installation = match self {
            Self::Sqlite => Installation::new(args, &folder)?,
            Self::Postgres(cluster) => {
                cluster.create(&name)?;
                Installation::on(args, &folder, cluster.url(&name))?
            }
        };
        Ok(Prepared { database: self, installation, name })
    }

    /// A new installation with suppliers, and processes of theirs that have ended.
    pub(crate) fn prepare(
        &self,
        args: &Args,
        name: &str,
        suppliers: u64,
        processes: u64,
    ) -> Result<Prepared<'_>, Error> {
        let prepared = self.install(args, name)?;
        seed::suppliers(prepared.target(), suppliers)?;
        seed::processes(prepared.target(), suppliers, ENDED, processes)?;
        if let Self::Sqlite = self {
            kept::keep(&prepared.installation)?;
        }
        Ok(prepared)
    }
}

impl Prepared<'_> {
    pub(crate) fn installation(&self) -> &Installation {
        &self.installation
    }

    /// The database, to write seeds into.
    pub(crate) fn target(&self) -> Target<'_> {
        match self.database {
            Database::Sqlite => Target::Sqlite(&self.installation),
            Database::Postgres(cluster) => Target::Postgres(cluster, &self.name),
        }
    }

    /// The installation as it was prepared. No server may be running.
    pub(crate) fn fresh(&self) -> Result<Installation, Error> {
        match self.database {
            Database::Sqlite => {
                kept::restore(&self.installation)?;
                Ok(self.installation.clone())
            }
            Database::Postgres(cluster) => {
                cluster.copy(&self.name, COPY)?;
                cluster.sql(COPY, "CHECKPOINT")?;
                Ok(self.installation.at(cluster.url(COPY)))
            }
        }
    }

    /// CPU seconds of a server so far, and of the database if it is a process of its own.
    #[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
    pub(crate) fn cpu(&self, server: &Server) -> f64 {
        cpu::of_process(server.pid()) + self.database_cpu()
    }

    /// CPU seconds of a database that is a process of its own.
    pub(crate) fn database_cpu(&self) -> f64 {
        match self.database {
            Database::Sqlite => 0.0,
            Database::Postgres(cluster) => cluster.cpu(),
        }
    }
}
