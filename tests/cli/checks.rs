//! `vt check`.

use std::fs;

use vt_core::DType;
use vt_gguf::Writer;

use crate::common::{Models, architecture, stderr, tensors, vocabulary, write};

/// What `vt check` says of a file: its exit status, standard output and standard error.
fn check(models: &Models, file: &str) -> (i32, Vec<String>, Vec<String>) {
    let output = models.vt(&["check", file]).output().unwrap();
    let lines = |text: String| text.lines().map(str::to_owned).collect();
    let out = String::from_utf8(output.stdout.clone()).unwrap();
    (output.status.code().unwrap(), lines(out), lines(stderr(&output)))
}

#[test]
fn good_files_pass_and_strange_ones_with_warnings() {
    let models = Models::new();
    let passes = |file: &str, warned: &[&str]| {
        let (status, out, err) = check(&models, file);
        assert_eq!((status, err.len()), (0, 0), "{file}: {out:?} {err:?}");
        assert_eq!(out.len(), warned.len() + 1, "{file}: {out:?}");
        for (line, part) in out.iter().zip(warned) {
            assert!(line.starts_with("warning: ") && line.contains(part), "{file}: {line}, expected {part}");
        }
        assert!(out.last().unwrap().contains(file) && out.last().unwrap().contains("no errors"));
    };
    passes("whole.gguf", &[]);
    passes("no-tokenizer.gguf", &["no tokenizer"]);
    passes("no-tensors.gguf", &[]);
    passes("foreign.gguf", &["`never-heard-of`"]);
    passes(
        "odd.gguf",
        &["no tokenizer", "longrope", "`blk.1.attn_q_norm.weight`", "attn_q_norm", "attn_rot_embd", "blk.2", "extra"],
    );
}

#[test]
fn bad_files_fail_and_all_that_is_wrong_is_listed() {
    let models = Models::new();
    fs::write(models.path("bad.gguf"), b"GGUF and no more").unwrap();
    let whole = fs::read(models.path("whole.gguf")).unwrap();
    fs::write(models.path("cut.gguf"), &whole[..whole.len() - 100]).unwrap();
    for (file, part) in [("bad.gguf", "version"), ("cut.gguf", "cut short"), ("missing.gguf", "No such file")] {
        let (status, out, err) = check(&models, file);
        assert_eq!((status, out.len(), err.len()), (1, 1, 1), "{out:?} {err:?}");
        assert!(out[0].starts_with("error: ") && out[0].contains(part), "{out:?}");
        assert!(err[0].starts_with("error: ") && err[0].contains(file) && err[0].contains(part), "{err:?}");
    }
    write(&models.path("wrong.gguf"), |w| {
        architecture(w, "llama");
        w.set("llama.attention.key_length", 32u32).unwrap();
        w.set("llama.rope.freq_base", f32::NAN).unwrap();
        w.set("llama.rope.scaling.factor", -1f32).unwrap();
        vocabulary(w);
        w.set("tokenizer.ggml.bos_token_id", 300u32).unwrap();
        tensors(w);
    });
    let (status, out, err) = check(&models, "wrong.gguf");
    assert_eq!((status, err.len()), (1, 1));
    for key in ["rope.freq_base", "rope.scaling.factor", "bos_token_id"] {
        assert_eq!(out.iter().filter(|line| line.contains(key)).count(), 1, "{out:?}");
    }
    assert!(err[0].ends_with("3 errors, no warnings"), "{err:?}");
    let run = stderr(&models.vt(&["eval", "wrong.gguf", "--tokens", "1", "--out", "out.npy"]).output().unwrap());
    for key in ["rope.freq_base", "rope.scaling.factor"] {
        assert!(run.starts_with("error: ") && run.lines().count() == 1 && run.matches(key).count() == 1, "{run}");
    }
}

#[test]
fn tensors_and_metadata_must_agree() {
    let models = Models::new();
    let (kept, more) = (["attn_q", "attn_output"], "blk.2.attn_norm.weight");
    write(&models.path("shapes.gguf"), |w| {
        architecture(w, "llama");
        w.set("llama.attention.key_length", 32u32).unwrap();
        vocabulary(w);
        tensors(w);
        w.tensor(more, DType::F32, &[64], vec![0; 256]).unwrap();
    });
    let (status, out, _) = check(&models, "shapes.gguf");
    assert_eq!(status, 1);
    for part in [format!("blk.0.{}", kept[0]), format!("blk.1.{}", kept[0]), "block_count".into()] {
        assert!(out.iter().any(|line| line.starts_with("error: ") && line.contains(&part)), "{part}: {out:?}");
    }
    let mut run = models.vt(&["eval", "shapes.gguf", "--tokens", "1", "--out", "out.npy"]);
    assert!(stderr(&run.output().unwrap()).contains(more));
}

#[test]
fn weights_that_are_not_finite_are_warnings_in_every_file_of_a_set() {
    let models = Models::new();
    for number in 0..2u16 {
        let mut bytes = vec![0; 36];
        bytes[19..20].fill(0x7e);
        write(&models.path(&format!("set-0000{}-of-00002.gguf", number + 1)), |w| {
            w.set("split.no", number).unwrap().set("split.count", 2u16).unwrap();
            if number == 0 {
                architecture(w, "unknown");
                w.set("split.tensors.count", 2i32).unwrap();
            } else {
                w.set("general.name", "ignored").unwrap();
            }
            w.tensor(&format!("t{number}"), DType::Q4_0, &[2, 32], bytes.clone()).unwrap();
        });
    }
    for named in ["set-00001-of-00002.gguf", "set-00002-of-00002.gguf"] {
        let (status, out, err) = check(&models, named);
        assert_eq!((status, err.len()), (0, 0), "{out:?}");
        for part in ["tensor `t0`: 1 of 2 scales", "tensor `t1`: 1 of 2 scales", "`general.name` of file 2"] {
            assert!(out.iter().any(|line| line.starts_with("warning: ") && line.contains(part)), "{part}: {out:?}");
        }
    }
    fs::remove_file(models.path("set-00002-of-00002.gguf")).unwrap();
    assert_eq!(check(&models, "set-00001-of-00002.gguf").0, 1);
}

#[test]
fn unused_tensors_are_told_when_a_model_is_run() {
    let models = Models::new();
    write(&models.path("more.gguf"), |w| {
        let unused: fn(&mut Writer<'_>) = |w| {
            w.tensor("extra", DType::F32, &[1], vec![0; 4]).unwrap();
        };
        architecture(w, "llama");
        tensors(w);
        unused(w);
    });
    let output = models.vt(&["eval", "more.gguf", "--tokens", "1", "--out", "out.npy"]).output().unwrap();
    assert!(output.status.success());
    assert_eq!(stderr(&output), "warning: tensors that the model does not use (1): extra\n");
}

#[test]
fn what_follows_the_last_tensor_is_told() {
    let models = Models::new();
    let mut whole = fs::read(models.path("whole.gguf")).unwrap();
    whole.extend([0; 1000]);
    fs::write(models.path("longer.gguf"), whole).unwrap();
    let (status, out, _) = check(&models, "longer.gguf");
    assert!(status == 0 && out[0].contains("behind the last tensor"), "{out:?}");
}
