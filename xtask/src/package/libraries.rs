//! The shared libraries of a program, and the Debian packages that have them.

use std::path::{Path, PathBuf};

use crate::cargo;
use crate::error::Error;

/// Returns the files of a program's shared libraries and of its loader on this host, sorted.
pub(crate) fn of(program: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut ldd = cargo::command("ldd");
    ldd.arg(program);
    let output = cargo::output(ldd);
    let failed = || Error::Package(format!("ldd cannot list the libraries of {}", program.display()));
    let libraries = parse(&output.ok_or_else(failed)?);
    if libraries.is_empty() { Err(failed()) } else { Ok(libraries) }
}

/// Returns the absolute paths in ldd's output: `NAME => PATH (ADDRESS)`, and the loader without a name.
fn parse(output: &str) -> Vec<PathBuf> {
    let path = |line: &str| {
        let path = line.rsplit(" => ").next()?.split_whitespace().next()?;
        path.starts_with('/').then(|| PathBuf::from(path))
    };
    let mut paths: Vec<_> = output.lines().filter_map(path).collect();
    paths.sort();
    paths
}

/// Returns the `Depends` of a Debian package whose program has these libraries.
pub(super) fn debian_depends(program: &[u8], libraries: &[PathBuf]) -> Result<String, Error> {
    let mut depends = Vec::new();
    for library in libraries {
        let name = library.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let package = match name.split(".so").next().unwrap_or_default() {
            "libc" | "libm" | "libdl" | "libpthread" | "librt" => libc6(program)?,
            loader if loader.starts_with("ld-linux") => libc6(program)?,
            "libgcc_s" => "libgcc-s1".to_owned(),
            _ => return Err(Error::Package(format!("no Debian package is known for {name}"))),
        };
        depends.push(package);
    }
    depends.extend(["adduser", "ca-certificates"].map(str::to_owned));
    depends.sort();
    depends.dedup();
    Ok(depends.join(", "))
}

fn libc6(program: &[u8]) -> Result<String, Error> {
    let (major, minor) =
        glibc(program).ok_or_else(|| Error::Package("the program names no version of glibc".to_owned()))?;
    Ok(format!("libc6 (>= {major}.{minor})"))
}

/// The newest version of glibc that a program needs: the names of symbol versions end in zero bytes.
fn glibc(program: &[u8]) -> Option<(u32, u32)> {
    let names = program.split(|byte| *byte == 0).filter_map(|name| name.strip_prefix(b"GLIBC_"));
    let version = |name: &[u8]| {
        let mut numbers = std::str::from_utf8(name).ok()?.split('.').map(|number| number.parse().ok());
        Some((numbers.next()??, numbers.next()??))
    };
    names.filter_map(version).max()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LDD: &str = "\
\tlinux-vdso.so.1 (0x00007ffc)
\tlibgcc_s.so.1 => /lib/x86_64-linux-gnu/libgcc_s.so.1 (0x00007f01)
\tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f02)
\tlibnone.so.1 => not found
\t/lib64/ld-linux-x86-64.so.2 (0x00007f03)
";

    #[test]
    fn libraries_and_the_loader_are_found() {
        let expected = [
            "/lib/x86_64-linux-gnu/libc.so.6",
            "/lib/x86_64-linux-gnu/libgcc_s.so.1",
            "/lib64/ld-linux-x86-64.so.2",
        ];
        assert_eq!(parse(LDD), expected.map(PathBuf::from));
    }

    #[test]
    fn packages_of_debian_have_the_libraries() {
        let program = b"\x7fELF\0GLIBC_2.9\0GLIBC_2.34\0GLIBC_PRIVATE\0x GLIBC_9.9\0";
        let depends = "adduser, ca-certificates, libc6 (>= 2.34), libgcc-s1";
        assert_eq!(debian_depends(program, &parse(LDD)).unwrap(), depends);
        assert!(debian_depends(program, &["/lib/libpq.so.5".into()]).is_err());
        assert!(debian_depends(b"", &parse(LDD)).is_err());
    }
}
