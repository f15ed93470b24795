use crate::fault::{self, Fault};
use crate::record::{Record, Seen};
use cutover_testkit_machine::ReservedPort;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response};
use hyper_util::rt::TokioIo;
use s3s::Body;
use s3s::auth::SimpleAuth;
use s3s::service::{S3Service, S3ServiceBuilder};
use s3s_fs::FileSystem;
use socket2::SockRef;
use std::io;
use std::net::{Shutdown, SocketAddr};
use std::path::PathBuf;
use tempfile::TempDir;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// The bucket that exists from the start.
pub const BUCKET: &str = "documents";
/// Id of the only access key.
pub const ACCESS_KEY: &str = "AKIACUTOVERTESTS";
/// Secret of [`ACCESS_KEY`].
pub const SECRET_KEY: &str = "the-secret-of-the-storage-of-tests";

/// Object storage on a loopback port of its own. Stopped on drop.
pub struct S3Server {
    folder: TempDir,
    port: ReservedPort,
    fault: watch::Sender<Fault>,
    record: Record,
}

impl S3Server {
    /// Starts the storage with an empty bucket.
    ///
    /// # Errors
    /// If no folder, port or thread is available.
    pub fn start() -> io::Result<Self> {
        let folder = TempDir::new()?;
        std::fs::create_dir(folder.path().join(BUCKET))?;
        let storage = FileSystem::new(folder.path()).map_err(|e| io::Error::other(format!("{e:?}")))?;
        let mut builder = S3ServiceBuilder::new(storage);
        builder.set_auth(SimpleAuth::from_single(ACCESS_KEY, SECRET_KEY));
        let port = ReservedPort::new()?;
        let listener = std::net::TcpListener::bind(port.address())?;
        let address = port.address();
        let (fault, faults) = watch::channel(Fault::None);
        let record = Record::default();
        let handler = Handler { service: builder.build(), record: record.clone(), faults };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        std::thread::Builder::new()
            .name("s3".into())
            .spawn(move || runtime.block_on(serve(listener, address, handler)))?;
        Ok(Self { folder, port, fault, record })
    }

    /// Its URL, for `AWS_ENDPOINT_URL`.
    pub fn endpoint(&self) -> String {
        format!("http://{}", self.port.address())
    }

    /// Environment variables with its URL and its key.
    pub fn environment(&self) -> Vec<(&'static str, String)> {
        vec![
            ("AWS_ENDPOINT_URL", self.endpoint()),
            ("AWS_ALLOW_HTTP", "true".into()),
            ("AWS_REGION", "eu-central-1".into()),
            ("AWS_ACCESS_KEY_ID", ACCESS_KEY.into()),
            ("AWS_SECRET_ACCESS_KEY", SECRET_KEY.into()),
        ]
    }

    /// The folder of a bucket, which need not exist.
    pub fn bucket(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Puts an object into [`BUCKET`].
    ///
    /// # Errors
    /// If its file cannot be written.
    pub fn put(&self, key: &str, content: &[u8]) -> io::Result<()> {
        let file = self.bucket(BUCKET).join(key);
        file.parent().map_or(Ok(()), std::fs::create_dir_all)?;
        std::fs::write(file, content)
    }

    /// Sets or removes a fault, from the next request on.
    pub fn set_fault(&self, fault: Fault) {
        self.fault.send_replace(fault);
    }

    /// Returns every request so far.
    pub fn seen(&self) -> Vec<Seen> {
        self.record.seen()
    }

    /// Number of requests without an answer now.
    pub fn in_flight(&self) -> usize {
        self.record.now()
    }

    /// Maximum number of requests without an answer at the same time.
    pub fn most_in_flight(&self) -> usize {
        self.record.most()
    }
}

/// The handler of requests.
#[derive(Clone)]
struct Handler {
    service: S3Service,
    record: Record,
    faults: watch::Receiver<Fault>,
}

/// Serves until the [`S3Server`] is dropped, except during [`Fault::Stopped`].
async fn serve(listener: std::net::TcpListener, address: SocketAddr, handler: Handler) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let mut listener = TcpListener::from_std(listener)?;
    let mut faults = handler.faults.clone();
    loop {
        tokio::select! {
            () = accept(&listener, &handler) => {}
            stopped = faults.wait_for(|fault| *fault == Fault::Stopped) => if stopped.is_err() { return Ok(()) },
        }
        // A process that another thread is starting may have a copy, which would keep the port in use.
        SockRef::from(&listener).shutdown(Shutdown::Both).ok();
        drop(listener);
        if faults.wait_for(|fault| *fault != Fault::Stopped).await.is_err() {
            return Ok(());
        }
        listener = TcpListener::bind(address).await?;
    }
}

/// Accepts connections; they are closed when the future is dropped.
async fn accept(listener: &TcpListener, handler: &Handler) {
    let mut connections = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        connections.spawn(connection(stream, handler.clone()));
    }
}

async fn connection(stream: TcpStream, handler: Handler) {
    let answer = service_fn(move |request| {
        let handler = handler.clone();
        async move { handler.answer(request).await }
    });
    // Clients and faults may close the connection, which is no failure of the storage.
    http1::Builder::new().serve_connection(TokioIo::new(stream), answer).await.ok();
}

impl Handler {
    async fn answer(mut self, request: Request<Incoming>) -> io::Result<Response<Body>> {
        let _in_flight = self.record.enter(&request);
        // Fails once the server is dropped: the fault cannot change any more.
        let fault = self.faults.wait_for(|fault| *fault != Fault::Silent).await.map(|fault| *fault);
        let has_body = request.method() != Method::HEAD;
        match fault.map_err(io::Error::other)? {
            Fault::Status(code) => Ok(fault::status(code)),
            Fault::Cut => fault::cut(self.ask(request).await?, has_body).await,
            // Held back until now.
            Fault::Stopped => Err(io::ErrorKind::ConnectionAborted.into()),
            Fault::None | Fault::Silent => self.ask(request).await,
        }
    }

    async fn ask(&self, request: Request<Incoming>) -> io::Result<Response<Body>> {
        self.service.call(request.map(Body::from)).await.map_err(|e| io::Error::other(format!("{e:?}")))
    }
}
