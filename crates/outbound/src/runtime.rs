use std::future::Future;
use std::io;
use std::panic::resume_unwind;
use std::sync::Arc;
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::task::JoinHandle;

/// Threads for all that goes out: they only wait for sockets.
const THREADS: usize = 2;

/// The runtime that adapters to the outside share. Clones are the same one; it ends with the last of them.
#[derive(Clone)]
pub struct OutboundRuntime(Arc<Threads>);

struct Threads {
    handle: Handle,
    runtime: Option<Runtime>,
}

impl OutboundRuntime {
    /// Starts its threads.
    ///
    /// # Errors
    /// What the system says if it gives no threads.
    pub fn start() -> io::Result<Self> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(THREADS)
            .thread_name("cutover-outbound")
            .enable_all()
            .build()?;
        Ok(Self(Arc::new(Threads { handle: runtime.handle().clone(), runtime: Some(runtime) })))
    }

    /// Runs a future on this runtime. What comes back may be awaited anywhere, with or without a runtime;
    /// dropping it ends the future. A panic of the future goes on in who awaits it.
    pub fn spawn<F>(&self, future: F) -> impl Future<Output = F::Output> + Send + use<F>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        let mut task = Task(self.0.handle.spawn(future));
        let alive = self.clone();
        async move {
            let _alive = alive;
            (&mut task.0).await.unwrap_or_else(|e| resume_unwind(e.into_panic()))
        }
    }
}

/// Dropping a runtime waits for its threads, which must not happen on a thread of another one.
impl Drop for Threads {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Nobody waits for the answer any more: so nobody is asked any more.
struct Task<T>(JoinHandle<T>);

impl<T> Drop for Task<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use std::time::Duration;

    #[test]
    fn a_plain_thread_may_wait_for_what_needs_a_runtime() {
        let runtime = OutboundRuntime::start().unwrap();
        let answer = runtime.spawn(async {
            tokio::time::sleep(Duration::from_millis(1)).await;
            7
        });
        assert_eq!(pollster::block_on(answer), 7);
    }

    #[test]
    fn another_runtime_may_wait_and_drop_it() {
        let other = Builder::new_current_thread().build().unwrap();
        other.block_on(async {
            let runtime = OutboundRuntime::start().unwrap();
            let answer = runtime.spawn(async { 7 });
            drop(runtime);
            assert_eq!(answer.await, 7);
        });
    }

    #[test]
    fn what_nobody_waits_for_ends() {
        let runtime = OutboundRuntime::start().unwrap();
        let (sender, receiver) = mpsc::channel::<()>();
        let answer = runtime.spawn(async move {
            std::future::pending::<()>().await;
            drop(sender);
        });
        drop(answer);
        assert_eq!(receiver.recv_timeout(Duration::from_secs(10)), Err(mpsc::RecvTimeoutError::Disconnected));
    }
}
