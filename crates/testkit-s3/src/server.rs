use crate::fault::{self, Fault};
use crate::record::{Record, Seen};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response};
use hyper_util::rt::TokioIo;
use s3s::Body;
use s3s::auth::SimpleAuth;
use s3s::service::{S3Service, S3ServiceBuilder};
use s3s_fs::FileSystem;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use tempfile::TempDir;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// The bucket that is there from the start.
pub const BUCKET: &str = "documents";
/// The id of the one key that signs requests.
pub const ACCESS_KEY: &str = "AKIACUTOVERTESTS";
/// Its secret.
pub const SECRET_KEY: &str = "the-secret-of-the-storage-of-tests";

/// Object storage on a free port of loopback. It ends when it goes out of scope.
pub struct S3Server {
    folder: TempDir,
    address: SocketAddr,
    fault: watch::Sender<Fault>,
    record: Record,
}

impl S3Server {
    /// Starts it with an empty bucket.
    ///
    /// # Errors
    /// If the system gives it no folder, port or thread.
    pub fn start() -> io::Result<Self> {
        let folder = TempDir::new()?;
        std::fs::create_dir(folder.path().join(BUCKET))?;
        let storage = FileSystem::new(folder.path()).map_err(|e| io::Error::other(format!("{e:?}")))?;
        let mut builder = S3ServiceBuilder::new(storage);
        builder.set_auth(SimpleAuth::from_single(ACCESS_KEY, SECRET_KEY));
        let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let (fault, faults) = watch::channel(Fault::None);
        let record = Record::default();
        let desk = Desk { service: builder.build(), record: record.clone(), faults };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        std::thread::Builder::new()
            .name("s3".into())
            .spawn(move || runtime.block_on(serve(listener, address, desk)))?;
        Ok(Self { folder, address, fault, record })
    }

    /// Where it is, for `AWS_ENDPOINT_URL`.
    pub fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The variables of the environment by which programs find it and sign what they ask.
    pub fn environment(&self) -> Vec<(&'static str, String)> {
        vec![
            ("AWS_ENDPOINT_URL", self.endpoint()),
            ("AWS_ALLOW_HTTP", "true".into()),
            ("AWS_REGION", "eu-central-1".into()),
            ("AWS_ACCESS_KEY_ID", ACCESS_KEY.into()),
            ("AWS_SECRET_ACCESS_KEY", SECRET_KEY.into()),
        ]
    }

    /// The folder of a bucket, there or not.
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

    /// Breaks or mends the storage, from the next request on.
    pub fn set_fault(&self, fault: Fault) {
        self.fault.send_replace(fault);
    }

    /// Every request so far.
    pub fn seen(&self) -> Vec<Seen> {
        self.record.seen()
    }

    /// How many requests wait for their answer now.
    pub fn in_flight(&self) -> usize {
        self.record.now()
    }

    /// How many requests ever waited at the same time.
    pub fn most_in_flight(&self) -> usize {
        self.record.most()
    }
}

/// What answers.
#[derive(Clone)]
struct Desk {
    service: S3Service,
    record: Record,
    faults: watch::Receiver<Fault>,
}

/// Serves until the [`S3Server`] is dropped, with pauses while it is to be stopped.
async fn serve(listener: std::net::TcpListener, address: SocketAddr, desk: Desk) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let mut listener = TcpListener::from_std(listener)?;
    let mut faults = desk.faults.clone();
    loop {
        tokio::select! {
            () = accept(&listener, &desk) => {}
            stopped = faults.wait_for(|fault| *fault == Fault::Stopped) => if stopped.is_err() { return Ok(()) },
        }
        drop(listener);
        if faults.wait_for(|fault| *fault != Fault::Stopped).await.is_err() {
            return Ok(());
        }
        listener = TcpListener::bind(address).await?;
    }
}

/// Takes connections; they are closed when this is dropped.
async fn accept(listener: &TcpListener, desk: &Desk) {
    let mut connections = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        connections.spawn(connection(stream, desk.clone()));
    }
}

async fn connection(stream: TcpStream, desk: Desk) {
    let answer = service_fn(move |request| {
        let desk = desk.clone();
        async move { desk.answer(request).await }
    });
    // Clients and faults may break it off: that is no failure of the storage.
    http1::Builder::new().serve_connection(TokioIo::new(stream), answer).await.ok();
}

impl Desk {
    async fn answer(mut self, request: Request<Incoming>) -> io::Result<Response<Body>> {
        let _lasting = self.record.enter(&request);
        // An error: nobody can mend it any more.
        let fault = self.faults.wait_for(|fault| *fault != Fault::Silent).await.map(|fault| *fault);
        let has_body = request.method() != Method::HEAD;
        match fault.map_err(io::Error::other)? {
            Fault::Status(code) => Ok(fault::status(code)),
            Fault::Cut => fault::cut(self.ask(request).await?, has_body).await,
            Fault::None | Fault::Silent | Fault::Stopped => self.ask(request).await,
        }
    }

    async fn ask(&self, request: Request<Incoming>) -> io::Result<Response<Body>> {
        self.service.call(request.map(Body::from)).await.map_err(|e| io::Error::other(format!("{e:?}")))
    }
}
