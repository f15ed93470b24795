use super::key_ring::signer;
use super::obtain_token::sign;
use super::sent::Sent;
use super::{AuthError, Caller, Claims, Denied, Outcome, digest, session_id};
use crate::App;
use crate::operator::{Audited, record_action};
use crate::port::{
    ApiKey, ApiKeyRole, AuditAction, KeyStatus, Operator, RefreshToken, SigningKey, StoreError, Subject,
    read, read_committed, write,
};
use chrono::{DateTime, TimeDelta, Utc};
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode, decode_header};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Lifetime of a session without a request of a person.
pub const SESSION_IDLE: TimeDelta = TimeDelta::minutes(30);
/// Maximum lifetime of a session.
pub const SESSION_LIFETIME: TimeDelta = TimeDelta::hours(12);
/// Maximum lifetime of a session of a display, at which nobody is.
pub const DISPLAY_LIFETIME: TimeDelta = TimeDelta::days(90);
/// Minimum age of a session's token for a renewal.
const RENEWED_AFTER: TimeDelta = TimeDelta::minutes(1);

/// The claims of a session's token. Its audience distinguishes it from access tokens.
#[derive(Serialize, Deserialize)]
struct SessionClaims {
    iss: String,
    aud: String,
    /// The API key's id, as text.
    sub: String,
    /// The organisation's id.
    org: i64,
    /// The name of the organisation.
    name: String,
    /// The public part of the API key.
    key: String,
    /// The session id, whose digest the store keeps until the session ends.
    sid: String,
    iat: i64,
    exp: i64,
}

/// The properties of the sessions of a role.
#[derive(PartialEq, Eq)]
struct Kind {
    role: ApiKeyRole,
    /// The audience of its tokens. A version that does not know a role does not take its sessions for those of another.
    audience: &'static str,
    lifetime: TimeDelta,
    /// Lifetime of a token, which has to be renewed before.
    idle: TimeDelta,
}

static KINDS: [Kind; 2] = [
    Kind { role: ApiKeyRole::Operator, audience: "console", lifetime: SESSION_LIFETIME, idle: SESSION_IDLE },
    Kind {
        role: ApiKeyRole::Display,
        audience: "display",
        lifetime: DISPLAY_LIFETIME,
        idle: DISPLAY_LIFETIME,
    },
];

impl Kind {
    /// The kind of sessions of a role, if it signs in.
    fn of(role: ApiKeyRole) -> Option<&'static Self> {
        KINDS.iter().find(|kind| kind.role == role)
    }

    fn of_key(key: &ApiKey) -> Result<&'static Self, Denied> {
        let kind = key.role.known().copied().and_then(Self::of);
        kind.ok_or_else(|| Denied::of_key(Outcome::WrongRole, key))
    }

    fn of_audience(audience: &str) -> Option<&'static Self> {
        KINDS.iter().find(|kind| kind.audience == audience)
    }

    fn caller(&self, organisation_id: i64, api_key_id: i64, key_prefix: String) -> Caller {
        Caller { organisation_id, api_key_id, key_prefix, role: self.role }
    }
}

/// A session of a person who is signed in to the console.
#[derive(Clone, PartialEq, Eq)]
pub struct Session {
    /// The caller.
    pub caller: Caller,
    /// The name of the organisation.
    pub organisation: String,
    kind: &'static Kind,
    id: String,
    issued_at: i64,
    ends_at: DateTime<Utc>,
}

/// Omits the id, which with a signing key would give access to the session.
impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("caller", &self.caller).finish_non_exhaustive()
    }
}

impl App {
    /// Signs in to the console with an API key of a role that does so, and returns the token of the session.
    ///
    /// # Errors
    /// [`AuthError::Invalid`] for every other key, including keys of the role supplier.
    pub fn sign_in(&self, api_key: &str) -> Result<String, AuthError> {
        let (now, sent) = (self.clock.now(), Sent::api_key(api_key));
        // Guesses are refused by a read, so that they do not reach the writer.
        let found = read(&*self.store, |tx| sent.find_key(tx, may_sign_in))??;
        let kind = Kind::of_key(&found)?;
        let ends_at = now + kind.lifetime;
        let sid = session_id(&*self.random);
        // Stored as a refresh token, because it expires and is removed by the same rules. It obtains no
        // tokens, because it belongs to a key that obtains none.
        let row = RefreshToken {
            hash: digest(&sid),
            family: (self.random.number() >> 1) as i64,
            api_key_id: 0,
            expires_at: ends_at,
            used_at: None,
        };
        let spare = self.make_signing_key();
        let begun = write(&*self.store, move |tx| {
            let key = match sent.find_key(tx, may_sign_in)? {
                Ok(key) => key,
                Err(denied) => return Ok::<_, StoreError>(Err(denied)),
            };
            tx.add_refresh_token(&RefreshToken { api_key_id: key.id, ..row })?;
            let by = Operator::Key { prefix: key.prefix.clone() };
            let audited = Audited::of(Subject::organisation(key.organisation_id));
            record_action(tx, now, by, AuditAction::SignedIn, audited)?;
            Ok(Ok((key, signer(tx, spare)?)))
        })?;
        let (key, signing_key) = begun?;
        if self.cached_signing_key(&signing_key.kid).is_none() {
            self.forget_signing_keys();
        }
        let caller = kind.caller(key.organisation_id, key.id, key.prefix);
        let (organisation, issued_at) = (key.organisation, now.timestamp());
        let session = Session { caller, organisation, kind, id: sid, issued_at, ends_at };
        Ok(self.token_of(&session, &signing_key)?)
    }

    /// Returns the session of a token. Checks signature, audience and times, that the session was not ended,
    /// and that its key and organisation are not revoked.
    ///
    /// # Errors
    /// [`AuthError::Invalid`] for every invalid token.
    pub fn session(&self, token: &str) -> Result<Session, AuthError> {
        let malformed = || Denied::of(Outcome::Malformed);
        let unknown = || Denied::of(Outcome::Unknown);
        let kid = decode_header(token).ok().and_then(|header| header.kid).ok_or_else(malformed)?;
        let key = self.signing_key(&kid)?.ok_or_else(unknown)?;
        let claims = verified(token, key.secret()?).ok_or_else(unknown)?;
        let now = self.clock.now();
        let SessionClaims { aud, org, sub, key, name: organisation, sid: id, iat: issued_at, exp, .. } =
            claims;
        let kind = Kind::of_audience(&aud).ok_or_else(unknown)?;
        let caller = kind.caller(org, sub.parse().map_err(|_| malformed())?, key);
        let denied = |outcome| Denied::of_caller(outcome, &caller);
        if exp <= now.timestamp() {
            return Err(denied(Outcome::Expired).into());
        }
        if self.key_status(caller.api_key_id)? != KeyStatus::Good {
            return Err(denied(Outcome::Revoked).into());
        }
        let hash = digest(&id);
        // The row is removed when the session is ended.
        let row = read_committed(&*self.store, |tx| tx.refresh_token(&hash))?;
        let row = row.filter(|row| row.expires_at > now && row.api_key_id == caller.api_key_id);
        let ends_at = row.ok_or_else(|| denied(Outcome::Revoked))?.expires_at;
        Ok(Session { caller, organisation, kind, id, issued_at, ends_at })
    }

    /// Renews the token of a session after a request of a person or of a display, unless the token is new.
    ///
    /// # Errors
    /// [`StoreError`] if the signing keys could not be read.
    pub fn renewed_session(&self, session: &Session) -> Result<Option<String>, StoreError> {
        let now = self.clock.now().timestamp();
        if now - session.issued_at < RENEWED_AFTER.num_seconds() {
            return Ok(None);
        }
        let Some(key) = self.newest_signing_key()? else { return Ok(None) };
        let session = Session { issued_at: now, ..session.clone() };
        self.token_of(&session, &key).map(Some)
    }

    /// Ends a session, on every node.
    ///
    /// # Errors
    /// [`StoreError`] if it could not be written.
    pub fn sign_out(&self, session: &Session) -> Result<(), StoreError> {
        let hash = digest(&session.id);
        let subject = Subject::organisation(session.caller.organisation_id);
        self.run_audited(&Operator::of(&session.caller), AuditAction::SignedOut, move |tx, _| {
            if let Some(row) = tx.refresh_token(&hash)? {
                tx.revoke_family(row.family)?;
            }
            Ok(((), Audited::of(subject)))
        })
    }

    fn token_of(&self, session: &Session, key: &SigningKey) -> Result<String, StoreError> {
        let issued = session.issued_at;
        let claims = SessionClaims {
            iss: Claims::ISSUER.into(),
            aud: session.kind.audience.into(),
            sub: session.caller.api_key_id.to_string(),
            org: session.caller.organisation_id,
            name: session.organisation.clone(),
            key: session.caller.key_prefix.clone(),
            sid: session.id.clone(),
            iat: issued,
            exp: session.ends_at.timestamp().min(issued + session.kind.idle.num_seconds()),
        };
        sign(&claims, key)
    }
}

fn may_sign_in(role: ApiKeyRole) -> bool {
    Kind::of(role).is_some()
}

/// Verifies signature, audience and issuer of a session's token and returns its claims. Does not check their
/// times.
fn verified(token: &str, secret: &[u8; 32]) -> Option<SessionClaims> {
    let mut validation = Validation::new(Algorithm::HS256);
    validation.set_audience(&KINDS.each_ref().map(|kind| kind.audience));
    validation.set_issuer(&[Claims::ISSUER]);
    validation.set_required_spec_claims(&["exp", "aud", "iss", "sub"]);
    // Times are compared with the clock of the ports, which tests can set.
    validation.validate_exp = false;
    validation.validate_nbf = false;
    Some(decode(token, &DecodingKey::from_secret(secret), &validation).ok()?.claims)
}
