use crate::refusal::Refusal;
use crate::request::client::network;
use governor::clock::Clock;
use governor::middleware::NoOpMiddleware;
use governor::state::keyed::DefaultKeyedStateStore;
use governor::{Quota, RateLimiter};
use std::hash::Hash;
use std::net::IpAddr;
use std::num::NonZeroU32;

/// Token requests per second from one address, and the burst.
const SIGN_INS: (u32, u32) = (20, 100);
/// Requests of the console per second with sessions of one key, and the burst: pages refresh themselves.
const VISITS: (u32, u32) = (20, 60);
/// Certificates of a supplier per minute, and the burst: each reads all of its accounts.
const CERTIFICATES: (u32, u32) = (1, 10);
/// Above this number of addresses, those that no longer matter are removed.
const ADDRESSES: usize = 10_000;

#[cfg(not(test))]
type Time = governor::clock::DefaultClock;
/// Stands still, so that how many requests pass does not depend on the speed of the machine.
#[cfg(test)]
type Time = governor::clock::FakeRelativeClock;

type Limiter<K> = RateLimiter<K, DefaultKeyedStateStore<K>, Time, NoOpMiddleware<<Time as Clock>::Instant>>;

/// Rate limits of callers (contract D3, D11).
pub(crate) struct Throttle {
    organisations: Option<Limiter<i64>>,
    addresses: Limiter<IpAddr>,
    /// By the ids of API keys, whose number is bounded by the keys issued.
    visitors: Limiter<i64>,
    /// By the keys of suppliers.
    certificates: Limiter<i64>,
    clock: Time,
}

impl Throttle {
    /// Limits organisations to `rate_limit` requests per second, with bursts of twice as many; 0 sets no
    /// limit.
    pub(crate) fn new(rate_limit: u32) -> Self {
        let organisations = quota(rate_limit, rate_limit.saturating_mul(2));
        let [addresses, visits] = [SIGN_INS, VISITS].map(|(rate, burst)| quota(rate, burst));
        let certificates = Quota::per_minute(at_least_one(CERTIFICATES.0));
        let certificates = certificates.allow_burst(at_least_one(CERTIFICATES.1));
        let clock = Time::default();
        Self {
            organisations: (rate_limit > 0)
                .then(|| RateLimiter::hashmap_with_clock(organisations, clock.clone())),
            addresses: RateLimiter::hashmap_with_clock(addresses, clock.clone()),
            visitors: RateLimiter::hashmap_with_clock(visits, clock.clone()),
            certificates: RateLimiter::hashmap_with_clock(certificates, clock.clone()),
            clock,
        }
    }

    /// Counts a request of an organisation.
    ///
    /// # Errors
    /// [`Refusal::Throttled`] if it comes too often.
    pub(crate) fn organisation(&self, id: i64) -> Result<(), Refusal> {
        self.organisations.as_ref().map_or(Ok(()), |limiter| self.check(limiter, id))
    }

    /// Counts a token request from an address.
    ///
    /// # Errors
    /// [`Refusal::Throttled`] if it comes too often.
    pub(crate) fn sign_in(&self, from: IpAddr) -> Result<(), Refusal> {
        if self.addresses.len() > ADDRESSES {
            self.addresses.retain_recent();
        }
        self.check(&self.addresses, network(from))
    }

    /// Counts a request of the console, by the id of the key that its visitor signed in with.
    ///
    /// # Errors
    /// [`Refusal::Throttled`] if it comes too often.
    pub(crate) fn visit(&self, api_key: i64) -> Result<(), Refusal> {
        self.check(&self.visitors, api_key)
    }

    /// Counts a certificate of a supplier that a client asks for.
    ///
    /// # Errors
    /// [`Refusal::Throttled`] if it comes too often.
    pub(crate) fn certificate(&self, supplier: i64) -> Result<(), Refusal> {
        self.check(&self.certificates, supplier)
    }

    fn check<K: Hash + Eq + Clone>(&self, limiter: &Limiter<K>, key: K) -> Result<(), Refusal> {
        limiter.check_key(&key).map_err(|until| Refusal::Throttled(until.wait_time_from(self.clock.now())))
    }
}

fn quota(per_second: u32, burst: u32) -> Quota {
    Quota::per_second(at_least_one(per_second)).allow_burst(at_least_one(burst))
}

fn at_least_one(n: u32) -> NonZeroU32 {
    NonZeroU32::new(n).unwrap_or(NonZeroU32::MIN)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the number of requests let through of this many at once.
    fn passed(requests: usize, check: impl Fn() -> Result<(), Refusal>) -> usize {
        (0..requests).filter(|_| check().is_ok()).count()
    }

    #[test]
    fn each_organisation_has_its_own_burst() {
        let throttle = Throttle::new(1);
        assert_eq!(passed(1_000, || throttle.organisation(1)), 2);
        assert!(throttle.organisation(2).is_ok());
    }

    #[test]
    fn zero_sets_no_limit() {
        let throttle = Throttle::new(0);
        assert_eq!(passed(10_000, || throttle.organisation(1)), 10_000);
    }

    #[test]
    fn the_console_limits_visitors_even_without_a_rate_limit() {
        let throttle = Throttle::new(0);
        assert_eq!(passed(1_000, || throttle.visit(1)), 60);
        assert!(throttle.visit(2).is_ok());
    }

    #[test]
    fn certificates_of_a_supplier_are_limited_even_without_a_rate_limit() {
        let throttle = Throttle::new(0);
        assert_eq!(passed(1_000, || throttle.certificate(1)), 10);
        assert!(throttle.certificate(2).is_ok());
    }

    #[test]
    fn key_attempts_are_counted_by_network() {
        let throttle = Throttle::new(0);
        let of = |n: u16| IpAddr::from([0x2001, 0xdb8, 0, 0, 0, 0, 0, n]);
        assert_eq!((0..1_000).filter(|n| throttle.sign_in(of(*n)).is_ok()).count(), 100);
        assert!(throttle.sign_in([192, 0, 2, 1].into()).is_ok());
    }
}
