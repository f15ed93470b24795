//! Organisations, API keys, refresh tokens, signing keys.

use super::schema::{api_keys, organisations, refresh_tokens, signing_keys};
use super::types::{Bits, Timestamp, instant};
use super::{Conn, SqlTx, changed, store_error};
use crate::error::{Error, Result};
use crate::sealed::{Location, Sealer};
use chrono::{DateTime, Utc};
use cutover_app::port::{
    ApiKey, Identity, KeyStatus, NewApiKey, Organisation, RefreshToken, SigningKey, StoreError,
};
use cutover_core::Word;
use diesel::prelude::*;

#[derive(Queryable, Selectable)]
#[diesel(table_name = organisations)]
struct OrganisationRow {
    id: i64,
    name: String,
    created_at: Timestamp,
    revoked_at: Option<Timestamp>,
}

impl TryFrom<OrganisationRow> for Organisation {
    type Error = Error;

    fn try_from(row: OrganisationRow) -> Result<Self> {
        Ok(Self {
            id: row.id,
            name: row.name,
            created_at: row.created_at.instant()?,
            revoked_at: instant(row.revoked_at)?,
        })
    }
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = api_keys)]
struct ApiKeyRow {
    id: i64,
    organisation_id: i64,
    prefix: String,
    hash: Bits,
    role: String,
    created_at: Timestamp,
    revoked_at: Option<Timestamp>,
    #[diesel(select_expression = organisations::name)]
    organisation: String,
}

impl TryFrom<ApiKeyRow> for ApiKey {
    type Error = Error;

    fn try_from(row: ApiKeyRow) -> Result<Self> {
        Ok(Self {
            id: row.id,
            organisation_id: row.organisation_id,
            organisation: row.organisation,
            prefix: row.prefix,
            hash: row.hash.0,
            role: Word::read(&row.role),
            created_at: row.created_at.instant()?,
            revoked_at: instant(row.revoked_at)?,
        })
    }
}

#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = refresh_tokens, treat_none_as_default_value = false)]
struct RefreshTokenRow {
    hash: Bits,
    family: i64,
    api_key_id: i64,
    expires_at: Timestamp,
    used_at: Option<Timestamp>,
}

impl From<&RefreshToken> for RefreshTokenRow {
    fn from(token: &RefreshToken) -> Self {
        Self {
            hash: Bits(token.hash),
            family: token.family,
            api_key_id: token.api_key_id,
            expires_at: token.expires_at.into(),
            used_at: token.used_at.map(Timestamp::from),
        }
    }
}

impl TryFrom<RefreshTokenRow> for RefreshToken {
    type Error = Error;

    fn try_from(row: RefreshTokenRow) -> Result<Self> {
        Ok(Self {
            hash: row.hash.0,
            family: row.family,
            api_key_id: row.api_key_id,
            expires_at: row.expires_at.instant()?,
            used_at: instant(row.used_at)?,
        })
    }
}

#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = signing_keys)]
struct SigningKeyRow {
    kid: String,
    /// Sealed if there is an encryption key.
    secret: Vec<u8>,
    created_at: Timestamp,
}

impl SigningKeyRow {
    fn sealed(key: &SigningKey, sealer: &Sealer) -> Result<Self> {
        let secret = key.secret.as_ref().map_err(|_| Error::Unfit("a signing key without its secret"))?;
        let secret = sealer.seal(Location::SigningKey { kid: &key.kid }, secret)?.into_owned();
        Ok(Self { kid: key.kid.clone(), secret, created_at: key.created_at.into() })
    }

    fn opened(self, sealer: &Sealer) -> Result<SigningKey> {
        let unfit = |_| Error::corrupt("the secret of a signing key does not have 256 bits");
        let secret = sealer
            .open(Location::SigningKey { kid: &self.kid }, self.secret)
            .and_then(|secret| <[u8; 32]>::try_from(secret).map_err(unfit))
            .map_err(store_error);
        Ok(SigningKey { kid: self.kid, secret, created_at: self.created_at.instant()? })
    }
}

fn organisation(conn: &mut Conn, name: &str) -> Result<Option<Organisation>> {
    let row = organisations::table
        .filter(organisations::name.eq(name))
        .select(OrganisationRow::as_select())
        .get_result(conn)
        .optional()?;
    row.map(Organisation::try_from).transpose()
}

/// Selects keys with the names of their organisations.
macro_rules! api_keys {
    () => {
        api_keys::table.inner_join(organisations::table).select(ApiKeyRow::as_select())
    };
}

fn api_key_by_hash(conn: &mut Conn, hash: &[u8; 32]) -> Result<Option<ApiKey>> {
    let row = api_keys!().filter(api_keys::hash.eq(Bits(*hash))).get_result(conn).optional()?;
    row.map(ApiKey::try_from).transpose()
}

fn newest_signing_keys(conn: &mut Conn) -> Result<Vec<SigningKeyRow>> {
    let rows = signing_keys::table
        .order((signing_keys::created_at.desc(), signing_keys::kid.desc()))
        .select(SigningKeyRow::as_select());
    Ok(rows.load(conn)?)
}

impl Identity for SqlTx<'_> {
    fn add_organisation(
        &mut self,
        name: &str,
        at: DateTime<Utc>,
    ) -> Result<Option<Organisation>, StoreError> {
        self.run(|conn| {
            let added = diesel::insert_into(organisations::table)
                .values((organisations::name.eq(name), organisations::created_at.eq(Timestamp::from(at))))
                .on_conflict_do_nothing()
                .execute(conn)?;
            if changed(added) { organisation(conn, name) } else { Ok(None) }
        })
    }

    fn organisation(&mut self, name: &str) -> Result<Option<Organisation>, StoreError> {
        self.run(|conn| organisation(conn, name))
    }

    fn organisations(&mut self) -> Result<Vec<Organisation>, StoreError> {
        self.run(|conn| {
            let rows = organisations::table
                .order(organisations::name)
                .select(OrganisationRow::as_select())
                .load(conn)?;
            rows.into_iter().map(Organisation::try_from).collect()
        })
    }

    fn revoke_organisation(&mut self, name: &str, at: DateTime<Utc>) -> Result<bool, StoreError> {
        self.run(|conn| {
            let good = organisations::name.eq(name).and(organisations::revoked_at.is_null());
            let revoked = diesel::update(organisations::table.filter(good))
                .set(organisations::revoked_at.eq(Timestamp::from(at)))
                .execute(conn)?;
            Ok(changed(revoked))
        })
    }

    fn add_api_key(&mut self, key: &NewApiKey) -> Result<ApiKey, StoreError> {
        self.run(|conn| {
            diesel::insert_into(api_keys::table)
                .values((
                    api_keys::organisation_id.eq(key.organisation_id),
                    api_keys::prefix.eq(&key.prefix),
                    api_keys::hash.eq(Bits(key.hash)),
                    api_keys::role.eq(key.role.as_str()),
                    api_keys::created_at.eq(Timestamp::from(key.created_at)),
                ))
                .execute(conn)?;
            api_keys!().filter(api_keys::prefix.eq(&key.prefix)).get_result(conn)?.try_into()
        })
    }

    fn api_key_by_hash(&mut self, hash: &[u8; 32]) -> Result<Option<ApiKey>, StoreError> {
        self.run(|conn| api_key_by_hash(conn, hash))
    }

    fn api_key_by_prefix(&mut self, prefix: &str) -> Result<Option<ApiKey>, StoreError> {
        self.run(|conn| {
            let row = api_keys!().filter(api_keys::prefix.eq(prefix)).get_result(conn).optional()?;
            row.map(ApiKey::try_from).transpose()
        })
    }

    fn api_key(&mut self, id: i64) -> Result<Option<ApiKey>, StoreError> {
        self.run(|conn| {
            let row = api_keys!().filter(api_keys::id.eq(id)).get_result(conn).optional()?;
            row.map(ApiKey::try_from).transpose()
        })
    }

    fn api_keys(&mut self) -> Result<Vec<ApiKey>, StoreError> {
        self.run(|conn| {
            let rows = api_keys!().order((api_keys::created_at, api_keys::id)).load(conn)?;
            rows.into_iter().map(ApiKey::try_from).collect()
        })
    }

    fn revoke_api_key(&mut self, prefix: &str, at: DateTime<Utc>) -> Result<bool, StoreError> {
        self.run(|conn| {
            let good = api_keys::prefix.eq(prefix).and(api_keys::revoked_at.is_null());
            let revoked = diesel::update(api_keys::table.filter(good))
                .set(api_keys::revoked_at.eq(Timestamp::from(at)))
                .execute(conn)?;
            Ok(changed(revoked))
        })
    }

    fn key_status(&mut self, api_key_id: i64) -> Result<KeyStatus, StoreError> {
        self.run(|conn| {
            let good = api_keys::table
                .inner_join(organisations::table)
                .filter(api_keys::id.eq(api_key_id))
                .filter(api_keys::revoked_at.is_null())
                .filter(organisations::revoked_at.is_null())
                .select(api_keys::id)
                .get_result::<i64>(conn)
                .optional()?;
            Ok(if good.is_some() { KeyStatus::Good } else { KeyStatus::Revoked })
        })
    }

    fn add_refresh_token(&mut self, token: &RefreshToken) -> Result<(), StoreError> {
        self.run(|conn| {
            let row = RefreshTokenRow::from(token);
            diesel::insert_into(refresh_tokens::table).values(row).execute(conn)?;
            Ok(())
        })
    }

    fn refresh_token(&mut self, hash: &[u8; 32]) -> Result<Option<RefreshToken>, StoreError> {
        self.run(|conn| {
            let row = refresh_tokens::table
                .find(Bits(*hash))
                .select(RefreshTokenRow::as_select())
                .get_result(conn)
                .optional()?;
            row.map(RefreshToken::try_from).transpose()
        })
    }

    fn use_refresh_token(&mut self, hash: &[u8; 32], at: DateTime<Utc>) -> Result<bool, StoreError> {
        self.run(|conn| {
            let unused = refresh_tokens::hash.eq(Bits(*hash)).and(refresh_tokens::used_at.is_null());
            let used = diesel::update(refresh_tokens::table.filter(unused))
                .set(refresh_tokens::used_at.eq(Timestamp::from(at)))
                .execute(conn)?;
            Ok(changed(used))
        })
    }

    fn revoke_family(&mut self, family: i64) -> Result<(), StoreError> {
        self.run(|conn| {
            let tokens = refresh_tokens::table.filter(refresh_tokens::family.eq(family));
            // DELETE waits for a token that is being used, whose transaction may have added another one.
            while changed(diesel::delete(tokens).execute(conn)?) {}
            Ok(())
        })
    }

    fn remove_expired_tokens(&mut self, before: DateTime<Utc>) -> Result<usize, StoreError> {
        self.run(|conn| {
            let expired = refresh_tokens::expires_at.lt(Timestamp::from(before));
            Ok(diesel::delete(refresh_tokens::table.filter(expired)).execute(conn)?)
        })
    }

    fn add_signing_key(&mut self, key: &SigningKey) -> Result<(), StoreError> {
        let sealer = self.sealer;
        self.run(|conn| {
            let row = SigningKeyRow::sealed(key, sealer)?;
            diesel::insert_into(signing_keys::table).values(row).execute(conn)?;
            Ok(())
        })
    }

    fn signing_keys(&mut self) -> Result<Vec<SigningKey>, StoreError> {
        let sealer = self.sealer;
        self.run(|conn| newest_signing_keys(conn)?.into_iter().map(|row| row.opened(sealer)).collect())
    }

    fn remove_signing_key(&mut self, kid: &str) -> Result<bool, StoreError> {
        self.run(|conn| Ok(diesel::delete(signing_keys::table.find(kid)).execute(conn)? == 1))
    }

    fn remove_signing_keys_superseded_before(&mut self, before: DateTime<Utc>) -> Result<usize, StoreError> {
        self.run(|conn| {
            let (keys, before) = (newest_signing_keys(conn)?, Timestamp::from(before));
            let superseded = keys.windows(2).filter(|pair| pair[0].created_at < before);
            let mut removed = 0;
            for old in superseded.map(|pair| &pair[1]) {
                removed += diesel::delete(signing_keys::table.find(&old.kid)).execute(conn)?;
            }
            Ok(removed)
        })
    }
}
