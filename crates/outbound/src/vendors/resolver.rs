use super::address::AddressRule;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::net::SocketAddr;
use std::sync::Arc;

/// Name resolution of the system.
pub(crate) struct SystemResolver;

impl Resolve for SystemResolver {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found: Vec<SocketAddr> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

/// Resolves names to allowed addresses only. The check at the connection is needed because a name may resolve
/// differently after the base URL was checked.
pub(crate) struct FilteredResolver {
    pub(crate) resolver: Arc<dyn Resolve>,
    pub(crate) rule: AddressRule,
}

/// All addresses of a name are refused.
#[derive(Debug, thiserror::Error)]
#[error("its name resolves only to refused addresses")]
pub(crate) struct RefusedAddresses;

impl Resolve for FilteredResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let (found, rule) = (self.resolver.resolve(name), self.rule);
        Box::pin(async move {
            let allowed: Vec<SocketAddr> = found.await?.filter(|a| rule.allows(a.ip())).collect();
            if allowed.is_empty() {
                Err(RefusedAddresses.into())
            } else {
                Ok(Box::new(allowed.into_iter()) as Addrs)
            }
        })
    }
}
