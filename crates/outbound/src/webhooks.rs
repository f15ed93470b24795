//! Sends webhooks over HTTP (contract D19), with the clients and the address rule of payment vendors.

use crate::OutboundRuntime;
use crate::vendors::address::BaseUrl;
use crate::vendors::client::{Clients, Trust};
use crate::vendors::outcome;
use crate::vendors::resolver::SystemResolver;
use crate::vendors::{VendorLimits, VendorsUnusable};
use cutover_app::port::{
    VendorError, WEBHOOK_ANSWER, WEBHOOK_DEADLINE, WebhookAnswer, WebhookDone, WebhookRequest, WebhookSender,
};
use reqwest::header::RETRY_AFTER;
use reqwest::{Client, Response};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// Time limits of an attempt: until the status, and for the beginning of the answer, which changes nothing. Together
/// they are shorter than [`WEBHOOK_DEADLINE`].
const STATUS: Duration = Duration::from_secs(12);
const BEGINNING: Duration = Duration::from_secs(2);

const _: () = assert!(STATUS.as_secs() + BEGINNING.as_secs() < WEBHOOK_DEADLINE.as_secs());

/// Sends requests to receivers of webhooks over HTTP. Redirects are not followed.
pub struct HttpWebhooks {
    runtime: OutboundRuntime,
    clients: Arc<Clients>,
}

impl HttpWebhooks {
    /// Uses the names and trusted certificates of the system. Proxies of the environment are not used.
    ///
    /// # Errors
    /// [`VendorsUnusable`] if no HTTP client can be built.
    pub fn new(runtime: OutboundRuntime) -> Result<Self, VendorsUnusable> {
        let limits = VendorLimits { attempt: STATUS, ..VendorLimits::default() };
        let resolver = Arc::new(SystemResolver);
        let clients = Clients::new(limits, resolver, Trust::System)?;
        Ok(Self { runtime, clients: Arc::new(clients) })
    }
}

impl WebhookSender for HttpWebhooks {
    fn check_url(&self, url: &str) -> Result<(), String> {
        BaseUrl::parse(url).map(drop)
    }

    fn send(&self, request: WebhookRequest, done: WebhookDone) {
        let clients = self.clients.clone();
        self.runtime.spawn_detached(async move {
            let answer = exchange(&clients, request).await;
            done(answer.unwrap_or_else(|error| WebhookAnswer::Failed(kind(error))));
        });
    }
}

/// Returns the kind of a failure, which names neither the URL nor anything of an answer.
fn kind(error: VendorError) -> String {
    match error {
        VendorError::Rejected(kind) | VendorError::Unavailable(kind) => kind,
    }
}

async fn exchange(clients: &Clients, request: WebhookRequest) -> Result<WebhookAnswer, VendorError> {
    let refused = |cause| VendorError::Rejected(format!("its URL cannot be used: {cause}"));
    let base = BaseUrl::parse(&request.url).map_err(refused)?;
    let client = clients.for_url(&base)?;
    let answer = timeout(STATUS, post(&client, base, request)).await;
    let mut answer = answer.map_err(|_| outcome::too_late())??;
    let retry_after = answer.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
    let (status, retry_after) = (answer.status().as_u16(), retry_after.map(str::to_owned));
    let mut beginning = Vec::new();
    // Whatever was read by then is kept.
    let _ = timeout(BEGINNING, read(&mut answer, &mut beginning)).await;
    Ok(WebhookAnswer::Status { status, beginning, retry_after })
}

async fn post(client: &Client, base: BaseUrl, request: WebhookRequest) -> Result<Response, VendorError> {
    let mut post = client.post(base.url).body(request.body);
    for (name, value) in request.headers {
        post = post.header(name, value);
    }
    post.send().await.map_err(|error| outcome::of_error(&error))
}

/// Reads the beginning of an answer. The rest is not read, and its connection not used again.
async fn read(answer: &mut Response, beginning: &mut Vec<u8>) {
    while let Ok(Some(chunk)) = answer.chunk().await {
        let left = WEBHOOK_ANSWER - beginning.len();
        beginning.extend_from_slice(&chunk[..chunk.len().min(left)]);
        if beginning.len() == WEBHOOK_ANSWER {
            return;
        }
    }
}
