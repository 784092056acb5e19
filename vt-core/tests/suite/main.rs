//! Tests of the core with toy kernels and devices.

mod cases;
mod chunks;
mod data;
mod devices;
mod drawings;
mod graphs;
mod kernels;
mod passes;
mod random;
mod registries;
mod rows_of_rows;
mod schedules;
mod sequences;
mod toy;
mod watching;
