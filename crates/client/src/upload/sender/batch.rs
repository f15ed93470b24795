use super::super::prepare::Prepared;
use super::answer::{Answer, LineOutcome};
use super::limiter::Limiter;
use super::{Batch, Event, bulk, one};
use crate::journal::Outcome;
use crate::service::{Backoff, Fault, Service};
use crossbeam_channel::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Sends batches and emits the answer to each line.
pub(super) struct BatchSender {
    pub(super) service: Service,
    pub(super) one_by_one: bool,
    pub(super) limiter: Limiter,
    pub(super) patience: Duration,
    /// Time of the last answer to a line of any batch.
    pub(super) last_answer: Mutex<Instant>,
    pub(super) events: Sender<Event>,
}

/// Purpose of sending lines.
#[derive(Clone, Copy)]
struct Pass {
    /// If set, the lines are only validated.
    validates: bool,
    /// True if the lines were not sent before.
    is_first: bool,
}

/// Number of times that a line is sent if the service fails at it.
const TRIES: usize = 3;
/// Pause before such a line is sent again.
const RETRY_PAUSE: Duration = Duration::from_millis(500);

/// Callback for final answers.
trait OnAnswer: FnMut(Arc<Prepared>, Answer) + Send {}

impl<F: FnMut(Arc<Prepared>, Answer) + Send> OnAnswer for F {}

/// A line to send again, and the answer that counts if no retry gives another.
type Retry = (Arc<Prepared>, Answer);

/// Answers to the lines of a request.
struct Request<'r, F> {
    lines: &'r Batch,
    on_answer: &'r mut F,
    /// Number of lines with an outcome.
    done: usize,
    retries: Vec<Retry>,
    /// Permanent fault, which ends the run after this request.
    fault: Option<Fault>,
}

impl<F: OnAnswer> Request<'_, F> {
    /// Handles the outcome of the next line. A transient fault leaves this line and those after it
    /// unanswered.
    fn handle(&mut self, outcome: LineOutcome) -> Result<(), Fault> {
        let line = self.lines[self.done].clone();
        match outcome {
            LineOutcome::Final(answer) => (self.on_answer)(line, answer),
            LineOutcome::Retry(answer) => self.retries.push((line, answer)),
            LineOutcome::Fault(fault @ Fault::Transient { .. }) => return Err(fault),
            LineOutcome::Fault(fault) => {
                self.fault.get_or_insert(fault);
            }
            LineOutcome::TokenExpired => return Err(Fault::transient("the token has expired")),
        }
        self.done += 1;
        Ok(())
    }

    /// True if the service failed at every line, so that the lines are not to blame.
    fn is_down(&self) -> bool {
        let failed = self.retries.iter().filter(|(_, answer)| answer.outcome == Outcome::Failed).count();
        failed > 1 && failed == self.lines.len()
    }
}

impl BatchSender {
    /// Sends a batch until every line is answered, or the service fails permanently. Returns true if none was left:
    /// without an answer, or because the service failed at it.
    pub(super) async fn send(&self, batch: Batch) -> bool {
        let (lines, mut done) = (batch.len(), 0);
        let mut on_answer = |line, answer: Answer| {
            done += usize::from(answer.outcome != Outcome::Failed);
            self.emit(Event::Answered(line, answer));
        };
        if let Err(fault) = self.send_with_retries(batch, &mut on_answer).await {
            self.emit(Event::Failed(fault));
        }
        done == lines
    }

    /// # Errors
    /// The fault that ended it.
    async fn send_with_retries(&self, batch: Batch, on_answer: &mut impl OnAnswer) -> Result<(), Fault> {
        let mut short = Vec::new();
        let (mut left, mut retries) = (batch, Vec::new());
        for n in 0..TRIES {
            if n > 0 && !left.is_empty() {
                tokio::time::sleep(RETRY_PAUSE).await;
            }
            // Lines sent again have failed while others did not, so all of them failing does not mean an
            // outage.
            let pass = Pass { validates: false, is_first: n == 0 };
            retries = self
                .send_lines(left, pass, &mut |line, answer| match answer.is_short() {
                    true => short.push((line, answer)),
                    false => on_answer(line, answer),
                })
                .await?;
            left = retries.iter().map(|(line, _)| line.clone()).collect();
        }
        retries.into_iter().for_each(|(line, answer)| on_answer(line, answer));
        self.explain(short, on_answer).await
    }

    /// Asks for the reasons of refusals. If there is no answer, the refusal is emitted as it was.
    async fn explain(&self, mut short: Vec<Retry>, on_answer: &mut impl OnAnswer) -> Result<(), Fault> {
        let lines = short.iter().map(|(line, _)| line.clone()).collect();
        let end = self
            .send_lines(lines, Pass { validates: true, is_first: false }, &mut |line, reasons| {
                let Some((_, first)) = short.iter_mut().find(|(of, _)| Arc::ptr_eq(of, &line)) else {
                    return;
                };
                if !reasons.findings.is_empty() {
                    first.findings = reasons.findings;
                }
            })
            .await;
        short.into_iter().for_each(|(line, answer)| on_answer(line, answer));
        end.map(drop)
    }

    /// Sends lines in as many requests as it takes until each has an outcome, or sending is cancelled.
    /// Returns the lines to send again.
    async fn send_lines(
        &self,
        lines: Batch,
        pass: Pass,
        on_answer: &mut impl OnAnswer,
    ) -> Result<Vec<Retry>, Fault> {
        let mut backoff = Backoff::new(self.patience);
        let (mut left, mut retries) = (lines, Vec::new());
        while !left.is_empty() {
            let Some(permit) = self.limiter.acquire().await else { return Ok(Vec::new()) };
            let behind = left.split_off(permit.lines.min(left.len()));
            let mut request = Request { lines: &left, on_answer, done: 0, retries: Vec::new(), fault: None };
            let mut end = self.request(&mut request, pass.validates).await;
            drop(permit);
            if pass.is_first && request.is_down() {
                (request.done, request.retries) = (0, Vec::new());
                end = end.and(Err(Fault::transient("the service fails at every line of a request")));
            }
            retries.append(&mut request.retries);
            let done = request.done;
            if done > 0 {
                backoff.reset();
                *self.last_answer() = Instant::now();
            }
            left.drain(..done);
            left.extend(behind);
            match end {
                Ok(()) => self.limiter.increase(),
                Err(fault) => self.slow_down(&mut backoff, fault)?,
            }
        }
        Ok(retries)
    }

    fn last_answer(&self) -> MutexGuard<'_, Instant> {
        self.last_answer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn slow_down(&self, backoff: &mut Backoff, fault: Fault) -> Result<(), Fault> {
        backoff.succeeded_at(*self.last_answer());
        let wait = backoff.next_wait(fault.clone())?;
        self.limiter.decrease(wait);
        self.emit(Event::Waiting(fault, wait));
        Ok(())
    }

    /// Sends the lines of a request in one HTTP request, or each in its own.
    async fn request(&self, request: &mut Request<'_, impl OnAnswer>, validates: bool) -> Result<(), Fault> {
        let lines = request.lines;
        let end = if self.one_by_one {
            self.request_each(request, validates).await
        } else {
            bulk::send(&self.service, lines, validates, |outcome| request.handle(outcome)).await
        };
        request.fault.take().map_or(end, Err)
    }

    async fn request_each(
        &self,
        request: &mut Request<'_, impl OnAnswer>,
        validates: bool,
    ) -> Result<(), Fault> {
        for line in request.lines {
            let outcome = one::send(&self.service, line, validates).await?;
            request.handle(outcome)?;
        }
        Ok(())
    }

    pub(super) fn emit(&self, event: Event) {
        // The listener may be gone.
        let _ = self.events.send(event);
    }
}
