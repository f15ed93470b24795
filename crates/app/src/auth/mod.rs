//! Authentication: API keys, access tokens, refresh tokens and console sessions (contract 5, D2).

mod authenticate;
mod hs256;
mod key_ring;
mod obtain_token;
mod secret;
mod session;

pub use authenticate::{AuthError, Caller};
pub(crate) use hs256::install as install_signatures;
pub(crate) use key_ring::{KeyRing, add_newest};
pub use obtain_token::{Claims, Credential, TokenRefused, Tokens};
pub(crate) use secret::{api_key, digest, refresh_token, session_id};
pub use session::{SESSION_IDLE, SESSION_LIFETIME, Session};
