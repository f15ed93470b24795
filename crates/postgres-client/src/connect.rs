use super::certificate::end_point;
use super::config::{ChannelBinding, Config, Encryption, Host, ServerKind};
use super::error::{ClientError, ServerError};
use super::passfile;
use super::session::{Session, is_timeout};
use super::stream::Stream;
use super::tls;
use bytes::BytesMut;
use fallible_iterator::FallibleIterator;
use postgres_protocol::authentication::md5_hash;
use postgres_protocol::authentication::sasl::{self, SCRAM_SHA_256, SCRAM_SHA_256_PLUS, ScramSha256};
use postgres_protocol::message::backend::{AuthenticationSaslBody, Message};
use postgres_protocol::message::frontend;
use rustls::pki_types::ServerName;
use rustls::{ClientConnection, StreamOwned};
use socket2::{SockRef, TcpKeepalive};
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::Duration;
use zeroize::Zeroizing;

/// Opens a session at the first server that takes it and is of the wanted kind.
pub(super) fn connect(config: &Config) -> Result<Session, ClientError> {
    let kinds = match config.server_kind {
        ServerKind::PreferStandby => vec![ServerKind::Standby, ServerKind::Any],
        kind => vec![kind],
    };
    let (mut faults, mut is_passing) = (Vec::new(), false);
    for kind in kinds {
        faults.clear();
        is_passing = false;
        for host in &config.hosts {
            let error = match connect_to(config, host, kind) {
                Ok(session) => return Ok(session),
                Err(error) => error,
            };
            is_passing |= error.is_passing();
            faults.push(match &error {
                ClientError::Lost(error) if is_timeout(error) => {
                    format!("{}: the server has not answered in time", shown(host))
                }
                error => format!("{}: {error}", shown(host)),
            });
        }
    }
    let faults = faults.join("\n");
    Err(if is_passing { ClientError::Unavailable(faults) } else { ClientError::Refused(faults) })
}

fn shown(host: &Host) -> String {
    let Host { name, port, .. } = host;
    if host.is_socket() { format!("{name}/.s.PGSQL.{port}") } else { format!("{name}:{port}") }
}

fn connect_to(config: &Config, host: &Host, kind: ServerKind) -> Result<Session, ClientError> {
    let limit = Some(config.connect_timeout).filter(|limit| !limit.is_zero());
    let (stream, binding) = open(config, host, limit)?;
    let mut session = Session::new(stream);
    session.set_answer_timeout(limit)?;
    start(&mut session, config, host, binding)?;
    check_kind(&mut session, kind)?;
    session.set_answer_timeout(config.answer_timeout)?;
    Ok(session)
}

/// Opens the socket, encrypted if both sides want it. Also returns the hash that binds authentication to the
/// connection.
fn open(
    config: &Config,
    host: &Host,
    limit: Option<Duration>,
) -> Result<(Stream, Option<Vec<u8>>), ClientError> {
    if host.is_socket() {
        return Ok((Stream::Local(UnixStream::connect(shown(host))?), None));
    }
    let mut socket = tcp(config, host, limit)?;
    if config.encryption == Encryption::Disable || !offers_tls(&mut socket)? {
        return match config.encryption {
            Encryption::Disable | Encryption::Prefer => Ok((Stream::Plain(socket), None)),
            _ => Err(ClientError::Refused("the server does not support TLS".to_owned())),
        };
    }
    let name = ServerName::try_from(host.name.clone());
    let name = name.map_err(|_| ClientError::Refused("its name cannot be in a certificate".to_owned()))?;
    let connection = ClientConnection::new(Arc::new(tls::client_config(config)?), name);
    let connection = connection.map_err(|error| ClientError::Refused(format!("TLS: {error}")))?;
    let mut tls = StreamOwned::new(connection, socket);
    while tls.conn.is_handshaking() {
        tls.conn.complete_io(&mut tls.sock).map_err(|error| match error.kind() {
            // rustls itself.
            io::ErrorKind::InvalidData => ClientError::Refused(format!("TLS: {error}")),
            _ if is_timeout(&error) => ClientError::Lost(error),
            _ => ClientError::Unavailable(format!("TLS: {error}")),
        })?;
    }
    let binding = tls.conn.peer_certificates().and_then(|chain| chain.first()).and_then(|own| end_point(own));
    Ok((Stream::Tls(Box::new(tls)), binding))
}

/// Connects to the first address of a host that answers.
fn tcp(config: &Config, host: &Host, limit: Option<Duration>) -> Result<TcpStream, ClientError> {
    let name = host.address.as_deref().unwrap_or(&host.name);
    let mut last = ClientError::Refused("its name has no address".to_owned());
    for address in (name, host.port).to_socket_addrs()? {
        match tcp_to(config, &address, limit) {
            Ok(socket) => return Ok(socket),
            Err(error) => last = error.into(),
        }
    }
    Err(last)
}

fn tcp_to(config: &Config, address: &SocketAddr, limit: Option<Duration>) -> io::Result<TcpStream> {
    let socket = match limit {
        Some(limit) => TcpStream::connect_timeout(address, limit)?,
        None => TcpStream::connect(address)?,
    };
    socket.set_nodelay(true)?;
    socket.set_read_timeout(limit)?;
    socket.set_write_timeout(limit)?;
    let options = SockRef::from(&socket);
    if let Some(keepalive) = config.keepalive {
        let mut settings = TcpKeepalive::new();
        if !keepalive.idle.is_zero() {
            settings = settings.with_time(keepalive.idle);
        }
        if !keepalive.interval.is_zero() {
            settings = settings.with_interval(keepalive.interval);
        }
        options.set_tcp_keepalive(&settings.with_retries(keepalive.count))?;
    }
    #[cfg(any(target_os = "linux", target_os = "android"))]
    options.set_tcp_user_timeout(config.user_timeout)?;
    Ok(socket)
}

/// Asks for TLS. The answer is one byte, and nothing may follow it yet.
fn offers_tls(socket: &mut TcpStream) -> Result<bool, ClientError> {
    let mut request = BytesMut::new();
    frontend::ssl_request(&mut request);
    socket.write_all(&request)?;
    let mut answer = [0];
    socket.read_exact(&mut answer)?;
    Ok(answer == *b"S")
}

/// Authenticates and waits until the server is ready.
pub(super) fn start(
    session: &mut Session,
    config: &Config,
    host: &Host,
    binding: Option<Vec<u8>>,
) -> Result<(), ClientError> {
    let own = [
        ("user", config.user.as_str()),
        ("database", &config.database),
        ("client_encoding", "UTF8"),
        ("TimeZone", "UTC"),
    ];
    let others = config.session.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    frontend::startup_message(own.into_iter().chain(others), &mut session.output)?;
    session.send()?;
    let is_bound_required = config.channel_binding == ChannelBinding::Require;
    let (mut is_bound, mut is_accepted) = (false, false);
    loop {
        match session.receive()? {
            Message::AuthenticationOk => {
                if is_bound_required && !is_bound {
                    return Err(ClientError::Refused("the server did not bind the channel".to_owned()));
                }
                is_accepted = true;
            }
            Message::AuthenticationCleartextPassword if !is_bound_required => {
                send_password(session, password(config, host)?.as_bytes())?;
            }
            Message::AuthenticationMd5Password(body) if !is_bound_required => {
                let hash = md5_hash(config.user.as_bytes(), password(config, host)?.as_bytes(), body.salt());
                send_password(session, hash.as_bytes())?;
            }
            Message::AuthenticationSasl(body) => {
                is_bound = authenticate(session, config, host, &body, binding.as_deref())?;
            }
            Message::BackendKeyData(_) => {}
            // Otherwise a server could leave out the proof of who it is.
            Message::ReadyForQuery(_) if is_accepted => return Ok(()),
            Message::ErrorResponse(body) => return Err(ServerError::new(&body)?.into()),
            Message::AuthenticationCleartextPassword | Message::AuthenticationMd5Password(_) => {
                return Err(ClientError::Refused("the server cannot bind the channel".to_owned()));
            }
            Message::AuthenticationGss | Message::AuthenticationSspi | Message::AuthenticationKerberosV5 => {
                return Err(ClientError::Refused("the server asks for Kerberos, not a password".to_owned()));
            }
            _ => return Err(session.unexpected()),
        }
    }
}

/// The password of the URL, or that of the password file for this host.
fn password(config: &Config, host: &Host) -> Result<Zeroizing<String>, ClientError> {
    let from_file = |file| passfile::password(file, host, &config.database, &config.user);
    let password = match (&config.password, &config.password_file) {
        (Some(password), _) => Some(password.clone()),
        (None, Some(file)) => from_file(file).map_err(ClientError::Refused)?,
        (None, None) => None,
    };
    password.ok_or_else(|| ClientError::Refused("the server asks for a password".to_owned()))
}

fn send_password(session: &mut Session, password: &[u8]) -> Result<(), ClientError> {
    frontend::password_message(password, &mut session.output)?;
    session.send()
}

/// Authenticates by SCRAM. Returns true if the channel is bound.
fn authenticate(
    session: &mut Session,
    config: &Config,
    host: &Host,
    body: &AuthenticationSaslBody,
    binding: Option<&[u8]>,
) -> Result<bool, ClientError> {
    let offered: Vec<String> = body.mechanisms().map(|name| Ok(name.to_owned())).collect()?;
    let offers = |name: &str| offered.iter().any(|mechanism| mechanism == name);
    let wanted = binding.filter(|_| config.channel_binding != ChannelBinding::Disable);
    let (mechanism, channel) = match wanted {
        Some(hash) if offers(SCRAM_SHA_256_PLUS) => {
            (SCRAM_SHA_256_PLUS, sasl::ChannelBinding::tls_server_end_point(hash.to_vec()))
        }
        _ if config.channel_binding == ChannelBinding::Require => {
            return Err(ClientError::Refused("the channel cannot be bound".to_owned()));
        }
        // Tells the server that it could have been bound, which reveals one in between that hides the offer.
        Some(_) => (SCRAM_SHA_256, sasl::ChannelBinding::unrequested()),
        None => (SCRAM_SHA_256, sasl::ChannelBinding::unsupported()),
    };
    if !offers(mechanism) {
        return Err(ClientError::Refused("the server offers no known way to authenticate".to_owned()));
    }
    let mut scram = ScramSha256::new(password(config, host)?.as_bytes(), channel);
    frontend::sasl_initial_response(mechanism, scram.message(), &mut session.output)?;
    session.send()?;
    let body = match session.receive()? {
        Message::AuthenticationSaslContinue(body) => body,
        Message::ErrorResponse(body) => return Err(ServerError::new(&body)?.into()),
        _ => return Err(session.unexpected()),
    };
    scram.update(body.data())?;
    frontend::sasl_response(scram.message(), &mut session.output)?;
    session.send()?;
    let body = match session.receive()? {
        Message::AuthenticationSaslFinal(body) => body,
        Message::ErrorResponse(body) => return Err(ServerError::new(&body)?.into()),
        _ => return Err(session.unexpected()),
    };
    scram.finish(body.data())?;
    Ok(mechanism == SCRAM_SHA_256_PLUS)
}

/// Checks the kind of a server. Servers report it since version 14.
fn check_kind(session: &mut Session, kind: ServerKind) -> Result<(), ClientError> {
    let is_on = |session: &Session, name| session.parameter(name).is_some_and(|value| value == "on");
    let is_standby = is_on(session, "in_hot_standby");
    let is_read_only = is_standby || is_on(session, "default_transaction_read_only");
    let fits = match kind {
        ServerKind::Any | ServerKind::PreferStandby => true,
        ServerKind::ReadWrite => !is_read_only,
        ServerKind::ReadOnly => is_read_only,
        ServerKind::Primary => !is_standby,
        ServerKind::Standby => is_standby,
    };
    if fits {
        Ok(())
    } else {
        // It may be promoted.
        Err(ClientError::Unavailable("not of the kind in target_session_attrs".to_owned()))
    }
}
