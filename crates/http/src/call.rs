use crate::answer::json;
use crate::connection::pace::Pace;
use crate::openapi::Parameter;
use crate::refusal::Refusal;
use crate::request::body::{self, Body};
use crate::request::client::{self, Client, network};
use crate::request::{authorization, query};
use crate::service::work::Work;
use crate::service::{Listener, Service};
use actix_web::dev::Payload;
use actix_web::http::Method;
use actix_web::http::header::{COOKIE, HeaderMap, HeaderValue};
use actix_web::{HttpRequest, HttpResponse};
use cutover_app::auth::{Attempt, AttemptKind, Caller, Denied, Outcome};
use cutover_app::port::Access;
use cutover_app::{App, FoundDocuments, Step};
use futures_util::future::LocalBoxFuture;
use serde::Serialize;
use std::rc::Rc;
use std::sync::Arc;

/// The largest form in bytes: those of the console hold at most a key.
const MAX_FORM: usize = 16 << 10;

/// The future that a handler returns.
pub(crate) type Answer<'c> = LocalBoxFuture<'c, Result<HttpResponse, Refusal>>;

/// The handler of an endpoint.
pub(crate) type Handler = for<'c> fn(&'c mut Call) -> Answer<'c>;

/// Returns a response with a JSON body; without one there is no such resource.
///
/// # Errors
/// [`Refusal::NotFound`].
pub(crate) fn found(body: Option<impl Serialize>) -> Result<HttpResponse, Refusal> {
    Ok(json(&mut HttpResponse::Ok(), &body.ok_or(Refusal::NotFound)?))
}

/// One request, as passed to its handler.
pub(crate) struct Call {
    service: Arc<Service>,
    listener: Listener,
    http: HttpRequest,
    id: HeaderValue,
    /// The unread rest of the body.
    unread: Option<Payload>,
    parameters: Vec<String>,
    /// Names that the query may have.
    declared: &'static [Parameter],
    client: Rc<Client>,
}

impl Call {
    /// Creates a call for a request.
    pub(crate) fn new(
        service: Arc<Service>,
        listener: Listener,
        http: HttpRequest,
        id: HeaderValue,
        payload: Payload,
        client: Rc<Client>,
    ) -> Self {
        let unread = (!matches!(payload, Payload::None)).then_some(payload);
        Self { service, listener, http, id, unread, parameters: Vec::new(), declared: &[], client }
    }

    /// Sets the parameters of the path, and those that the endpoint of the request has in a query.
    pub(crate) fn set_parameters(&mut self, of_path: Vec<String>, of_query: &'static [Parameter]) {
        self.parameters = of_path;
        self.declared = of_query;
    }

    /// Returns the state that all requests share.
    pub(crate) fn service(&self) -> &Arc<Service> {
        &self.service
    }

    /// Returns the id that the response will carry.
    pub(crate) fn request_id(&self) -> Option<String> {
        self.id.to_str().ok().map(str::to_owned)
    }

    /// Takes a decoded path parameter by its index in the template.
    pub(crate) fn parameter(&mut self, index: usize) -> String {
        self.parameters.get_mut(index).map(std::mem::take).unwrap_or_default()
    }

    /// Returns the raw query of the URL; empty if there is none.
    pub(crate) fn query(&self) -> &str {
        self.http.uri().query().unwrap_or_default()
    }

    /// Returns the raw path of the URL.
    pub(crate) fn path(&self) -> &str {
        self.http.uri().path()
    }

    /// Returns the method.
    pub(crate) fn method(&self) -> &Method {
        self.http.method()
    }

    /// Returns true for a HEAD request.
    pub(crate) fn is_head(&self) -> bool {
        self.http.method() == Method::HEAD
    }

    /// Authenticates an operator, by its API key (decision 0068); otherwise like [`caller`](Self::caller). A token belongs to
    /// a caller of another role, who is refused.
    ///
    /// # Errors
    /// As there.
    pub(crate) async fn operator(&mut self) -> Result<Caller, Refusal> {
        let judged = match authorization::token(self.headers()) {
            Ok(key) => {
                self.throttle_sign_in(AttemptKind::ApiRequest)?;
                self.service.authenticate_key(key).await?
            }
            Err(denied) => Err(denied),
        };
        self.admit(judged, Access::Operate)
    }

    /// Authenticates the caller by the access token (contract D2), counts the request against the
    /// organisation's rate, and refuses parameters that the endpoint does not have (contract D13).
    ///
    /// # Errors
    /// [`Refusal::NotAuthenticated`], [`Refusal::AuthenticationFailed`], [`Refusal::Throttled`],
    /// [`Refusal::PermissionDenied`] if the role of its key does not permit such requests, and [`Refusal::Query`].
    pub(crate) async fn caller(&mut self) -> Result<Caller, Refusal> {
        let is_read = matches!(*self.method(), Method::GET | Method::HEAD);
        self.caller_for(if is_read { Access::Read } else { Access::Send }).await
    }

    /// Like [`caller`](Self::caller), for a request that needs another permission.
    ///
    /// # Errors
    /// As there.
    pub(crate) async fn caller_for(&mut self, access: Access) -> Result<Caller, Refusal> {
        let judged = match authorization::token(self.headers()) {
            Ok(token) => self.service.authenticate(token).await?,
            Err(denied) => Err(denied),
        };
        self.admit(judged, access)
    }

    /// Admits a caller whose role permits the access.
    fn admit(&self, judged: Result<Caller, Denied>, access: Access) -> Result<Caller, Refusal> {
        let not_permitted = judged.as_ref().ok().filter(|caller| !caller.role.permits(access));
        let not_permitted = not_permitted.map(|caller| Denied::of_caller(Outcome::WrongRole, caller));
        let result = match (&judged, &not_permitted) {
            (Err(denied), _) | (_, Some(denied)) => Err(denied),
            (Ok(caller), None) => Ok(&*caller.key_prefix),
        };
        self.attempted(AttemptKind::ApiRequest, result);
        let caller = judged?;
        self.belongs_to(caller.organisation_id);
        self.service.throttle.organisation(caller.organisation_id)?;
        if not_permitted.is_some() {
            return Err(Refusal::PermissionDenied);
        }
        let is_declared = |name: &str| self.declared.iter().any(|parameter| parameter.name == name);
        let unexpected = query::unexpected(self.query(), is_declared);
        if unexpected.is_empty() { Ok(caller) } else { Err(Refusal::Query(unexpected)) }
    }

    /// Notes an attempt to authenticate with the public part of its key, or with the reason of its refusal.
    pub(crate) fn attempted(&self, kind: AttemptKind, result: Result<&str, &Denied>) {
        match result {
            Ok(prefix) => self.client.set_key(prefix),
            // Others only have the form of a key.
            Err(Denied { api_key_id: Some(_), key_prefix: Some(prefix), .. }) => self.client.set_key(prefix),
            Err(_) => {}
        }
        let client = self.client.address;
        let request_id = self.id.to_str().unwrap_or_default();
        self.service
            .app
            .note_attempt(&Attempt { kind, client, network: network(client), request_id }, result);
    }

    /// Counts an attempt to sign in from the client's address.
    ///
    /// # Errors
    /// [`Refusal::Throttled`] if it comes too often.
    pub(crate) fn throttle_sign_in(&self, kind: AttemptKind) -> Result<(), Refusal> {
        let allowed = self.service.throttle.sign_in(self.client.address);
        if allowed.is_err() {
            self.attempted(kind, Err(&Denied::of(Outcome::Throttled)));
        }
        allowed
    }

    /// Counts a certificate of a supplier.
    ///
    /// # Errors
    /// [`Refusal::Throttled`] if it comes too often.
    pub(crate) fn throttle_certificate(&self, supplier: i64) -> Result<(), Refusal> {
        self.service.throttle.certificate(supplier)
    }

    /// Sets the organisation of the caller.
    pub(crate) fn belongs_to(&self, organisation: i64) {
        self.client.organisation.set(Some(organisation));
    }

    /// Returns the organisation of the caller, once it is known.
    pub(crate) fn organisation(&self) -> Option<i64> {
        self.client.organisation.get()
    }

    /// Reads the JSON body, up to the configured limit.
    ///
    /// # Errors
    /// See [`body::announced`] and its `read`.
    pub(crate) async fn body(&mut self) -> Result<Body, Refusal> {
        self.small_body(self.service.body_limit).await
    }

    /// Reads the JSON body, up to `limit` bytes.
    ///
    /// # Errors
    /// See [`body::announced`] and its `read`.
    pub(crate) async fn small_body(&mut self, limit: usize) -> Result<Body, Refusal> {
        self.read(body::is_json, limit.min(self.service.body_limit)).await
    }

    async fn read(
        &mut self,
        takes: fn(&HeaderMap) -> Result<(), Refusal>,
        limit: usize,
    ) -> Result<Body, Refusal> {
        let body = body::announced(self.http.headers(), takes, limit)?;
        self.send_continue().await;
        body.read(&mut self.unread, &self.service.bodies, self.client.organisation.get()).await
    }

    /// Sends `100 Continue` if the client waits for it. Called once the head can no longer be refused.
    async fn send_continue(&self) {
        if self.http.head().expect()
            && self.unread.is_some()
            && let Some(pace) = self.http.conn_data::<Rc<Pace>>()
        {
            pace.send_continue().await;
        }
    }

    /// Reads the text of a form: pairs encoded as in a query.
    ///
    /// # Errors
    /// See [`body::announced`] and its `read`.
    pub(crate) async fn form(&mut self) -> Result<String, Refusal> {
        let mut body = self.read(body::is_form, MAX_FORM).await?;
        let text =
            std::str::from_utf8(body.unpack()?).map_err(|_| Refusal::Invalid("The form is not UTF-8."))?;
        Ok(text.to_owned())
    }

    /// Returns the value of a cookie.
    pub(crate) fn cookie(&self, name: &str) -> Option<String> {
        let sent = self.headers().get_all(COOKIE).filter_map(|value| value.to_str().ok());
        let mut pairs =
            sent.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
        pairs.find(|(given, _)| *given == name).map(|(_, value)| value.to_owned())
    }

    /// Returns true if the client connects with TLS, to this server or to a trusted proxy that says so.
    pub(crate) fn is_secure(&self) -> bool {
        let peer = self.http.peer_addr().map(|peer| peer.ip().to_canonical());
        let is_trusted = peer.is_some_and(|peer| self.service.trusted_proxies.contains(&peer));
        // The admin address never has TLS.
        let has_tls = self.service.is_secure && self.listener == Listener::Public;
        has_tls || is_trusted && client::is_forwarded_with_tls(self.headers())
    }

    /// Calls a use case, off the event loop; see [`Service::run`].
    ///
    /// # Errors
    /// The use case's refusal, or [`Refusal::Unavailable`] if no slot was free.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce(&App) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        self.service.run(self.organisation(), job).await
    }

    /// Calls a use case that reads a page of a filtered list; see [`Service::run_page`].
    ///
    /// # Errors
    /// The use case's refusal, or [`Refusal::Unavailable`] if no slot was free.
    pub(crate) async fn run_page<T: Send + 'static>(
        &self,
        job: impl FnOnce(&App) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        self.service.run_page(self.organisation(), job).await
    }

    /// Calls a use case that may take long, and waits until it has ended; see [`Service::run_to_end`].
    ///
    /// # Errors
    /// The use case's refusal.
    pub(crate) async fn run_to_end<T: Send + 'static>(
        &self,
        job: impl FnOnce(&App) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        self.service.run_to_end(self.organisation(), job).await
    }

    /// Calls a use case that works on a body and waits for a commit; see [`Service::run_on_body`].
    ///
    /// # Errors
    /// The use case's refusal, or [`Refusal::Unavailable`] if no slot was free.
    pub(crate) async fn run_with<T: Send + 'static>(
        &self,
        body: Body,
        job: impl FnOnce(&App, &[u8]) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        Ok(self.service.run_on_body(self.organisation(), body, Work::Writes, job).await?.0)
    }

    /// Calls a use case that may need documents; see [`Service::run_with_documents`].
    ///
    /// # Errors
    /// The use case's refusal; [`Refusal::Unavailable`] if no slot was free or document storage is down.
    pub(crate) async fn run_with_documents<T: Send + 'static>(
        &self,
        body: Body,
        work: Work,
        job: impl Fn(&App, &[u8], Option<&FoundDocuments>) -> Result<Step<T>, Refusal> + Clone + Send + 'static,
    ) -> Result<T, Refusal> {
        self.service.run_with_documents(self.organisation(), body, work, job).await
    }

    /// Takes the unread rest of the body, for a handler that reads it itself.
    pub(crate) async fn take_unread(&mut self) -> Option<Payload> {
        self.send_continue().await;
        self.unread.take()
    }

    /// Hands each chunk of the body to `take`, up to `limit` bytes.
    ///
    /// # Errors
    /// See [`body::each_chunk`].
    pub(crate) async fn each_chunk(
        &mut self,
        limit: usize,
        take: impl AsyncFnMut(&[u8]) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        self.send_continue().await;
        body::each_chunk(&mut self.unread, limit, self.service.bodies.time, take).await
    }

    /// Returns the headers.
    pub(crate) fn headers(&self) -> &HeaderMap {
        self.http.headers()
    }

    /// Returns the request and the unread rest of its body.
    pub(crate) fn into_parts(self) -> (HttpRequest, Option<Payload>) {
        (self.http, self.unread)
    }
}

#[cfg(test)]
mod tests {
    use crate::config::Config;
    use crate::testing::{ACCOUNT, TestService};
    use actix_web::test::TestRequest;
    use cutover_app::port::{Store, StoreError, Tx, WriteJob};
    use cutover_testkit::memory::MemoryStore;
    use cutover_testkit_machine::STALLED;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::{Arc, Mutex, mpsc};
    use std::thread::{self, ThreadId};
    use tokio::sync::oneshot;

    const VALIDATE: &str = "/v2/data-import/accounts/validate/";

    /// A store all of whose readers can be busy.
    struct Contended {
        store: Arc<MemoryStore>,
        is_free: AtomicBool,
        /// The thread of the last read.
        thread: Mutex<Option<ThreadId>>,
        /// The next read signals the sender, then waits for the receiver.
        wait: Mutex<Option<(oneshot::Sender<()>, mpsc::Receiver<()>)>>,
    }

    impl Store for Contended {
        fn read(&self, job: &mut dyn FnMut(&mut dyn Tx) -> Result<(), StoreError>) -> Result<(), StoreError> {
            *self.thread.lock().unwrap() = Some(thread::current().id());
            if let Some((begin, free)) = self.wait.lock().unwrap().take() {
                let _ = begin.send(());
                let waited = free.recv_timeout(STALLED);
                waited.map_err(|e| StoreError::Unavailable(e.to_string()))?;
            }
            self.store.read(job)
        }

        fn write(&self, job: WriteJob) -> Result<(), StoreError> {
            self.store.write(job)
        }

        fn ping(&self) -> Result<(), StoreError> {
            self.store.ping()
        }

        fn reads_at_once(&self) -> bool {
            self.is_free.load(Ordering::SeqCst)
        }
    }

    #[actix_web::test]
    async fn a_read_that_would_wait_does_not_block_the_event_loop() {
        let mut contended = None;
        let service = TestService::over(Config { rate_limit: 0, ..Config::default() }, |store| {
            let (is_free, thread, wait) = (AtomicBool::new(true), Mutex::default(), Mutex::default());
            contended.insert(Arc::new(Contended { store, is_free, thread, wait })).clone()
        });
        let store = contended.unwrap();
        let is_here = || *store.thread.lock().unwrap() == Some(thread::current().id());
        // The settings of the supplier are read again after 10 ms.
        let later = || service.clock.advance(chrono::Duration::milliseconds(10));
        // From here on the token is cached.
        assert_eq!(service.post(VALIDATE, ACCOUNT).await.line(), "200 {}");
        later();
        assert_eq!(service.post(VALIDATE, ACCOUNT).await.line(), "200 {}");
        assert!(is_here(), "it does not wait");

        store.is_free.store(false, Ordering::SeqCst);
        let ((begin, begun), (free, freed)) = (oneshot::channel(), mpsc::channel());
        *store.wait.lock().unwrap() = Some((begin, freed));
        later();
        let meanwhile = async {
            begun.await.unwrap();
            let health = service.send(TestRequest::get().uri("/healthz")).await;
            // The receiver is gone if the event loop waited for the read.
            let _ = free.send(());
            health
        };
        let (validated, health) = futures_util::join!(service.post(VALIDATE, ACCOUNT), meanwhile);
        assert_eq!((validated.line().as_str(), health.status), ("200 {}", 200));
        assert!(!is_here());
    }
}
