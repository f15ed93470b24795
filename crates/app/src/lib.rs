//! Use cases, ports and the worker's step.
