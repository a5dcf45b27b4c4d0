//! Puts the values of a circuit in their places.
