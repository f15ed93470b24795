use crate::bench::Args;
use crate::bench::cpu;
use crate::bench::kept;
use crate::bench::postgres::{Site, seed as postgres_seed};
use crate::bench::seed;
use crate::bench::server::{Installation, Server};
use crate::error::Error;

/// Where processes are kept.
pub(super) enum Database {
    Sqlite,
    Postgres(Site),
}

/// An installation as every round finds it.
pub(super) struct Place<'a> {
    database: &'a Database,
    installation: Installation,
    /// Of the database that is copied, on PostgreSQL.
    template: String,
}

/// The copy that a round works on, on PostgreSQL.
const COPY: &str = "flat";

impl Database {
    /// The first words of the names of its figures.
    pub(super) fn id(&self) -> &'static str {
        match self {
            Self::Sqlite => "flat.sqlite",
            Self::Postgres(_) => "flat.pg",
        }
    }

    /// Whose CPU is counted.
    pub(super) fn counted(&self) -> &'static str {
        match self {
            Self::Sqlite => "the server's CPU",
            Self::Postgres(_) => "CPU of server and database",
        }
    }

    /// A new installation with so many suppliers, and so many processes of theirs that have ended.
    pub(super) fn prepare(
        &self,
        args: &Args,
        name: &str,
        suppliers: u64,
        processes: u64,
    ) -> Result<Place<'_>, Error> {
        let (folder, template) = (format!("bench-{}-{name}", self.id()), format!("flat_{name}"));
        let installation = match self {
            Self::Sqlite => {
                let installation = Installation::new(args, &folder)?;
                seed::suppliers(&installation, suppliers)?;
                seed::ended(&installation, suppliers, processes)?;
                kept::keep(&installation)?;
                installation
            }
            Self::Postgres(site) => {
                site.create(&template)?;
                let installation = Installation::on(args, &folder, site.url(&template))?;
                postgres_seed::suppliers(site, &template, suppliers)?;
                postgres_seed::ended(site, &template, suppliers, processes)?;
                installation
            }
        };
        Ok(Place { database: self, installation, template })
    }
}

impl Place<'_> {
    /// The installation as it was prepared. No server may be running.
    pub(super) fn fresh(&self) -> Result<Installation, Error> {
        match self.database {
            Database::Sqlite => {
                kept::restore(&self.installation)?;
                Ok(self.installation.clone())
            }
            Database::Postgres(site) => {
                site.copy(&self.template, COPY)?;
                site.sql(COPY, "CHECKPOINT")?;
                Ok(self.installation.at(site.url(COPY)))
            }
        }
    }

    /// CPU seconds of a server so far, and of a database beside it.
    #[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
    pub(super) fn cpu(&self, server: &Server) -> f64 {
        cpu::of_process(server.pid()) + self.database_cpu()
    }

    /// CPU seconds of a database that is no part of the server.
    pub(super) fn database_cpu(&self) -> f64 {
        match self.database {
            Database::Sqlite => 0.0,
            Database::Postgres(site) => site.cpu(),
        }
    }
}
