//! Creates that block: the steps that the API awaits, performed one after the other.

use cutover_app::App;
use cutover_app::account::{CheckAccount, CreateRefused, CreateStep, StageAccount};
use cutover_app::auth::Caller;
use cutover_app::port::{Creation, Staging, StoreError};
use std::sync::{Arc, mpsc};

/// Creates an account, and returns once it is durably stored.
///
/// # Errors
/// [`CreateRefused`]; [`StoreError::Unavailable`] as well if documents cannot be looked up.
pub fn create_account(
    app: &App,
    caller: &Caller,
    request_id: Option<String>,
    body: &[u8],
) -> Result<(), CreateRefused> {
    let mut step = CheckAccount::new(caller.clone(), request_id).run_cached(app, body);
    loop {
        step = match step {
            CreateStep::Check(check) => check.run(app, body)?,
            CreateStep::LookUp(look_up) => {
                let found = pollster::block_on(app.look_up(look_up.wanted()));
                look_up.found(found.map_err(|_| StoreError::Unavailable("document storage".into()))?)
            }
            CreateStep::Stage(stage) => {
                let staging = stage_account(app, stage.creation().clone())?;
                stage.staged(staging)?
            }
            CreateStep::Resubmit(resubmit) => resubmit.run(app)?,
            CreateStep::Done(_) => return Ok(()),
        };
    }
}

/// Checks an account that must be accepted and names no documents, and stores nothing.
///
/// # Panics
/// If the account is refused.
pub fn accepted_account(app: &App, caller: &Caller, body: &[u8]) -> StageAccount {
    match CheckAccount::new(caller.clone(), None).run(app, body) {
        Ok(CreateStep::Stage(stage)) => stage,
        other => panic!("not accepted: {other:?}"),
    }
}

fn stage_account(app: &App, creation: Arc<Creation>) -> Result<Staging, StoreError> {
    let (done, staged) = mpsc::sync_channel(1);
    app.stage(creation, Box::new(move |staging| drop(done.send(staging))));
    staged.recv().expect("the store answers each account")
}
