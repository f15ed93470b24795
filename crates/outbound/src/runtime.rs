use std::future::Future;
use std::io;
use std::panic::resume_unwind;
use std::sync::Arc;
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::task::JoinHandle;

/// Number of worker threads; they only wait for sockets.
const THREADS: usize = 2;

/// The runtime that the adapters share. Clones refer to the same runtime, which ends with the last of them.
#[derive(Clone)]
pub struct OutboundRuntime(Arc<Threads>);

struct Threads {
    handle: Handle,
    runtime: Option<Runtime>,
}

impl OutboundRuntime {
    /// Starts the threads.
    ///
    /// # Errors
    /// The error of the system if threads cannot be started.
    pub fn start() -> io::Result<Self> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(THREADS)
            .thread_name("cutover-outbound")
            .enable_all()
            .build()?;
        Ok(Self(Arc::new(Threads { handle: runtime.handle().clone(), runtime: Some(runtime) })))
    }

    /// Runs a future on this runtime to its end, unless the runtime ends before.
    pub fn spawn_detached<F>(&self, future: F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        self.0.handle.spawn(future);
    }

    /// Runs a future on this runtime. The returned future may be awaited anywhere, even without a runtime.
    /// Dropping it cancels the future. A panic is resumed where it is awaited.
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

/// Shuts down without waiting: dropping a runtime waits for its threads, which would panic on a thread of
/// another runtime.
impl Drop for Threads {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Cancels the task when dropped, because nobody awaits its result any more.
struct Task<T>(JoinHandle<T>);

impl<T> Drop for Task<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cutover_testkit_machine::STALLED;
    use std::sync::mpsc;
    use std::time::Duration;

    #[test]
    fn a_thread_without_a_runtime_may_wait() {
        let runtime = OutboundRuntime::start().unwrap();
        let answer = runtime.spawn(async {
            tokio::time::sleep(Duration::from_millis(1)).await;
            7
        });
        assert_eq!(pollster::block_on(answer), 7);
    }

    #[test]
    fn another_runtime_may_wait_and_drop_this_one() {
        let other = Builder::new_current_thread().build().unwrap();
        other.block_on(async {
            let runtime = OutboundRuntime::start().unwrap();
            let answer = runtime.spawn(async { 7 });
            drop(runtime);
            assert_eq!(answer.await, 7);
        });
    }

    #[test]
    fn a_dropped_future_is_cancelled() {
        let runtime = OutboundRuntime::start().unwrap();
        let (sender, receiver) = mpsc::channel::<()>();
        let answer = runtime.spawn(async move {
            std::future::pending::<()>().await;
            drop(sender);
        });
        drop(answer);
        assert_eq!(receiver.recv_timeout(STALLED), Err(mpsc::RecvTimeoutError::Disconnected));
    }
}
