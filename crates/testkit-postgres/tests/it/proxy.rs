use crate::fast;
use cutover_testkit_machine::STALLED;
use cutover_testkit_postgres::{Proxy, sql};
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

/// Starts a server that sends back all bytes that it receives.
fn echo() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            std::thread::spawn(move || std::io::copy(&mut &stream, &mut &stream));
        }
    });
    address
}

fn client(proxy: &Proxy) -> TcpStream {
    let stream = TcpStream::connect(proxy.address()).unwrap();
    stream.set_nodelay(true).unwrap();
    stream.set_read_timeout(Some(STALLED)).unwrap();
    stream
}

/// Sends bytes one by one without waiting for the echo, then reads them back.
fn pipeline(proxy: &Proxy, mut stream: &TcpStream, bytes: &[u8]) -> Duration {
    let begun = Instant::now();
    for byte in bytes {
        let before = proxy.bytes_to_server();
        stream.write_all(&[*byte]).unwrap();
        while proxy.bytes_to_server() == before {
            std::thread::yield_now();
        }
    }
    let mut answer = vec![0; bytes.len()];
    stream.read_exact(&mut answer).unwrap();
    assert_eq!(answer, bytes);
    begun.elapsed()
}

fn is_closed(mut stream: &TcpStream) -> bool {
    match stream.read(&mut [0]) {
        Ok(length) => length == 0,
        Err(e) => e.kind() == ErrorKind::ConnectionReset,
    }
}

#[test]
fn a_delay_applies_to_the_line_and_not_to_each_chunk() {
    let proxy = Proxy::start(echo()).unwrap();
    let stream = client(&proxy);
    pipeline(&proxy, &stream, b"x");
    let delay = Duration::from_millis(300);
    proxy.set_delay(delay);
    let bytes = [b'x'; 200];
    let took = pipeline(&proxy, &stream, &bytes);
    assert!(took >= delay && took < delay * bytes.len() as u32, "{took:?}");
}

#[test]
fn bytes_and_round_trips_are_counted() {
    // It answers the first bytes together: the echo of the first must not arrive before the last is sent.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let proxy = Proxy::start(listener.local_addr().unwrap()).unwrap();
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        for length in [3, 1] {
            let mut bytes = vec![0; length];
            stream.read_exact(&mut bytes).unwrap();
            stream.write_all(&bytes).unwrap();
        }
        // Open until the client is gone.
        stream.read_exact(&mut [0]).ok();
    });
    let stream = client(&proxy);
    pipeline(&proxy, &stream, b"abc");
    pipeline(&proxy, &stream, b"d");
    assert_eq!((proxy.bytes_to_server(), proxy.bytes_to_clients(), proxy.round_trips()), (4, 4, 2));
}

#[test]
fn connections_are_closed_when_cut_or_refused() {
    let proxy = Proxy::start(echo()).unwrap();
    let (one, other) = (client(&proxy), client(&proxy));
    pipeline(&proxy, &one, b"1");
    pipeline(&proxy, &other, b"2");
    assert_eq!(proxy.open(), 2);
    proxy.refuse();
    assert!(is_closed(&client(&proxy)));
    pipeline(&proxy, &one, b"1");
    proxy.cut();
    assert!(is_closed(&one) && is_closed(&other));
    proxy.restore();
    pipeline(&proxy, &client(&proxy), b"3");
}

#[test]
fn connections_hang_until_restored() {
    let proxy = Proxy::start(echo()).unwrap();
    let mut stream = client(&proxy);
    pipeline(&proxy, &stream, b"1");
    proxy.hang();
    stream.write_all(b"2").unwrap();
    stream.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
    let silence = stream.read(&mut [0]).unwrap_err().kind();
    assert!([ErrorKind::WouldBlock, ErrorKind::TimedOut].contains(&silence), "{silence}");
    proxy.restore();
    stream.set_read_timeout(Some(STALLED)).unwrap();
    assert!(is_closed(&stream));
    pipeline(&proxy, &client(&proxy), b"3");
}

#[test]
fn a_database_is_reached_through_it() {
    let Some(cluster) = fast() else { return };
    let proxy = Proxy::start(cluster.address()).unwrap();
    let through = proxy.url_through(&cluster.url("postgres")).unwrap();
    assert_eq!(sql(&through, "SELECT 1").unwrap(), "1");
    assert!(proxy.round_trips() >= 2);
    drop(proxy);
    assert!(sql(&through, "SELECT 1").is_err());
}

#[test]
fn a_request_or_response_is_lost_once() {
    let proxy = Proxy::start(echo()).unwrap();
    let say = |mut stream: &TcpStream, words: &[u8]| stream.write_all(words).unwrap();
    for lose in [Proxy::lose_answer as fn(&Proxy, &[&str]), Proxy::lose_request] {
        let (one, other) = (client(&proxy), client(&proxy));
        lose(&proxy, &["first", "last"]);
        // The texts in another order, or from two clients, lose nothing.
        pipeline(&proxy, &one, b"last");
        pipeline(&proxy, &other, b"l");
        say(&one, b"the first");
        let mut answer = [0; 9];
        (&one).read_exact(&mut answer).unwrap();
        assert!(!proxy.has_lost());
        say(&one, b"and the last");
        assert!(is_closed(&one) && proxy.has_lost());
        pipeline(&proxy, &other, b"first");
        say(&other, b"last");
        (&other).read_exact(&mut [0; 4]).unwrap();
    }
}
