//! The module `bouton._bouton`: the library `bouton` for Python. The package around it (`bouton`) adds arrays, pages
//! for notebooks, and environments, in Python.
//!
//! *Invariants:* everything goes through the library, and long work runs without the GIL on a thread of its own, which
//! Ctrl-C cancels (`work`).

mod answer;
mod certificate;
mod document;
mod errors;
mod game;
mod position;
mod value;
mod work;

#[pyo3::pymodule]
mod _bouton {
    #[pymodule_export]
    use crate::answer::{PyAnswer, PyStrategy};
    #[pymodule_export]
    use crate::certificate::{PyVerdict, verify};
    #[pymodule_export]
    use crate::document::PyDocument;
    #[pymodule_export]
    use crate::game::{PyGame, load};
    #[pymodule_export]
    use crate::position::{PyMove, PyPosition};
    #[pymodule_export]
    use crate::value::PyValue;

    /// The version of Bouton.
    #[pymodule_export]
    #[allow(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
