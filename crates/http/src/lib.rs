//! The HTTP edge: a file per endpoint, the only mapping to status codes.
