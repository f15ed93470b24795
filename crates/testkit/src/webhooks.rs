use cutover_app::port::{WebhookAnswer, WebhookDone, WebhookRequest, WebhookSender};
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A receiver of webhooks whose answers are set by a test; it answers 200 at first.
#[derive(Default)]
pub struct FakeWebhooks {
    state: Mutex<FakeState>,
}

#[derive(Default)]
struct FakeState {
    answers: VecDeque<Option<WebhookAnswer>>,
    always: Option<Option<WebhookAnswer>>,
    received: Vec<WebhookRequest>,
    hanging: Vec<(WebhookRequest, WebhookDone)>,
}

/// An answer with this status.
pub fn webhook_status(status: u16) -> WebhookAnswer {
    WebhookAnswer::Status { status, beginning: b"answer".to_vec(), retry_after: None }
}

impl FakeWebhooks {
    fn state(&self) -> MutexGuard<'_, FakeState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the answer to the next request; `None` lets it hang. Answers are given in the order in which they were set.
    pub fn answer_next(&self, answer: Option<WebhookAnswer>) {
        self.state().answers.push_back(answer);
    }

    /// Sets the answer to all requests that have none of their own; `None` lets them hang.
    pub fn answer_always(&self, answer: Option<WebhookAnswer>) {
        self.state().always = Some(answer);
    }

    /// Returns the requests so far, in the order in which they were sent.
    pub fn received(&self) -> Vec<WebhookRequest> {
        self.state().received.clone()
    }

    /// Answers the requests that hang.
    pub fn release(&self, answer: &WebhookAnswer) -> usize {
        let hanging = std::mem::take(&mut self.state().hanging);
        let count = hanging.len();
        hanging.into_iter().for_each(|(_, done)| done(answer.clone()));
        count
    }
}

impl WebhookSender for FakeWebhooks {
    /// Accepts all texts except those that start with `bad`.
    fn check_url(&self, url: &str) -> Result<(), String> {
        if url.starts_with("bad") { Err("the URL is bad".into()) } else { Ok(()) }
    }

    fn send(&self, request: WebhookRequest, done: WebhookDone) {
        let mut state = self.state();
        state.received.push(request.clone());
        let usual = state.always.clone().unwrap_or(Some(webhook_status(200)));
        match state.answers.pop_front().unwrap_or(usual) {
            Some(answer) => {
                drop(state);
                done(answer);
            }
            None => state.hanging.push((request, done)),
        }
    }
}
