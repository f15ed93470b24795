use crate::error::Error;
use crate::settings::Settings;
use cutover_app::App;
use cutover_app::nodes::{HEARTBEAT, NodeDescription, REFUSED_INTERVAL, RETRY};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Records in the database that this process serves it, and the creates that it refuses, until it is dropped.
pub(super) struct Heartbeat {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Heartbeat {
    /// Records the process, then keeps the record fresh on a thread.
    ///
    /// # Errors
    /// [`Error`] if it could not be recorded.
    pub(super) fn start(app: Arc<App>, settings: &Settings, keys: Vec<String>) -> Result<Self, Error> {
        let role = settings.values.role.as_str().to_owned();
        let version = env!("CARGO_PKG_VERSION").to_owned();
        Self::every(HEARTBEAT, app, NodeDescription { role, version, encryption_keys: keys })
    }

    /// Keeps the record fresh at this interval. Creates that are refused are written more often.
    fn every(interval: Duration, app: Arc<App>, process: NodeDescription) -> Result<Self, Error> {
        let node = app.add_node(process)?;
        let (stop, stopped) = channel::<()>();
        let beat = move || {
            let (mut pause, mut due) = (REFUSED_INTERVAL, Instant::now() + interval);
            while stopped.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                let is_due = Instant::now() >= due;
                let recorded = if is_due { app.renew_node(&node) } else { app.record_refused_of(&node) };
                pause = REFUSED_INTERVAL;
                match recorded {
                    Ok(()) if is_due => due = Instant::now() + interval,
                    Ok(()) => {}
                    Err(error) => {
                        tracing::warn!(%error, "the record of this process could not be renewed");
                        (pause, due) = (RETRY, Instant::now());
                    }
                }
            }
            if let Err(error) = app.remove_node(&node) {
                tracing::warn!(%error, "the record of this process could not be removed");
            }
        };
        let thread = thread::Builder::new().name("heartbeat".into()).spawn(beat)?;
        Ok(Self { stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for Heartbeat {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // Its errors are in the log.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cutover_app::auth::Credential;
    use cutover_app::operator::SupplierChange;
    use cutover_app::port::{ApiKeyRole, Store, read_committed};
    use cutover_app::{Ports, Settings};
    use cutover_testkit::memory::MemoryStore;
    use cutover_testkit::{
        FakeClock, FakeDocuments, FakeVendors, FakeWebhooks, SeededRandom, create_account,
    };
    use cutover_testkit_machine::wait_for_count;

    fn app(store: Arc<dyn Store>) -> App {
        let ports = Ports {
            store,
            clock: Arc::new(FakeClock::of_fixtures()),
            random: Arc::new(SeededRandom::new(1)),
            documents: Arc::<FakeDocuments>::default(),
            vendors: Arc::<FakeVendors>::default(),
            webhooks: Arc::<FakeWebhooks>::default(),
        };
        App::new(ports, Settings::default())
    }

    /// A kill loses what was refused in the last second, and not what was refused since the last record.
    #[test]
    fn refused_creates_are_written_before_the_next_record_of_the_process() {
        let store: Arc<dyn Store> = Arc::<MemoryStore>::default();
        let app = Arc::new(app(store.clone()));
        app.add_organisation("Acme").unwrap();
        app.as_command().add_supplier("ACME", "Acme", SupplierChange::default()).unwrap();
        let key = app.as_command().issue_api_key("Acme", ApiKeyRole::Supplier).unwrap().key;
        let token = app.obtain_token(&Credential::ApiKey(key)).unwrap().token;
        let caller = app.authenticate(&token).unwrap();
        let process =
            NodeDescription { role: "all".into(), version: "1.2.3".into(), encryption_keys: Vec::new() };
        let _heartbeat = Heartbeat::every(Duration::from_secs(3_600), app.clone(), process).unwrap();
        let faulty = br#"{"import_supplier":"ACME","external_account_number":"A-1","customers":7}"#;
        assert!(create_account(&app, &caller, None, faulty).is_err());
        let id = app.as_command().show_supplier("ACME").unwrap().id;
        let written = || read_committed(&*store, |tx| tx.refused_figures(id, 0)).unwrap().accounts;
        wait_for_count("it is written", 1, || written() as usize);
    }
}
