//! A plan drawn in Graphviz's language.

use std::collections::HashMap;

use vt_core::op::{Embed, Silu};
use vt_core::plan::{Description, Options, Plan};
use vt_core::{DType, Desc, Graph, Sizes, Sym};

use crate::toy::model::{put, weight};
use crate::toy::{self, model};

/// From, to, attributes.
type Edge<'a> = (&'a str, &'a str, &'a str);

/// Nodes with their labels, and edges with their attributes.
fn parse(dot: &str) -> (HashMap<&str, &str>, Vec<Edge<'_>>) {
    let lines = dot.lines().filter_map(|l| l.trim().trim_end_matches(';').split_once(" ["));
    let (edges, nodes): (Vec<_>, Vec<_>) = lines.partition(|(head, _)| head.contains(" -> "));
    let edges = edges.into_iter().filter_map(|(e, a)| e.split_once(" -> ").map(|(from, to)| (from, to, a)));
    (nodes.into_iter().filter(|(n, _)| !["graph", "edge", "node"].contains(n)).collect(), edges.collect())
}

fn plan(g: &Graph) -> (Plan, Description) {
    let plan = Plan::new(g, &toy::registry(2, 0), &Options::new("toy", Sizes { t: 8, r: 8 })).unwrap();
    let description = plan.describe();
    (plan, description)
}

#[test]
fn every_operand_is_an_edge_between_nodes() {
    let (plan, d) = plan(&model::model(2).unwrap());
    let dot = plan.dot(0).unwrap();
    let (nodes, edges) = parse(&dot);
    let steps = &d.schedules[0].steps;
    assert_eq!(edges.len(), steps.iter().map(|s| s.inputs.len()).sum::<usize>() + 1);
    assert!(edges.iter().all(|(from, to, _)| nodes.contains_key(from) && nodes.contains_key(to)));
    let of = |kind: &str| nodes.keys().filter(|n| n.starts_with(kind)).count();
    assert_eq!((of("n"), of("o"), of("s"), of("i"), of("w")), (steps.len(), 1, 4, 4, 2 * 9 + 2));
    let bold = edges.iter().filter(|(.., a)| a.ends_with("style=bold]")).count();
    assert_eq!(bold, steps.iter().filter(|s| s.in_place.is_some()).count());
    let epochs: std::collections::HashSet<usize> = steps.iter().map(|s| s.epoch).collect();
    assert_eq!(dot.matches("subgraph cluster_").count(), epochs.len());
}

#[test]
fn labels_are_escaped() {
    let g = Graph::new();
    let ids = g.input("a \"b\"", Desc::new(DType::I32, [Sym::T]));
    let x = put(&g, Embed, &[&ids, &weight("c\\d\ne", &[4, 4])]).unwrap();
    g.output(&put(&g, Silu, &[&x]).unwrap()).unwrap();
    let (plan, _) = plan(&g);
    let dot = plan.dot(0).unwrap();
    let (nodes, _) = parse(&dot);
    assert_eq!(nodes["i0"], r##"style=filled, fillcolor="#eeeeee", label="input a \"b\""]"##);
    assert_eq!(nodes["w0"], r##"style=filled, fillcolor="#eeeeee", label="weight c\\d\ne"]"##);
}
