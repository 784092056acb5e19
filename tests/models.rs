//! Tiny models against llama.cpp's logits, which `goldens/models` holds.

mod tiny;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use sha2::{Digest, Sha256};
use tiny::compare::nmse;
use tiny::run::{self, Setup};
use tiny::{Tiny, VOCAB};
use vt::core::DType;
use vt::npy::{Array, Kind};

/// llama.cpp's answer to a model.
struct Golden {
    manifest: Value,
    /// Its logits `[tokens, vocabulary]` on the weights decoded to f32, with f32 caches.
    decoded: Vec<f32>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("goldens/models")
}

impl Golden {
    /// The answer to a model, which must be the one that it was made from.
    fn of(tiny: &Tiny, file: &[u8]) -> Self {
        let folder = folder().join(tiny.name);
        let read = |name: &str| fs::read(folder.join(name)).unwrap_or_else(|e| panic!("{}/{name}: {e}", tiny.name));
        let manifest: Value = serde_json::from_slice(&read("manifest.json")).unwrap();
        let sha256: String = Sha256::digest(file).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(manifest["sha256"], sha256, "{}: another model; run goldens/models/make.py", tiny.name);
        let array = Array::from_file(&read("decoded.npy")).unwrap();
        let golden = Self { manifest, decoded: floats(&array) };
        assert_eq!((array.kind(), array.shape()), (Kind::F32, &[golden.tokens().len(), VOCAB][..]));
        golden
    }

    fn tokens(&self) -> Vec<u32> {
        serde_json::from_value(self.manifest["tokens"].clone()).unwrap()
    }

    /// How far llama.cpp's logits on the file's own weights are from the decoded ones, with caches of that type.
    fn bound(&self, cache: DType) -> f64 {
        self.manifest["nmse"][cache.name()].as_f64().unwrap()
    }
}

fn floats(array: &Array) -> Vec<f32> {
    array.data().as_chunks::<4>().0.iter().map(|word| f32::from_le_bytes(*word)).collect()
}

/// How near the logits are to llama.cpp's where both compute the same. Its GELU is a table of f16, whose errors add up
/// over the layers.
fn exact(tiny: &Tiny) -> f64 {
    match (tiny.arch, tiny.layers) {
        ("gemma" | "gemma2" | "gemma3", 0..=7) => 5e-7,
        ("gemma2" | "gemma3", _) => 1e-5,
        _ => 1e-10,
    }
}

/// How far vt is from the answer.
fn distance(file: &[u8], golden: &Golden, setup: Setup) -> f64 {
    let model = setup.load(&run::open(file.to_vec()));
    nmse(&run::logits(&model, &golden.tokens(), 512), &golden.decoded)
}

#[test]
fn the_cost_of_quantized_activations_is_that_of_llama_cpp() {
    for tiny in tiny::ALL {
        let file = tiny.file();
        let golden = Golden::of(tiny, &file);
        for cache in [DType::F32, DType::F16] {
            let found = distance(&file, &golden, Setup { cache, ..Setup::default() });
            let bound = 1.25 * golden.bound(cache) + exact(tiny).max(1e-6);
            assert!(found <= bound, "{} with {cache} caches: {found:e}, at most {bound:e} expected", tiny.name);
        }
    }
}

#[test]
fn on_floats_the_logits_are_those_of_llama_cpp() {
    for tiny in tiny::ALL.iter().filter(|tiny| tiny.weights == DType::F32) {
        let file = tiny.file();
        let golden = Golden::of(tiny, &file);
        let found = distance(&file, &golden, Setup { cache: DType::F32, ..Setup::default() });
        assert!(found <= exact(tiny), "{}: {found:e}", tiny.name);
    }
}

#[test]
fn decoded_weights_are_those_of_llama_cpp() {
    for tiny in tiny::ALL {
        let file = tiny.file();
        let golden = Golden::of(tiny, &file);
        for (cache, bound) in [(DType::F32, exact(tiny)), (DType::F16, exact(tiny).max(1e-6))] {
            let found = distance(&file, &golden, Setup { cache, decoded: true, ..Setup::default() });
            assert!(found <= bound, "{} with {cache} caches: {found:e}", tiny.name);
        }
    }
}

#[test]
fn every_answer_has_its_model() {
    let folders = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir());
    for folder in folders {
        let name = folder.file_name().unwrap().to_str().unwrap();
        assert_eq!(tiny::find(name).name, name);
    }
}
