use super::AddRefused;
use super::request::{check_at_once, request, valid};
use crate::App;
use crate::auth::Caller;
use crate::codec;
use crate::fault::{self, Point};
use crate::port::{
    BusinessRecord, MayConflict, NewBusiness, NewFeedEvent, StoreError, StoredBusiness, Tx, read,
    read_committed, write_with_retry,
};
use cutover_core::{AttrPath, Code, FeedEventType, Issue};
use cutover_model::{
    BusinessCreated, BusinessRequest, Encode, EventData, IntoOwned, Writer, decode_business, draft,
};
use cutover_rules::service::{PST_09, PST_13, PST_16};
use cutover_rules::{Profile, UniqueDetail, check_business, details_to_look_up};
use std::collections::{BTreeSet, HashSet};

request!(BusinessRequest: decode_business, check_business, import_supplier_code; taken_details);

/// Size of the text at which a page of businesses ends.
const PAGE_BYTES: usize = 4 << 20;

/// Reason why a business was not replaced (contract D13).
#[derive(Debug, thiserror::Error)]
pub enum ReplaceRefused {
    /// The organisation has no such business.
    #[error("there is no such business")]
    NotFound,
    /// The body has another identifier than the path.
    #[error("the body is that of another business")]
    OtherIdentifier,
    /// The body is refused, or the store failed.
    #[error(transparent)]
    Add(#[from] AddRefused),
}

/// A business in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedBusiness {
    /// Its identifier in the supplier's system.
    pub identifier: String,
    /// Its number at this service.
    pub number: i64,
    /// The code of the supplier that sent it.
    pub supplier: String,
    /// Its kind, as it was sent.
    pub kind: Option<String>,
    /// Number of its contracts.
    pub contracts: usize,
}

impl From<BusinessRecord> for ListedBusiness {
    fn from(BusinessRecord { number, request }: BusinessRecord) -> Self {
        Self {
            identifier: request.external_business_identifier.trimmed().to_owned(),
            number,
            supplier: request.import_supplier_code.trimmed().to_owned(),
            kind: request.business.business_type.map(|kind| kind.as_str().to_owned()),
            contracts: request.business.business_contracts.map_or(0, |contracts| contracts.len()),
        }
    }
}

impl From<StoreError> for ReplaceRefused {
    fn from(error: StoreError) -> Self {
        Self::Add(error.into())
    }
}

impl MayConflict for ReplaceRefused {
    fn is_conflict(&self) -> bool {
        matches!(self, Self::Add(refused) if refused.is_conflict())
    }
}

impl App {
    /// Creates a business with all its contracts (contract 4.4, D9). A repeated request returns the same
    /// number.
    ///
    /// # Errors
    /// [`AddRefused`]; nothing is stored then.
    pub fn create_business(&self, caller: &Caller, body: &[u8]) -> Result<BusinessCreated, AddRefused> {
        let new = self.checked_business(caller, body)?;
        let external = new.request.external_business_identifier.trimmed().to_owned();
        let number = write_with_retry(&*self.store, move |tx| create(tx, &new))?;
        Ok(BusinessCreated { service_business_id: number, external_business_identifier: external })
    }

    /// Replaces a business by the body of a create (contract D13). Contracts are added and removed, but none is removed
    /// that an account refers to.
    ///
    /// # Errors
    /// [`ReplaceRefused`]; nothing is changed then.
    pub fn replace_business(
        &self,
        caller: &Caller,
        identifier: &str,
        body: &[u8],
    ) -> Result<BusinessCreated, ReplaceRefused> {
        let (organisation, identifier) =
            (caller.organisation_id, cutover_core::trimmed(identifier).to_owned());
        if read_committed(&*self.store, |tx| tx.business(organisation, &identifier))?.is_none() {
            return Err(ReplaceRefused::NotFound);
        }
        let new = self.checked_business(caller, body)?;
        if new.request.external_business_identifier.trimmed() != identifier {
            return Err(ReplaceRefused::OtherIdentifier);
        }
        let external = identifier.clone();
        let number = write_with_retry(&*self.store, move |tx| replace(tx, &identifier, &new))?;
        Ok(BusinessCreated { service_business_id: number, external_business_identifier: external })
    }

    /// Returns a business of the caller's organisation as JSON: its number and the members of the create (contract
    /// D13); `None` if there is none with this identifier.
    ///
    /// # Errors
    /// [`StoreError`] if it could not be read.
    pub fn business(&self, caller: &Caller, identifier: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let identifier = cutover_core::trimmed(identifier);
        let found = read(&*self.store, |tx| tx.business_record(caller.organisation_id, identifier))?;
        Ok(found.map(|record| business_json(&record)))
    }

    /// Returns businesses of the caller's organisation with greater numbers than `after`, at most `limit`, as a JSON
    /// array, and the number to go on after; `None` if no others follow. A page ends early if its text is long.
    ///
    /// # Errors
    /// [`StoreError`] if they could not be read.
    pub fn businesses(
        &self,
        caller: &Caller,
        after: i64,
        limit: u32,
    ) -> Result<(Vec<u8>, Option<i64>), StoreError> {
        let organisation = caller.organisation_id;
        read(&*self.store, |tx| {
            let identifiers = tx.businesses_after(organisation, after, limit.saturating_add(1))?;
            let (mut items, mut size, mut last) = (Vec::new(), 0, after);
            for identifier in identifiers.iter().take(limit as usize) {
                let Some(record) = tx.business_record(organisation, identifier)? else { continue };
                let mut writer = Writer::new();
                write_record(&record, &mut writer);
                items.push(writer.into_bytes());
                (size, last) = (size + items.last().map_or(0, Vec::len), record.number);
                if size >= PAGE_BYTES {
                    break;
                }
            }
            let next = (items.len() < identifiers.len()).then_some(last);
            Ok(([b"[".as_slice(), &items.join(&b','), b"]"].concat(), next))
        })
    }

    /// Returns businesses of the caller's organisation with greater numbers than `after`, at most `limit`, for a list, and
    /// the number to go on after; `None` if no others follow.
    ///
    /// # Errors
    /// [`StoreError`] if they could not be read.
    pub fn listed_businesses(
        &self,
        caller: &Caller,
        after: i64,
        limit: u32,
    ) -> Result<(Vec<ListedBusiness>, Option<i64>), StoreError> {
        let organisation = caller.organisation_id;
        read(&*self.store, |tx| {
            let identifiers = tx.businesses_after(organisation, after, limit.saturating_add(1))?;
            let mut listed = Vec::new();
            for identifier in identifiers.iter().take(limit as usize) {
                listed.extend(tx.business_record(organisation, identifier)?.map(ListedBusiness::from));
            }
            let last = listed.last().map(|business| business.number);
            Ok((listed, last.filter(|_| identifiers.len() > limit as usize)))
        })
    }

    fn checked_business(&self, caller: &Caller, body: &[u8]) -> Result<NewBusiness, AddRefused> {
        let checked = check_at_once::<draft::BusinessRequest<'_>>(self, caller, body)?;
        let (request, supplier, now) = checked.accepted()?;
        let mut request = valid(request.into_valid())?.into_owned();
        trim_identities(&mut request);
        Ok(NewBusiness {
            terms: self.search_terms()?.at(caller.organisation_id).of_business(&request),
            organisation_id: caller.organisation_id,
            supplier_id: valid(supplier)?.id,
            fingerprint: codec::content(&request),
            created_at: now.instant,
            request,
        })
    }
}

/// Returns the facts of a business that another one of the organisation has (rule BUS-10).
fn taken_details(
    request: &draft::BusinessRequest<'_>,
    app: &App,
    caller: &Caller,
    profile: &Profile,
) -> Result<BTreeSet<UniqueDetail>, StoreError> {
    let details = details_to_look_up(request, profile);
    let Some(identifier) = request.external_business_identifier.usable() else { return Ok(BTreeSet::new()) };
    if details.is_empty() {
        return Ok(details);
    }
    let organisation = caller.organisation_id;
    let terms = app.search_terms()?.at(organisation);
    read_committed(&*app.store, |tx| {
        let own = tx.business(organisation, identifier.trimmed())?.map(|business| business.id);
        let mut taken = BTreeSet::new();
        for detail in &details {
            // The business itself may be one of the two.
            let with = terms.of_detail(detail).map(|term| tx.businesses_with(&term, 0, 2)).transpose()?;
            if with.into_iter().flatten().any(|id| Some(id) != own) {
                taken.insert(detail.clone());
            }
        }
        Ok(taken)
    })
}

/// Returns a business as JSON: its number, then the members of the create.
pub(crate) fn business_json(record: &BusinessRecord) -> Vec<u8> {
    let mut writer = Writer::new();
    write_record(record, &mut writer);
    writer.into_bytes()
}

/// Writes a business: its number, then the members of the create.
fn write_record(record: &BusinessRecord, writer: &mut Writer) {
    let request = record.request.to_json();
    let members = request.strip_prefix(b"{").and_then(|rest| rest.strip_suffix(b"}"));
    let members = members.and_then(|members| std::str::from_utf8(members).ok()).unwrap_or_default();
    writer.object(|writer| {
        writer.name("service_business_id");
        writer.raw(&record.number.to_string());
        writer.raw(members);
    });
}

/// Trims the identifiers, which are stored and compared trimmed.
fn trim_identities(request: &mut BusinessRequest<'static>) {
    request.import_supplier_code.trim();
    request.external_business_identifier.trim();
    let contracts = request.business.business_contracts.iter_mut().flatten();
    contracts.for_each(|contract| contract.identifier.trim());
}

fn create(tx: &mut dyn Tx, new: &NewBusiness) -> Result<i64, AddRefused> {
    if let Some(number) = known(tx, new)? {
        return Ok(number);
    }
    fault::reached(Point::BusinessSought, new.request.external_business_identifier.trimmed());
    let taken = taken_contracts(tx, new, &[])?;
    if !taken.is_empty() {
        // The contracts may be this business's own: an equal request may have stored it since it was looked for.
        return known(tx, new)?.ok_or_else(|| AddRefused::faults(taken));
    }
    let number = tx.insert_business(new)?.number;
    publish(tx, new, FeedEventType::BusinessCreated, number)?;
    Ok(number)
}

/// Returns the number of a business that is stored with equal content.
fn known(tx: &mut dyn Tx, new: &NewBusiness) -> Result<Option<i64>, AddRefused> {
    let identifier = new.request.external_business_identifier.trimmed();
    match tx.business(new.organisation_id, identifier)? {
        Some(stored) if stored.fingerprint == new.fingerprint => Ok(Some(stored.number)),
        Some(_) => {
            let attr = AttrPath::root().name("external_business_identifier");
            Err(AddRefused::faults(vec![PST_13.issue(attr, Code::BusinessAlreadyExists)]))
        }
        None => Ok(None),
    }
}

fn publish(
    tx: &mut dyn Tx,
    new: &NewBusiness,
    event_type: FeedEventType,
    number: i64,
) -> Result<(), StoreError> {
    let identifier = new.request.external_business_identifier.trimmed();
    tx.publish(&NewFeedEvent {
        supplier_id: new.supplier_id,
        event_type,
        occurred_at: new.created_at,
        external_account_number: None,
        service_account_number: None,
        data: Some(EventData::business(identifier, number)),
    })
}

/// Replaces a business, whose contracts stay if accounts refer to them. A call that changes nothing has no event.
fn replace(tx: &mut dyn Tx, identifier: &str, new: &NewBusiness) -> Result<i64, ReplaceRefused> {
    let found =
        |tx: &mut dyn Tx| tx.business(new.organisation_id, identifier)?.ok_or(ReplaceRefused::NotFound);
    let StoredBusiness { id, .. } = found(tx)?;
    tx.lock_business(id)?;
    let stored = found(tx)?;
    if stored.fingerprint == new.fingerprint {
        return Ok(stored.number);
    }
    let own = tx.contracts_of(stored.id)?;
    let taken = taken_contracts(tx, new, &own)?;
    if !taken.is_empty() {
        return Err(AddRefused::faults(taken).into());
    }
    // This locks the contracts: an account that refers to a removed one was either created before and is found
    // below, or is refused.
    tx.replace_business(stored.id, new)?;
    let sent: HashSet<&str> = identifiers(new).collect();
    for removed in own.iter().filter(|contract| !sent.contains(contract.as_str())) {
        if tx.is_contract_in_use(new.organisation_id, removed)? {
            let attr = AttrPath::root().name("business").name("business_contracts");
            return Err(AddRefused::faults(vec![PST_16.issue(attr, Code::ContractInUse)]).into());
        }
    }
    publish(tx, new, FeedEventType::BusinessChanged, stored.number)?;
    Ok(stored.number)
}

fn identifiers(new: &NewBusiness) -> impl Iterator<Item = &str> {
    new.request.business.business_contracts.iter().flatten().map(|contract| contract.identifier.trimmed())
}

/// Returns issues for contracts whose identifiers are taken by another business of the organisation, or by an
/// earlier contract of the request where rule BUS-02 is no error. `own` are the contracts that the business has.
fn taken_contracts(tx: &mut dyn Tx, new: &NewBusiness, own: &[String]) -> Result<Vec<Issue>, StoreError> {
    let own: HashSet<&str> = own.iter().map(String::as_str).collect();
    let (mut faults, mut seen) = (Vec::new(), HashSet::new());
    for (index, identifier) in (0..).zip(identifiers(new)) {
        let is_own = own.contains(identifier);
        if !seen.insert(identifier) || !is_own && tx.contract_exists(new.organisation_id, identifier)? {
            let contracts = AttrPath::root().name("business").name("business_contracts");
            let attr = contracts.index(index).name("identifier");
            faults.push(PST_09.issue(attr, Code::ContractWithIdentifierExists));
        }
    }
    Ok(faults)
}
