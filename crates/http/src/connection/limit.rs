use crate::request::client::network;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Counts the connections of each address, so that one client cannot take all.
#[derive(Debug)]
pub(crate) struct Connections {
    /// Maximum for one IPv4 address, or one /64 of IPv6.
    of_each: usize,
    /// Proxies, which have many clients and no limit.
    exempt: Vec<IpAddr>,
    open: Mutex<HashMap<IpAddr, usize>>,
}

impl Connections {
    /// Allows one address half of all connections.
    pub(crate) fn new(all: usize, exempt: Vec<IpAddr>) -> Arc<Self> {
        Arc::new(Self { of_each: all.div_ceil(2).max(1), exempt, open: Mutex::default() })
    }

    /// Returns a permit for a connection from an address; `None` if that address has too many.
    pub(crate) fn permit(self: &Arc<Self>, from: IpAddr) -> Option<Permit> {
        if self.exempt.contains(&from.to_canonical()) {
            return Some(Permit(None));
        }
        let from = network(from.to_canonical());
        let mut open = self.open();
        let count = open.entry(from).or_default();
        if *count >= self.of_each {
            return None;
        }
        *count += 1;
        Some(Permit(Some((self.clone(), from))))
    }

    fn open(&self) -> MutexGuard<'_, HashMap<IpAddr, usize>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Permits one connection until it is dropped.
#[derive(Debug)]
pub(crate) struct Permit(Option<(Arc<Connections>, IpAddr)>);

impl Drop for Permit {
    fn drop(&mut self) {
        let Some((connections, from)) = &self.0 else { return };
        let mut open = connections.open();
        // An address without connections is removed, which bounds the memory.
        match open.get_mut(from) {
            Some(count) if *count > 1 => *count -= 1,
            _ => drop(open.remove(from)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Failure 17.
    #[test]
    fn one_address_has_half_of_the_connections() {
        let connections = Connections::new(6, vec![[10, 0, 0, 1].into()]);
        let permit = |from: &str| connections.permit(from.parse().unwrap());
        let mut held: Vec<_> = (0..3).map(|_| permit("192.0.2.7").unwrap()).collect();
        assert!(permit("192.0.2.7").is_none() && permit("::ffff:192.0.2.7").is_none());
        held.push(permit("192.0.2.8").unwrap());
        held.extend((0..9).map(|_| permit("10.0.0.1").unwrap()));
        held.extend(["1", "2", "3"].map(|host| permit(&format!("2001:db8::{host}")).unwrap()));
        assert!(permit("2001:db8::4").is_none(), "a network is one client's");
        drop(held.remove(0));
        held.push(permit("192.0.2.7").unwrap());
        drop(held);
        assert!(connections.open().is_empty(), "{connections:?}");
    }
}
