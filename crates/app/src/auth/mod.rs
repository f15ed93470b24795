//! Authentication: API keys, access tokens, refresh tokens and console sessions (contract 5, D2).

mod attempt;
mod authenticate;
mod caller;
mod claims;
mod denied;
mod hs256;
mod key_ring;
mod obtain_token;
mod secret;
mod sent;
mod session;

pub(crate) use attempt::AttemptLog;
pub use attempt::{Attempt, AttemptKind};
pub use caller::Caller;
pub use claims::Claims;
pub use denied::{AuthError, Denied, Outcome, judged};
pub(crate) use hs256::install as install_signatures;
pub(crate) use key_ring::{KeyRing, add_newest};
pub use obtain_token::{Credential, Tokens};
pub(crate) use secret::{api_key, digest, refresh_token, session_id};
pub use session::{DISPLAY_LIFETIME, SESSION_IDLE, SESSION_LIFETIME, Session};
