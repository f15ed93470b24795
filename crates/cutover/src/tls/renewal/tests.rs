use super::*;
use crate::tls::CertificateFiles;
use std::fs::{self, File};
use std::sync::Mutex;

/// A certificate that is followed by hand, at times that the test chooses.
struct Followed {
    home: CertificateFiles,
    renewal: CertificateRenewal,
    now: DateTime<Utc>,
}

impl Followed {
    /// Follows a certificate that expires in so many days.
    fn new(days: i64) -> Self {
        let (home, now) = (CertificateFiles::new(), "2026-11-26T12:00:00Z".parse().unwrap());
        write(&home, now, days);
        let renewal = CertificateRenewal::open(&home.files, now).unwrap();
        Self { home, renewal, now }
    }

    /// Writes another certificate and its key.
    fn write(&self, days: i64) {
        write(&self.home, self.now, days);
    }

    fn check(&mut self) {
        self.renewal.check(false, self.now);
    }

    /// Returns in how many days the presented certificate expires, by the metric.
    fn days(&self) -> i64 {
        let expiry = DateTime::from_timestamp(self.renewal.expiry.load(Ordering::Relaxed), 0).unwrap();
        assert_eq!(expiry, Validity::of(&self.renewal.presented.get().cert).unwrap().not_after());
        assert!(self.renewal.presented.get().keys_match().is_ok());
        (expiry - self.now).num_days()
    }
}

fn write(home: &CertificateFiles, now: DateTime<Utc>, days: i64) {
    home.write(&[(now - TimeDelta::days(60), now + TimeDelta::days(days))]);
}

/// Returns what was logged meanwhile, without times.
fn logged(run: impl FnOnce()) -> Vec<String> {
    let log = tempfile::NamedTempFile::new().unwrap();
    let writer = Mutex::new(File::create(log.path()).unwrap());
    let subscriber = tracing_subscriber::fmt().with_writer(writer).without_time().with_target(false);
    tracing::subscriber::with_default(subscriber.with_ansi(false).finish(), run);
    let lines = fs::read_to_string(log.path()).unwrap();
    lines.lines().map(|line| line.trim().to_owned()).collect()
}

#[test]
fn a_renewed_certificate_is_used_once_its_files_are_settled() {
    let mut followed = Followed::new(10);
    let key = fs::read(&followed.home.files.key).unwrap();
    followed.write(90);
    let renewed = fs::read(&followed.home.files.key).unwrap();
    // The files are replaced one after the other.
    fs::write(&followed.home.files.key, key).unwrap();
    followed.check();
    fs::write(&followed.home.files.key, renewed).unwrap();
    let log = logged(|| followed.check());
    assert_eq!((followed.days(), log), (10, vec![]));
    let log = logged(|| followed.check());
    assert_eq!(followed.days(), 90);
    assert_eq!(log, ["INFO the TLS certificate was read again: it expires on 2027-02-24, in 90 days"]);
    assert!(logged(|| followed.check()).is_empty(), "nothing has changed");
}

#[test]
fn a_pair_that_does_not_fit_is_never_used() {
    let mut followed = Followed::new(30);
    let key = fs::read(&followed.home.files.key).unwrap();
    followed.write(90);
    fs::write(&followed.home.files.key, key).unwrap();
    followed.check();
    let log = logged(|| followed.check());
    assert_eq!(followed.days(), 30);
    let [line] = &log[..] else { panic!("{log:?}") };
    assert!(line.starts_with("ERROR the TLS certificate could not be replaced; the one in use stays: it expires on 2026-12-26, in 30 days"), "{line}");
    assert!(line.contains("key.pem: keys may not be consistent: KeyMismatch"), "{line}");
    assert!(logged(|| followed.check()).is_empty(), "it is logged once");
}

#[test]
fn broken_and_missing_files_leave_the_certificate_in_use() {
    let mut followed = Followed::new(30);
    let pem = fs::read(&followed.home.files.cert).unwrap();
    for break_it in [
        |file: &TlsFiles| fs::write(&file.cert, "no PEM"),
        |file: &TlsFiles| fs::remove_file(&file.cert),
        |file: &TlsFiles| {
            fs::write(&file.cert, "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
        },
    ] {
        break_it(&followed.home.files).unwrap();
        followed.check();
        let log = logged(|| followed.check());
        assert!(log[0].starts_with("ERROR the TLS certificate could not be replaced"), "{log:?}");
        assert_eq!(followed.days(), 30);
    }
    fs::write(&followed.home.files.cert, pem).unwrap();
    followed.check();
    assert!(logged(|| followed.check())[0].starts_with("INFO "), "what is good again is read again");
}

#[test]
fn a_request_is_followed_at_once() {
    let mut followed = Followed::new(10);
    followed.write(90);
    followed.renewal.check(true, followed.now);
    assert_eq!(followed.days(), 90);
    let log = logged(|| followed.renewal.check(true, followed.now));
    assert_eq!(log.len(), 1, "a request is answered even if nothing has changed: {log:?}");
}

/// As Kubernetes does with the files of a secret.
#[cfg(unix)]
#[test]
fn a_swapped_folder_behind_a_symbolic_link_is_a_change() {
    use std::os::unix::fs::symlink;
    let home = CertificateFiles::new();
    let now = "2026-11-26T12:00:00Z".parse().unwrap();
    let root = home.folder.path();
    for (folder, days) in [("first", 10), ("second", 90)] {
        let written = CertificateFiles::new();
        write(&written, now, days);
        fs::create_dir(root.join(folder)).unwrap();
        fs::rename(&written.files.cert, root.join(folder).join("cert.pem")).unwrap();
        fs::rename(&written.files.key, root.join(folder).join("key.pem")).unwrap();
    }
    symlink("first", root.join("..data")).unwrap();
    symlink("..data/cert.pem", &home.files.cert).unwrap();
    symlink("..data/key.pem", &home.files.key).unwrap();
    let renewal = CertificateRenewal::open(&home.files, now).unwrap();
    let mut followed = Followed { renewal, now, home };
    symlink("second", followed.home.folder.path().join("..new")).unwrap();
    fs::rename(followed.home.folder.path().join("..new"), followed.home.folder.path().join("..data"))
        .unwrap();
    followed.check();
    followed.check();
    assert_eq!(followed.days(), 90);
}

#[test]
fn an_expiry_is_logged_at_the_start_and_once_a_day() {
    let mut started = None;
    let log = logged(|| started = Some(Followed::new(10)));
    let mut followed = started.unwrap();
    let file = followed.home.files.cert.display().to_string();
    assert_eq!(log, [format!("WARN the TLS certificate {file}: it expires on 2026-12-06, in 10 days")]);
    followed.now += TimeDelta::hours(23);
    assert_eq!(logged(|| followed.check()), [""; 0]);
    followed.now += TimeDelta::hours(1);
    assert_eq!(
        logged(|| (0..3).for_each(|_| followed.check())),
        [format!("WARN the TLS certificate {file}: it expires on 2026-12-06, in 9 days")]
    );
    followed.now += TimeDelta::days(10);
    assert_eq!(
        logged(|| followed.check()),
        [format!("ERROR the TLS certificate {file}: it expired on 2026-12-06, 1 day ago")]
    );
    assert_eq!(logged(|| drop(Followed::new(30))), [""; 0]);
}
