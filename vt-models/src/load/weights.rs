//! The weights of a model: taken from the file, checked against the metadata, and put where they are to live.

use std::cell::RefCell;
use std::collections::HashSet;
use std::fmt::Display;

use vt_core::plan::Eager;
use vt_core::{DType, Tensor, Value};
use vt_gguf::{Decision, Fault, Gguf, GgufError, Policy, Residency, Role, TensorInfo, residency};

use super::{Problem, Target, foreign};
use crate::ModelError;

/// What becomes of a tensor of the file.
#[derive(Clone, Debug)]
pub struct TensorUse {
    /// Its name.
    pub name: String,
    /// What the model does with it.
    pub role: Role,
    /// Where it lives, and why.
    pub decision: Decision,
}

/// The uses of the tensors taken, the names of the others, and everything that stood in the way.
pub type Findings = (Vec<TensorUse>, Vec<String>, Vec<Problem>);

/// Hands out a file's tensors as values. What is wrong is collected, so that all of it can be told at once: until
/// [`Weights::finish`], an empty tensor stands for one that is missing.
pub struct Weights<'a> {
    gguf: &'a Gguf,
    target: &'a Target,
    config: vt_gguf::Config,
    load: bool,
    placeholder: Value,
    /// The names that the model asked for.
    asked: RefCell<HashSet<String>>,
    /// What the names of tensors start with that are left alone.
    skipped: RefCell<Vec<String>>,
    uses: RefCell<Vec<TensorUse>>,
    problems: RefCell<Vec<Problem>>,
    /// That the file became shorter since it was opened, which is no fault of its tensors.
    shrunk: RefCell<Option<GgufError>>,
}

impl<'a> Weights<'a> {
    /// The weights of `gguf`, for a device. Unless `load`, nothing is decoded, and zeros that are never written stand for
    /// what would be: for looking at a file.
    ///
    /// # Errors
    /// If there is no memory at all.
    pub fn new(gguf: &'a Gguf, target: &'a Target, config: vt_gguf::Config, load: bool) -> Result<Self, ModelError> {
        let placeholder = Value::weight("missing", Tensor::zeros(DType::F32, &[0])?);
        let (asked, skipped, uses) = (RefCell::default(), RefCell::default(), RefCell::default());
        let (problems, shrunk) = (RefCell::default(), RefCell::default());
        Ok(Self { gguf, target, config, load, placeholder, asked, skipped, uses, problems, shrunk })
    }

    /// A matrix `[rows, cols]` that activations are multiplied with.
    pub fn matmul(&self, name: &str, rows: usize, cols: usize) -> Value {
        self.required(name, Role::MatmulWeight, &[rows, cols])
    }

    /// A matrix `[rows, cols]` for each head, that its part of activations is multiplied with. That of a single head may be
    /// just a matrix: writers leave dimensions of 1 out.
    pub fn matmul_heads(&self, name: &str, heads: usize, rows: usize, cols: usize) -> Value {
        if heads == 1 && self.gguf.info(name).is_some_and(|info| info.shape().len() == 2) {
            return self.matmul(name, rows, cols);
        }
        self.required(name, Role::MatmulWeight, &[heads, rows, cols])
    }

    /// The matrices `[rows, cols]` of all experts.
    pub fn experts(&self, name: &str, experts: usize, rows: usize, cols: usize) -> Value {
        self.required(name, Role::ExpertWeight, &[experts, rows, cols])
    }

    /// The biases of all experts, a vector of `len` f32 each, if the file has them.
    pub fn optional_expert_biases(&self, name: &str, experts: usize, len: usize) -> Option<Value> {
        self.has(name).then(|| self.required(name, Role::Vector, &[experts, len]))
    }

    /// Matrices of so many rows that follow each other in the rows of one: each stays where it is in the file.
    pub fn matmul_parts<const N: usize>(&self, name: &str, rows: [usize; N], cols: usize) -> [Value; N] {
        self.parts(name, Role::MatmulWeight, rows, &[cols])
    }

    /// The same of small matrices of f32, which are no operands of matmuls.
    pub fn float_parts<const N: usize>(&self, name: &str, rows: [usize; N], cols: usize) -> [Value; N] {
        self.parts(name, Role::Vector, rows, &[cols])
    }

    /// A vector of `len` f32.
    pub fn vector(&self, name: &str, len: usize) -> Value {
        self.required(name, Role::Vector, &[len])
    }

    /// A vector that the file may lack.
    pub fn optional_vector(&self, name: &str, len: usize) -> Option<Value> {
        self.has(name).then(|| self.vector(name, len))
    }

    /// Vectors of such lengths that follow each other in one, which the file may lack.
    pub fn optional_vector_parts<const N: usize>(&self, name: &str, lens: [usize; N]) -> Option<[Value; N]> {
        self.has(name).then(|| self.parts(name, Role::Vector, lens, &[]))
    }

    /// Notes a problem if the file lacks a tensor that other models may lack, and this one may not: without it the answers
    /// would be wrong.
    pub fn demand(&self, name: &str) {
        if !self.has(name) {
            self.note(Problem::Fault(format!("tensor `{name}`: missing")));
        }
    }

    /// Whether the file has a tensor of that name.
    pub fn has(&self, name: &str) -> bool {
        self.gguf.info(name).is_some()
    }

    /// The embedding table `[vocab, dim]` and the head's weight: the file's, or the table itself where it has none.
    pub fn embedding_and_head(&self, table: &str, head: &str, vocab: usize, dim: usize) -> (Value, Value) {
        let shape = [vocab, dim];
        if self.has(head) {
            (self.required(table, Role::Embedding, &shape), self.required(head, Role::MatmulWeight, &shape))
        } else {
            let both = self.required(table, Role::TiedEmbedding, &shape);
            (both.clone(), both)
        }
    }

    /// A vector of ones, for an operand that the file leaves out.
    pub fn ones(&self, len: usize) -> Value {
        self.constant("ones", &vec![1.0f32; len])
    }

    /// A vector of zeros, for an operand that the file leaves out.
    pub fn zeros(&self, len: usize) -> Value {
        self.constant("zeros", &vec![0.0f32; len])
    }

    /// A vector that is in no tensor of the file; the name is for messages.
    pub fn constant(&self, name: &str, values: &[f32]) -> Value {
        match Tensor::from_slice(DType::F32, &[values.len()], values) {
            Ok(tensor) => Value::weight(name, tensor),
            Err(error) => self.substitute(Problem::Fault(format!("{name} for an operand: {error}"))),
        }
    }

    /// Says that the tensors whose names start with `prefix` are for something that the model does without.
    pub fn skip(&self, prefix: impl Into<String>) {
        self.skipped.borrow_mut().push(prefix.into());
    }

    /// Notes something that stands in the way.
    pub fn note(&self, problem: Problem) {
        self.problems.borrow_mut().push(problem);
    }

    /// The uses of all tensors taken, and the names of those that were not.
    ///
    /// # Errors
    /// Everything that stood in the way, or that the file became shorter.
    pub fn finish(self) -> Result<(Vec<TensorUse>, Vec<String>), ModelError> {
        let (uses, unused, problems) = self.findings()?;
        if problems.is_empty() { Ok((uses, unused)) } else { Err(ModelError::Refused { problems }) }
    }

    /// The uses of all tensors taken, the names of those that were not, and everything that stood in the way.
    ///
    /// # Errors
    /// If the file became shorter since it was opened.
    pub fn findings(self) -> Result<Findings, GgufError> {
        if let Some(error) = self.shrunk.into_inner() {
            return Err(error);
        }
        let asked = self.asked.into_inner();
        let names = self.gguf.tensors().map(|t| t.name());
        let unused: Vec<String> = names.filter(|name| !asked.contains(*name)).map(str::to_owned).collect();
        let mut problems = self.problems.into_inner();
        let skipped = self.skipped.into_inner();
        let open = unused.iter().filter(|name| !skipped.iter().any(|prefix| name.starts_with(prefix)));
        problems.extend(foreign::tensors(open, &asked));
        Ok((self.uses.into_inner(), unused, problems))
    }

    fn required(&self, name: &str, role: Role, shape: &[usize]) -> Value {
        match self.take(name, role, shape) {
            Ok(tensor) => Value::weight(name, tensor),
            Err(problem) => self.substitute(problem),
        }
    }

    /// Ranges of a tensor's first dimension, one after another; `inner` are its other dimensions.
    fn parts<const N: usize>(&self, name: &str, role: Role, counts: [usize; N], inner: &[usize]) -> [Value; N] {
        let shape = [&[counts.iter().sum()], inner].concat();
        let whole = match self.take(name, role, &shape) {
            Ok(tensor) => tensor,
            Err(problem) => return std::array::repeat(self.substitute(problem)),
        };
        let mut end = 0;
        counts.map(|count| {
            let range = end..end + count;
            end = range.end;
            match whole.part(range.clone()) {
                Ok(part) => Value::weight(&format!("{name}[{}..{}]", range.start, range.end), part),
                Err(error) => self.substitute(Problem::Fault(format!("tensor `{name}`: {error}"))),
            }
        })
    }

    fn take(&self, name: &str, role: Role, shape: &[usize]) -> Result<Tensor, Problem> {
        let fault = |why: &dyn Display| Problem::Fault(format!("tensor `{name}`: {why}"));
        self.asked.borrow_mut().insert(name.to_owned());
        let Some(info) = self.gguf.info(name) else { return Err(fault(&"missing")) };
        if info.shape() != shape {
            return Err(fault(&format!("expected shape {shape:?}, found {:?}", info.shape())));
        }
        let decision = self.decide(role, &info);
        let kept = decision.residency;
        let reason = decision.reason.clone();
        self.uses.borrow_mut().push(TensorUse { name: name.to_owned(), role, decision });
        match kept {
            Residency::Keep => self.mapped(name),
            Residency::DecodeToF32 if self.load => self.decode(self.mapped(name)?).map_err(|error| fault(&*error)),
            Residency::DecodeToF32 => Tensor::zeros(DType::F32, shape).map_err(|error| fault(&error)),
            Residency::Refuse => Err(Problem::Unsupported(format!("tensor `{name}`: {reason}"))),
        }
    }

    fn decide(&self, role: Role, info: &TensorInfo<'_>) -> Decision {
        let policy = Policy {
            config: self.config,
            can_multiply: &|dtype, k| match role {
                Role::ExpertWeight => self.target.can_multiply_experts(dtype, k),
                _ => self.target.can_multiply(dtype, k),
            },
            can_embed: &|dtype| self.target.can_embed(dtype),
        };
        residency(&policy, role, info.tensor_type(), info.shape())
    }

    /// A tensor as it is in the file.
    fn mapped(&self, name: &str) -> Result<Tensor, Problem> {
        self.gguf.tensor(name).map_err(|error| {
            let problem = Problem::Fault(format!("tensor `{name}`: {error}"));
            if matches!(*error.fault, Fault::Shrunk { .. }) {
                self.shrunk.replace(Some(error));
            }
            problem
        })
    }

    /// Decoding is an op: the device, or the one that computes in its place, does it.
    fn decode(&self, tensor: Tensor) -> Result<Tensor, Box<dyn std::error::Error>> {
        let eager = Eager::new(&self.target.registry, &self.target.device);
        let value = vt_ops::dequantize(&eager, &tensor.into())?;
        value.tensor().cloned().ok_or_else(|| "could not be decoded".into())
    }

    fn substitute(&self, problem: Problem) -> Value {
        self.note(problem);
        self.placeholder.clone()
    }
}
