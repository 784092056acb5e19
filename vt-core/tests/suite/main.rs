//! Tests of the core with toy kernels and devices.

mod cases;
mod chunks;
mod data;
mod devices;
mod graphs;
mod passes;
mod random;
mod registries;
mod toy;
