use super::address::AddressRule;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::net::SocketAddr;
use std::sync::Arc;

/// The names of the system.
pub(super) struct SystemNames;

impl Resolve for SystemNames {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found: Vec<SocketAddr> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

/// Gives only those addresses of a name that the rule allows: what a text says of a name may change between
/// the check and the connection.
pub(super) struct RuledNames {
    pub(super) names: Arc<dyn Resolve>,
    pub(super) rule: AddressRule,
}

/// A name stands for nothing but addresses that are refused.
#[derive(Debug, thiserror::Error)]
#[error("its name stands for addresses that are refused")]
pub(super) struct RefusedAddresses;

impl Resolve for RuledNames {
    fn resolve(&self, name: Name) -> Resolving {
        let (found, rule) = (self.names.resolve(name), self.rule);
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
