use super::reason::check_reason;
use super::{Operations, OperatorError};
use crate::job::{LEASE, new_job};
use crate::port::{ErasedRows, Job, JobKind, JobState, StateCount, Supplier};
use cutover_core::SupplierStatus;
use cutover_model::Totals;

/// The data that erasing a supplier removes.
#[derive(Debug, Clone)]
pub struct ErasableSupplier {
    /// The supplier.
    pub supplier: Supplier,
    /// Its processes by state and error.
    pub processes: Vec<StateCount>,
    /// The totals of its imported accounts.
    pub totals: Totals,
    /// Number of accounts whose create was refused and not accepted since.
    pub refused: u64,
    /// Number of other things by table: businesses and jobs.
    pub others: Vec<ErasedRows>,
    /// The job that erases it, if that was begun.
    pub job: Option<Job>,
}

impl ErasableSupplier {
    /// Returns the number of its processes.
    pub fn process_count(&self) -> u64 {
        self.processes.iter().map(|count| count.processes).sum()
    }
}

impl Operations<'_> {
    /// Describes what erasing a supplier would remove, from kept counts. Changes nothing.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is no such supplier.
    pub fn erasable_supplier(&self, code: &str) -> Result<ErasableSupplier, OperatorError> {
        self.app.try_to_record_refused();
        self.read(|tx| {
            let supplier = tx.supplier(code)?;
            let id = supplier.id;
            Ok(ErasableSupplier {
                processes: tx.state_counts(id)?,
                totals: tx.totals(id)?,
                refused: tx.refused_figures(id, 0)?.accounts,
                others: tx.supplier_rows(id)?,
                job: tx.erasure_of(id)?,
                supplier,
            })
        })
    }

    /// Begins to erase a supplier as a job of the caller, who has to call [`Operations::run_job`] with its claim. The job
    /// records the reason. From then on the settings of the supplier do not change, so no account of it is accepted or begins
    /// to be imported. If that was begun before, returns that job, which has to be claimed.
    ///
    /// # Errors
    /// [`OperatorError`]: there is no such supplier, it is neither paused nor complete, the job was stopped, or the reason is
    /// blank or too long.
    pub fn begin_supplier_erasure(
        &self,
        code: &str,
        because: &str,
    ) -> Result<(Job, Option<i64>), OperatorError> {
        check_reason(Some(because))?;
        let seen = self.erasable_supplier(code)?;
        let matched = seen.process_count();
        let (code, clock) = (code.to_owned(), self.app.clock.clone());
        let because = because.to_owned();
        let (name, actor) = (format!("job_{:016x}", self.app.random.number()), self.operator.clone());
        self.write(move |tx| {
            tx.lock_suppliers()?;
            let supplier = tx.again(&seen.supplier)?;
            if let Some(job) = tx.erasure_of(supplier.id)? {
                return match job.state == JobState::Running {
                    true => Ok((job, None)),
                    false => Err(OperatorError::Refused(format!(
                        "its erasure was stopped: resume it with `cutover job resume {}`",
                        job.name
                    ))),
                };
            }
            if !matches!(
                supplier.settings.status.known(),
                Some(SupplierStatus::Paused | SupplierStatus::Complete)
            ) {
                return Err(OperatorError::Refused(format!(
                    "{code} is {}: pause it first with `cutover supplier set {code} --status paused`",
                    supplier.settings.status
                )));
            }
            let now = clock.now();
            let job = tx.add_job(&Job {
                state: JobState::Running.into(),
                because: Some(because),
                matched,
                due_at: Some(now + LEASE),
                claim: 1,
                ..new_job(name, JobKind::EraseSupplier, &supplier, &actor, now)
            })?;
            let claim = Some(job.claim);
            Ok((job, claim))
        })
    }
}
