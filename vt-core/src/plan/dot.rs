//! A planned graph as Graphviz text.

use std::collections::BTreeSet;
use std::fmt::{self, Write};

use super::assemble::Schedule;
use super::plan::Plan;
use super::program::Source;
use super::step::Step;

const PREAMBLE: &str = "digraph plan {
  rankdir=TB;
  graph [fontname=\"sans-serif\"];
  edge [fontname=\"sans-serif\", fontsize=11];
  node [fontname=\"sans-serif\", shape=box, style=rounded];
";

impl Plan {
    /// The planned graph of one schedule in Graphviz's language: ops with their kernels, in a cluster an epoch; weights,
    /// inputs and states in grey; edges with type and shape. `None` if there is no such schedule.
    pub fn dot(&self, schedule: usize) -> Option<String> {
        let mut out = String::new();
        // Writing to a string does not fail.
        self.draw(self.schedules.get(schedule)?, &mut out).ok()?;
        Some(out)
    }

    fn draw(&self, schedule: &Schedule, out: &mut String) -> fmt::Result {
        let steps: Vec<&Step> = schedule.segments().flat_map(|s| &s.steps).collect();
        out.push_str(PREAMBLE);
        self.draw_leaves(&steps, out)?;
        for epoch in steps.chunk_by(|a, b| a.epoch == b.epoch) {
            let number = epoch[0].epoch;
            writeln!(out, "  subgraph cluster_{number} {{\n    label=\"epoch {number}\";")?;
            for step in epoch {
                let text = escape(&format!("{}\n{}\n{}", step.op, step.bound.kernel(), step.share));
                writeln!(out, "    n{} [label=\"{text}\"];", step.node)?;
            }
            writeln!(out, "  }}")?;
        }
        for step in &steps {
            self.draw_edges(step, out)?;
        }
        self.draw_outputs(schedule, out)?;
        writeln!(out, "}}")
    }

    fn draw_leaves(&self, steps: &[&Step], out: &mut String) -> fmt::Result {
        let sources = steps.iter().flat_map(|s| &self.program.nodes[s.node].inputs);
        let leaves: BTreeSet<(String, String)> = sources
            .filter(|s| !matches!(s, Source::Node { .. }))
            .map(|s| (name(*s), escape(&self.leaf_label(*s))))
            .collect();
        leaves.iter().try_for_each(|(name, label)| {
            writeln!(out, "  {name} [style=filled, fillcolor=\"#eeeeee\", label=\"{label}\"];")
        })
    }

    fn leaf_label(&self, source: Source) -> String {
        let program = &self.program;
        match source {
            Source::Weight(i) => format!("weight {}", program.weights[i].0),
            Source::State(i) => format!("state {i}"),
            Source::Input(i) if program.batch.positions == Some(i) => "positions".to_owned(),
            Source::Input(i) if program.batch.sequences == Some(i) => "sequences".to_owned(),
            Source::Input(i) => format!("input {}", program.inputs[i].0),
            Source::Node { node, .. } => program.nodes[node].op.name().to_owned(),
        }
    }

    fn draw_edges(&self, step: &Step, out: &mut String) -> fmt::Result {
        let node = &self.program.nodes[step.node];
        for (i, (source, ty)) in node.inputs.iter().zip(&node.input_types).enumerate() {
            let style = if step.in_place == Some(i) { ", style=bold" } else { "" };
            let label = escape(&ty.to_string());
            writeln!(out, "  {} -> n{} [label=\"{label}\"{style}];", name(*source), step.node)?;
        }
        Ok(())
    }

    fn draw_outputs(&self, schedule: &Schedule, out: &mut String) -> fmt::Result {
        for (i, (source, operand)) in self.program.outputs.iter().zip(&schedule.outputs).enumerate() {
            let label = escape(&operand.ty.to_string());
            writeln!(out, "  o{i} [style=filled, fillcolor=\"#eeeeee\", label=\"output {i}\"];")?;
            writeln!(out, "  {} -> o{i} [label=\"{label}\"];", name(*source))?;
        }
        Ok(())
    }
}

fn name(source: Source) -> String {
    match source {
        Source::Input(i) => format!("i{i}"),
        Source::Weight(i) => format!("w{i}"),
        Source::State(i) => format!("s{i}"),
        Source::Node { node, .. } => format!("n{node}"),
    }
}

/// Text inside quotes of Graphviz's language.
fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
