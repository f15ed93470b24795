//! Unpacks the Debian package, and installs it into a root folder that has what its scripts call.

use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::Command;

use super::trial::{Checked, Trial, ensure, found, has_files, is_root};
use crate::package::{Made, libraries};

/// Programs that the scripts of the package call.
const PROGRAMS: [&str; 5] = ["chown", "install", "rmdir", "sh", "systemd-sysusers"];
/// Files of the root folder before the installation. `/dev/null` may be a file for these scripts, and no right to
/// create devices is needed.
const FOLDERS: [&str; 7] =
    ["var/lib/dpkg/info", "var/lib/dpkg/triggers", "var/lib/dpkg/updates", "dev", "etc", "tmp", "usr/bin"];
const FILES: [(&str, &str); 4] = [
    ("dev/null", ""),
    ("etc/group", "root:x:0:\n"),
    ("etc/passwd", "root:x:0:0:root:/root:/bin/sh\n"),
    ("var/lib/dpkg/status", ""),
];
const SETTINGS: &str = "etc/cutover/cutover.toml";
/// Settings that an operator has changed.
const OF_OPERATOR: &str = "role = \"all\"\n";
const DATA: &str = "var/lib/cutover";

/// Checks names, modes and the unit, and runs the program from the unpacked files.
pub(super) fn files(trial: &Trial, made: &Made) -> Checked {
    if found("dpkg-deb").is_none() {
        return Ok(Some("no dpkg-deb".to_owned()));
    }
    let package = made.folder.join(&made.debian);
    let root = trial.folder.join("root");
    for (option, into) in [("--extract", Some(&root)), ("--info", None)] {
        let mut command = trial.command("dpkg-deb");
        command.arg(option).arg(&package).args(into);
        trial.output(command)?;
    }
    has_files(&root, &[SETTINGS, "usr/lib/sysusers.d/cutover.conf", "usr/share/doc/cutover/copyright"])?;
    has_mode(&root.join(SETTINGS), 0o640)?;
    let mut version = trial.command(root.join("usr/bin/cutover"));
    version.arg("--version");
    trial.prints(version, &format!("cutover {}", made.version))?;
    unit(trial, &root)
}

/// Verifies the unit where systemd is there.
fn unit(trial: &Trial, root: &Path) -> Checked {
    if found("systemd-analyze").is_none() {
        return Ok(Some("no systemd-analyze for the unit".to_owned()));
    }
    let unit = "usr/lib/systemd/system/cutover.service";
    has_files(root, &[unit])?;
    // The only program of the unit that the package does not bring: every Debian system has it.
    copy(Path::new("/bin/sh"), &root.join("bin/sh"))?;
    let mut verify = trial.command("systemd-analyze");
    verify.args(["verify", "--man=no", "--recursive-errors=no", "--root"]).arg(root).arg(format!("/{unit}"));
    trial.output(verify)?;
    Ok(None)
}

/// Installs, runs, upgrades, removes and purges the package.
pub(super) fn installed(trial: &Trial, made: &Made) -> Checked {
    if !is_root() {
        return Ok(Some("only root can install".to_owned()));
    }
    if let Some(missing) = PROGRAMS.iter().chain(&["dpkg"]).find(|name| found(name).is_none()) {
        return Ok(Some(format!("no {missing}")));
    }
    let root = trial.folder.join("root");
    prepare(&root)?;
    trial.opened(&root)?;
    let package = made.folder.join(&made.debian).display().to_string();
    let install = || dpkg(trial, &root, &["--force-depends", "--install", &package]);
    trial.output(install())?;
    runs(trial, &root, &check_installed(&root)?)?;
    std::fs::write(root.join(SETTINGS), OF_OPERATOR).map_err(|e| e.to_string())?;
    trial.output(install())?;
    has_text(&root.join(SETTINGS), OF_OPERATOR)?;
    check_removal(trial, &root)?;
    Ok(None)
}

/// Runs the demo as the user that was created, in its data folder.
fn runs(trial: &Trial, root: &Path, user: &str) -> Result<(), String> {
    let data = format!("/{DATA}");
    let demo = ["/usr/bin/cutover", "demo", "--exit", "--accounts", "20", "--data-dir", &data];
    trial.prints(inside(trial, root, user, &demo), &format!("data in {data}/demo"))
}

/// Checks that settings stay until they are purged, and data after that.
fn check_removal(trial: &Trial, root: &Path) -> Result<(), String> {
    trial.output(dpkg(trial, root, &["--remove", "cutover"]))?;
    ensure(!root.join("usr/bin/cutover").exists(), || "the program is not removed".to_owned())?;
    has_text(&root.join(SETTINGS), OF_OPERATOR)?;
    trial.output(dpkg(trial, root, &["--purge", "cutover"]))?;
    ensure(!root.join(SETTINGS).exists(), || "the settings are not purged".to_owned())?;
    ensure(root.join(DATA).join("demo").is_dir(), || "the data is removed".to_owned())
}

/// Checks owners and modes after the installation. Returns the numbers of the user and its group.
fn check_installed(root: &Path) -> Result<String, String> {
    let passwd = std::fs::read_to_string(root.join("etc/passwd")).map_err(|e| e.to_string())?;
    let user =
        passwd.lines().map(|line| line.split(':').collect::<Vec<_>>()).find(|user| user[0] == "cutover");
    let Some([_, _, uid, gid, ..]) = user.as_deref() else { return Err("no user was created".to_owned()) };
    let (uid, gid) = (uid.parse().unwrap_or_default(), gid.parse().unwrap_or_default());
    has_owner(&root.join(SETTINGS), 0, gid)?;
    has_mode(&root.join(SETTINGS), 0o640)?;
    has_owner(&root.join(DATA), uid, gid)?;
    has_mode(&root.join(DATA), 0o700)?;
    let wanted = root.join("etc/systemd/system/multi-user.target.wants/cutover.service");
    ensure(!wanted.exists(), || "the service is enabled before it has settings".to_owned())?;
    Ok(format!("{uid}:{gid}"))
}

/// Creates a root folder with an empty database of dpkg and the programs of this host.
fn prepare(root: &Path) -> Result<(), String> {
    let write = || {
        FOLDERS.iter().try_for_each(|folder| std::fs::create_dir_all(root.join(folder)))?;
        std::os::unix::fs::symlink("usr/bin", root.join("bin"))?;
        FILES.iter().try_for_each(|(file, text)| std::fs::write(root.join(file), text))
    };
    write().map_err(|e| format!("{}: {e}", root.display()))?;
    PROGRAMS.iter().filter_map(|name| found(name)).try_for_each(|program| copy_program(&program, root))
}

fn copy_program(program: &Path, root: &Path) -> Result<(), String> {
    let name = program.file_name().unwrap_or_default();
    copy(program, &root.join("usr/bin").join(name))?;
    let libraries = libraries::of(program).map_err(|e| e.to_string())?;
    // The program needs these as well: the Depends of the package are not installed here.
    let gcc = libraries.iter().find(|library| library.ends_with("libc.so.6"));
    let gcc = gcc.map(|libc| libc.with_file_name("libgcc_s.so.1")).filter(|gcc| gcc.exists());
    for library in libraries.iter().chain(&gcc) {
        copy(library, &root.join(library.strip_prefix("/").unwrap_or(library)))?;
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<(), String> {
    let parent = to.parent().unwrap_or(to);
    let copied = std::fs::create_dir_all(parent).and_then(|()| std::fs::copy(from, to));
    copied.map(|_| ()).map_err(|e| format!("{}: {e}", from.display()))
}

/// A program in another root folder, with an empty environment.
fn inside(trial: &Trial, root: &Path, user: &str, args: &[&str]) -> Command {
    let mut command = trial.command("chroot");
    command.env_clear().env("PATH", "/usr/bin:/bin:/usr/sbin:/sbin");
    command.arg(format!("--userspec={user}")).arg(root).args(args);
    command
}

fn dpkg(trial: &Trial, root: &Path, args: &[&str]) -> Command {
    let mut command = trial.command("dpkg");
    command.env_clear().env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
    command.arg("--root").arg(root).arg("--log").arg(trial.folder.join("dpkg.log")).args(args);
    command
}

fn has_mode(path: &Path, mode: u32) -> Result<(), String> {
    let found =
        path.metadata().map_err(|e| format!("{}: {e}", path.display()))?.permissions().mode() & 0o7777;
    ensure(found == mode, || format!("{} has the mode {found:o} instead of {mode:o}", path.display()))
}

fn has_owner(path: &Path, uid: u32, gid: u32) -> Result<(), String> {
    let found = path.metadata().map_err(|e| format!("{}: {e}", path.display()))?;
    let found = (found.uid(), found.gid());
    ensure(found == (uid, gid), || {
        format!("{} belongs to {found:?} instead of {:?}", path.display(), (uid, gid))
    })
}

fn has_text(path: &Path, text: &str) -> Result<(), String> {
    let found = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    ensure(found == text, || format!("{} was changed", path.display()))
}
