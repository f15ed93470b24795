//! Runs the program in the container's root file system, as root and as the container's user.

use std::path::Path;
use std::process::Command;

use super::trial::{Checked, Trial, has_files, is_root};
use crate::package::Made;

pub(super) fn run(trial: &Trial, made: &Made) -> Checked {
    let root = trial.unpacked(&made.folder.join(&made.rootfs), "root")?;
    has_files(&root, &["etc/passwd", "etc/group", "usr/share/doc/cutover/LICENSE-MIT"])?;
    if !is_root() {
        return Ok(Some("only root can change the root folder".to_owned()));
    }
    trial.opened(&root)?;
    trial.prints(
        inside(trial, &root, "0:0", &["/usr/local/bin/cutover", "--version"]),
        &format!("cutover {}", made.version),
    )?;
    let demo = ["/usr/local/bin/cutover", "demo", "--exit", "--accounts", "20"];
    let mut demo = inside(trial, &root, "10001:10001", &demo);
    demo.env("CUTOVER_DATA_DIR", "/data");
    trial.prints(demo, "data in /data/demo")?;
    Ok(None)
}

/// A program in another root folder, with an empty environment.
pub(super) fn inside(trial: &Trial, root: &Path, user: &str, args: &[&str]) -> Command {
    let mut command = trial.command("chroot");
    command.env_clear().env("PATH", "/usr/bin:/bin:/usr/sbin:/sbin");
    command.arg(format!("--userspec={user}")).arg(root).args(args);
    command
}
