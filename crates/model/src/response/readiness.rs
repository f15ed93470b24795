//! The readiness of a supplier for its next wave (contract D16).

use super::Timestamp;
use serde::Serialize;

answers! {
    /// A check of the readiness.
    CheckShown (Debug, Eq, Serialize) {
        /// `documents`, `vendors`, `contracts`, `sample`, `manifest`, `failures`, `unresolved`, `window`, `clock`,
        /// `tls`, `encryption`, `disk`, `durability`, `replica` or `backup`.
        name: String;
        /// `ok`, `warn` (somebody should look at it) or `stop` (a release is refused).
        level: String;
        /// Text for people: what was found.
        detail: String;
        /// Text for people: what to do about it; `null` if there is nothing to do.
        action: Option<String>;
    }

    /// The readiness of a supplier for its next wave (contract D16).
    ReadinessShown (Debug, Eq, Serialize) {
        /// False if a check that is shown is `stop`.
        ready: bool;
        /// The time of which the answer is: everything that any node stored or refused before is in it.
        as_of: Timestamp;
        /// The checks, in this order. With a supplier's token those about its own data: `documents`, `contracts`,
        /// `sample`, `manifest`, `failures`, `unresolved` and `window`.
        checks: Vec<CheckShown>;
    }
}
