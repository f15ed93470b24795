//! The running server: the HTTP thread, the worker threads, logs and signals. `serve` and the demo start it.

mod json_lines;
mod logs;
mod service;
mod signals;
mod stop;
mod workers;

pub(crate) use logs::{ALWAYS, LogTarget, start_logs};
pub(crate) use service::Service;
pub(crate) use signals::{Hangups, watch};
pub(crate) use stop::StopReason;
