//! Sheets of our own.
