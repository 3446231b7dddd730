//! Part of Craze.
