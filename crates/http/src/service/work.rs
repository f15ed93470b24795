//! Calls of use cases: on the event loop if nothing blocks, on a thread, or handed over to the store.

use crate::limits::blocking::{PATIENCE, SILENCE, silent, slot};
use crate::limits::weights::Weight;
use crate::refusal::Refusal;
use crate::request::body::Body;
use crate::service::Service;
use cutover_app::account::{CheckAccount, CreateRefused, CreateStep};
use cutover_app::auth::{Caller, Denied, judged};
use cutover_app::port::{Creation, Staging};
use cutover_app::{App, FoundDocuments, Step};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use tokio::sync::oneshot;
use tokio::time::timeout;

/// The kind of a use case's access to the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Work {
    /// A short read, see [`Service::run_on`].
    Reads,
    /// A write that waits for a commit.
    Writes,
}

impl Service {
    /// Authenticates the caller by its token (contract D2).
    ///
    /// # Errors
    /// The refusal of a store that could not be read.
    pub(crate) async fn authenticate(
        self: &Arc<Self>,
        token: &str,
    ) -> Result<Result<Caller, Denied>, Refusal> {
        match self.app.authenticate_from_memory(token) {
            Some(answer) => Ok(judged(answer)?),
            None => {
                let token = token.to_owned();
                self.run(None, move |app| Ok(judged(app.authenticate(&token))?)).await
            }
        }
    }

    /// Authenticates an API key, or a token in its place.
    ///
    /// # Errors
    /// The refusal of a store that could not be read.
    pub(crate) async fn authenticate_key(
        self: &Arc<Self>,
        api_key: &str,
    ) -> Result<Result<Caller, Denied>, Refusal> {
        let api_key = api_key.to_owned();
        self.run(None, move |app| Ok(judged(app.authenticate_key(&api_key))?)).await
    }

    /// Calls a use case for an organisation, if that is known, off the event loop.
    ///
    /// # Errors
    /// The use case's refusal, or [`Refusal::Unavailable`] if no slot was free.
    pub(crate) async fn run<T: Send + 'static>(
        self: &Arc<Self>,
        organisation: Option<i64>,
        job: impl FnOnce(&App) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        let app = self.app.clone();
        self.blocking.run(organisation, move || job(&app)).await
    }

    /// Calls a use case for an organisation that reads a page of a filtered list.
    ///
    /// # Errors
    /// The use case's refusal, or [`Refusal::Unavailable`] if no slot was free.
    pub(crate) async fn run_page<T: Send + 'static>(
        self: &Arc<Self>,
        organisation: Option<i64>,
        job: impl FnOnce(&App) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        let slot = self.pages.take_within(PATIENCE, organisation).await?;
        let job = move |app: &App| {
            let _slot = slot;
            job(app)
        };
        self.run(organisation, job).await
    }

    /// Calls a use case for an organisation that may take minutes, off the event loop. It ends even if the caller does not
    /// wait. Those that wait for another one hold no slot.
    ///
    /// # Errors
    /// The use case's refusal.
    pub(crate) async fn run_to_end<T: Send + 'static>(
        self: &Arc<Self>,
        organisation: Option<i64>,
        job: impl FnOnce(&App) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        let ended = |_| Refusal::Unexpected("the slots for long use cases are closed".into());
        let slot = self.long_jobs.take(organisation).await.map_err(ended)?;
        let app = self.app.clone();
        let job = move || {
            let _slot = slot;
            job(&app)
        };
        self.blocking.run_to_end(organisation, job).await
    }

    /// Decompresses a body and takes its weight. The decoder holds the weight, even if the caller has gone.
    ///
    /// # Errors
    /// See [`Body::unpack`] and [`crate::limits::weights::Weights::take`].
    async fn weigh(
        self: &Arc<Self>,
        organisation: Option<i64>,
        mut body: Body,
    ) -> Result<(Body, Weight), Refusal> {
        if body.is_packed() {
            body = self.checks.run(organisation, move || body.unpack().map(drop).map(|()| body)).await?;
        }
        let weight = self.weights.take(body.len()).await?;
        Ok((body, weight))
    }

    /// Calls a use case that reads a little and works on this body: on the event loop if both are short,
    /// which saves two thread switches, else on a thread, with a separate limit for large bodies.
    ///
    /// # Errors
    /// The use case's refusal, or [`Refusal::Unavailable`] if no slot was free.
    async fn run_on<T: Send + 'static>(
        self: &Arc<Self>,
        organisation: Option<i64>,
        body: Body,
        job: impl FnOnce(&App, Body) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        let app = &self.app;
        if !body.is_short() {
            let app = app.clone();
            return self.checks.run(organisation, move || job(&app, body)).await;
        }
        if !app.reads_at_once() {
            return self.run(organisation, move |app| job(app, body)).await;
        }
        catch_unwind(AssertUnwindSafe(|| job(app, body))).unwrap_or_else(|_| Err(panicked()))
    }

    /// Checks a short body against cached settings, on the event loop: nothing blocks.
    ///
    /// # Errors
    /// [`Refusal::Unexpected`] if it panicked.
    pub(crate) fn check_cached(&self, body: &Body, check: CheckAccount) -> Result<CreateStep, Refusal> {
        let Some(bytes) = body.short() else { return Ok(CreateStep::Check(check)) };
        catch_unwind(AssertUnwindSafe(|| check.run_cached(&self.app, bytes))).map_err(|_| panicked())
    }

    /// Has an account stored; its slot is held until it is.
    ///
    /// # Errors
    /// [`Refusal::Unavailable`] if no slot was free or the store did not answer; else the store's refusal.
    pub(crate) async fn stage(self: &Arc<Self>, creation: Arc<Creation>) -> Result<Staging, Refusal> {
        let slot = slot(&self.stagings, PATIENCE).await?;
        let (done, staged) = oneshot::channel();
        let told = move |staging| {
            drop(slot);
            // The caller may have gone.
            let _ = done.send(staging);
        };
        self.app.stage(creation, Box::new(told));
        let lost = |_| Refusal::Unexpected("an account was left unstored".into());
        let staged = timeout(SILENCE, staged).await.map_err(|_| silent())?;
        Ok(staged.map_err(lost)?.map_err(CreateRefused::from)?)
    }

    /// Calls a use case that may need documents: if it requests some, they are looked up and it is called
    /// again. No slot for blocking jobs is held meanwhile.
    ///
    /// # Errors
    /// The use case's refusal; [`Refusal::Unavailable`] if no slot was free or document storage is down.
    pub(crate) async fn run_with_documents<T: Send + 'static>(
        self: &Arc<Self>,
        organisation: Option<i64>,
        mut body: Body,
        work: Work,
        job: impl Fn(&App, &[u8], Option<&FoundDocuments>) -> Result<Step<T>, Refusal> + Clone + Send + 'static,
    ) -> Result<T, Refusal> {
        let mut found: Option<FoundDocuments> = None;
        loop {
            let (job, known) = (job.clone(), found.take());
            let job = move |app: &App, body: &[u8]| job(app, body, known.as_ref());
            let (step, rest) = self.run_on_body(organisation, body, work, job).await?;
            match step {
                Step::Done(done) => return Ok(done),
                Step::Documents(wanted) => found = Some(self.app.look_up(&wanted).await?),
            }
            body = rest;
        }
    }

    /// Calls a use case on a body within the limits for decoding, and gives the body back.
    ///
    /// # Errors
    /// The use case's refusal, or [`Refusal::Unavailable`] if no slot was free.
    pub(crate) async fn run_on_body<T: Send + 'static>(
        self: &Arc<Self>,
        organisation: Option<i64>,
        body: Body,
        work: Work,
        job: impl FnOnce(&App, &[u8]) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<(T, Body), Refusal> {
        let (weighed, weight) = self.weigh(organisation, body).await?;
        let job = move |app: &App, mut body: Body| {
            let _weight = weight;
            let done = job(app, body.unpack()?)?;
            Ok((done, body))
        };
        match work {
            Work::Reads => self.run_on(organisation, weighed, job).await,
            Work::Writes => self.run(organisation, move |app| job(app, weighed)).await,
        }
    }
}

fn panicked() -> Refusal {
    Refusal::Unexpected("a use case panicked".into())
}
