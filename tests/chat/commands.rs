//! `vt chat` in scripts.

use std::fs;
use std::ops::ControlFlow;

use vt::chat::{Message, Settings};
use vt::models::sample::SamplerConfig;

use crate::common::{Models, stderr};
use crate::model::{self, Loaded, with_input};

const FIXED: [&str; 10] = ["chat", "chat.gguf", "--seed", "3", "-n", "12", "-c", "4000", "-t", "2"];

/// What a script that must succeed writes to standard output and standard error.
fn script(models: &Models, more: &[&str], input: &str) -> (String, String) {
    let output = with_input(models.vt(&[&FIXED, more].concat()), input);
    let said = stderr(&output);
    assert!(output.status.success(), "{said}");
    (String::from_utf8(output.stdout).unwrap(), said)
}

/// The message of a script that must fail.
fn failing(models: &Models, arguments: &[&str], input: &str) -> String {
    let output = with_input(models.vt(arguments), input);
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    let last = said.lines().last().unwrap();
    assert!(last.starts_with("error: "), "{said}");
    last.to_owned()
}

/// What the library answers, as `vt chat` shows it; the conversation after it.
fn library(models: &Models, system: Option<&str>, questions: &[&str]) -> (String, Vec<Message>) {
    let loaded = Loaded::new(models, "chat.gguf");
    let sampling = SamplerConfig { seed: 3, ..SamplerConfig::default() };
    let mut session = loaded.session(4000, Settings { sampling, max_tokens: Some(12), stop: Vec::new() });
    session.set_system(system);
    let mut shown = String::new();
    for question in questions {
        let answer = session.ask(question, model::now(), &mut |_| ControlFlow::Continue(())).unwrap();
        shown += &answer.text;
        shown.push('\n');
    }
    (shown, session.messages().to_vec())
}

#[test]
fn a_script_is_a_conversation() {
    let models = model::models();
    let expected = library(&models, None, &["hello", " two  words ", "é\nand more\n"]).0;
    let input = "hello\n\n   \n two  words \r\né\\\nand more\\\n";
    let (shown, said) = script(&models, &[], input);
    assert_eq!(shown, expected);
    assert!(said.lines().all(|line| line == "[cut off after 12 tokens]"), "{said}");
    let expected = library(&models, Some("be kind"), &["hello"]).0;
    assert_eq!(script(&models, &["--system", "be kind"], "hello").0, expected);
    assert_eq!(script(&models, &[], "/system be kind\nhello").0, expected);
    assert_eq!(script(&models, &["--system", "be cruel"], "/system be kind\nhello\n/exit\nnever").0, expected);
    assert_eq!(
        script(&models, &["--system", "be cruel"], "/system\nhello\n/bye\n").0,
        library(&models, None, &["hello"]).0
    );
    assert_eq!(script(&models, &[], " /exit\n").0, library(&models, None, &[" /exit"]).0);
}

#[test]
fn turns_are_cleared_taken_back_and_asked_again() {
    let models = model::models();
    let one = library(&models, None, &["one"]).0;
    let (shown, said) = script(&models, &["--temp", "0"], "one\n/undo\none\n/retry\n/clear\none\n");
    // Without chance every answer is the first one.
    let first = shown[..shown.len() / 4].to_owned();
    assert_eq!(shown, first.repeat(4));
    assert!(said.contains("taken back: one\n"), "{said}");
    let shown = script(&models, &[], "one\n/retry\n").0;
    assert!(shown.starts_with(&one) && shown[one.len()..] != one, "{shown}");
    for nothing in ["/undo", "/retry", "one\n/clear\n/undo"] {
        assert!(failing(&models, &FIXED, nothing).contains("no question yet"));
    }
}

#[test]
fn conversations_are_saved_and_loaded() {
    let models = model::models();
    let file = models.path("talk.json");
    let file = file.to_str().unwrap();
    let (_, messages) = library(&models, Some("be kind"), &["one", "say \"é\"\n"]);
    script(&models, &["--system", "be kind"], &format!("one\nsay \"é\"\\\n\n/save {file}\n"));
    let saved = fs::read_to_string(file).unwrap();
    assert_eq!(Message::list(&saved).unwrap(), messages);
    let roles: Vec<_> = messages.iter().map(Message::role).collect();
    assert_eq!(roles, ["system", "user", "assistant", "user", "assistant"]);
    let again = models.path("again.json");
    let (_, said) = script(&models, &[], &format!("/load {file}\n/save {}\n/stats\n", again.display()));
    assert_eq!(fs::read_to_string(again).unwrap(), saved);
    assert!(said.contains("5 messages\n"), "{said}");
    let model_file = models.path("chat.gguf");
    let before = fs::read(&model_file).unwrap();
    let output = with_input(models.vt(&FIXED), &format!("/save {}", model_file.display()));
    assert!(!output.status.success() && fs::read(&model_file).unwrap() == before);
    for (content, what) in [
        ("", "EOF"),
        ("{}", "list"),
        (r#"[{"content":"x"}]"#, "`role`, found a map without one"),
        ("[1]", "`role`, found a number"),
        (r#"[{"role":"user","content":5}]"#, "message 1, of role `user`: expected a text as `content`, found a number"),
        (r#"[{"role":"user","content":"x"},{"role":"assistant","content":null}]"#, "message 2, of role `assistant`"),
        (r#"[{"role":"user"}]"#, "found nothing"),
        (r#"[{"role":"user","content":[{"type":"text","text":"x"}]}]"#, "found a sequence"),
    ] {
        fs::write(file, content).unwrap();
        let message = failing(&models, &FIXED, &format!("/load {file}\nhello\n"));
        assert!(message.contains("talk.json: ") && message.contains(what), "{message}");
    }
    fs::write(file, r#"[{"role":"user","content":"x"},{"role":"assistant","tool_calls":[{"name":"f"}]}]"#).unwrap();
    assert!(script(&models, &[], &format!("/load {file}\n")).1.contains("2 messages\n"));
    assert!(failing(&models, &FIXED, "/load nowhere.json\n").contains("nowhere.json"));
}

#[test]
fn commands_explain_themselves() {
    let models = model::models();
    let (shown, said) = script(&models, &[], "/help\n/?\n/stats\n");
    assert_eq!(shown, "");
    for command in ["/help", "/clear", "/system", "/undo", "/retry", "/save", "/load", "/stats", "/exit"] {
        assert_eq!(said.matches(&format!("\n{command} ")).count() + usize::from(command == "/help"), 2, "{said}");
    }
    assert!(said.ends_with("context 0 of 4000 tokens | 0 messages\n"), "{said}");
    let (_, said) = script(&models, &["--logit-bias", "260:-inf"], "hello\n/stats\nhello\n/stats\n");
    let stats: Vec<&str> = said.lines().filter(|line| line.starts_with("prompt ")).collect();
    assert_eq!(stats.len(), 2, "{said}");
    assert!(stats[0].contains("(0 known before)") && !stats[1].contains("(0 known before)"), "{said}");
    assert!(stats.iter().all(|line| line.contains("| gen 12 tok ")), "{said}");
    assert!(failing(&models, &FIXED, "/nothing\nhello\n").contains("/help"));
}

#[test]
fn stats_count_what_is_part_of_the_conversation() {
    let models = model::models();
    let arguments = ["chat", "chat.gguf", "--seed", "3", "-n", "1", "-t", "2"];
    let said = stderr(&with_input(models.vt(&arguments), "one\n/stats\ntwo\n/stats\n/undo\n/stats\n/clear\n/stats\n"));
    let used: Vec<usize> =
        said.lines().filter_map(|line| line.strip_prefix("context ")?.split(' ').next()?.parse().ok()).collect();
    let [one, two, undone, cleared] = used[..] else { panic!("{said}") };
    assert!(0 < one && one < two && undone == one && cleared == 0, "{said}");
    // A token is no speed.
    assert!(
        said.lines().filter(|line| line.starts_with("prompt ")).all(|line| line.ends_with("| gen 1 tok -")),
        "{said}"
    );
}

#[test]
fn a_full_context_is_told() {
    let models = model::models();
    let arguments = ["chat", "chat.gguf", "-c", "60", "--seed", "1", "--logit-bias", "260:-inf"];
    let output = with_input(models.vt(&arguments), "hi\n");
    assert!(stderr(&output).contains("context of 60 tokens is full; /clear"), "{}", stderr(&output));
    let message = failing(&models, &arguments, "hi\nthere\n");
    assert!(message.contains("the context holds 60; /clear"), "{message}");
    let (start, rest) = ("hi\n/clear\n", "hi\n/exit\n");
    assert!(with_input(models.vt(&arguments), &format!("{start}{rest}")).status.success());
}

#[test]
fn a_broken_template_is_one_line_and_plain_talks_without_it() {
    let models = Models::new();
    let cases = [
        (None, "the file has no chat template"),
        (Some("a\n{% if x %}"), "line 2"),
        (Some("{{ raise_exception('go away') }}"), "go away"),
        (Some("{{ messages[0].nothing.more }}"), "line 1"),
        (Some("{% for i in range(9999) %}{% for j in range(9999) %}{% endfor %}{% endfor %}"), "does not end"),
    ];
    for (template, what) in cases {
        model::write(&models, "broken.gguf", template, false);
        let output = with_input(models.vt(&["chat", "broken.gguf"]), "hello\n");
        let said = stderr(&output);
        assert_eq!((output.status.code(), said.lines().count()), (Some(1), 1), "{said}");
        assert!(said.starts_with("error: ") && output.stdout.is_empty(), "{said}");
        for part in ["broken.gguf: ", what, "; --plain"] {
            assert!(said.contains(part), "{said}");
        }
    }
    let fixed = ["--plain", "-n", "8", "--seed", "3", "-c", "200"];
    model::write(&models, "broken.gguf", Some("{{"), false);
    let plain = with_input(models.vt(&[&["chat", "broken.gguf"], &fixed[..]].concat()), "hello\n");
    assert!(plain.status.success(), "{}", stderr(&plain));
    let prompt = ["run", "whole.gguf", "-p", "User: hello\nAssistant:", "--stop", "\nUser:"];
    let run = models.json(&[&prompt, &fixed[1..], &["--json"]].concat());
    assert_eq!(String::from_utf8(plain.stdout).unwrap(), format!("{}\n", run["text"].as_str().unwrap()));
}

#[test]
fn a_template_that_writes_nothing_is_told() {
    let models = Models::new();
    model::write(&models, "silent.gguf", Some("{% set x = 1 %}"), false);
    let message = failing(&models, &["chat", "silent.gguf"], "hello\n");
    assert!(message.contains("writes nothing for the conversation; --plain"), "{message}");
    let checked = models.vt(&["check", "silent.gguf"]).output().unwrap();
    let told = String::from_utf8(checked.stdout).unwrap();
    assert!(checked.status.success() && told.contains("does not write what a user says"), "{told}");
}

#[cfg(unix)]
#[test]
fn input_without_an_end_is_refused() {
    let models = model::models();
    for arguments in [&["chat", "chat.gguf"][..], &["run", "chat.gguf", "-f", "-"], &["tokenize", "chat.gguf", "-"]] {
        let endless = fs::File::open("/dev/zero").unwrap();
        let output = models.vt(arguments).stdin(endless).output().unwrap();
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.ends_with("more than 64 MiB of text\n"), "{said}");
    }
}

#[test]
fn a_template_that_takes_no_system_message_says_so() {
    let models = Models::new();
    let template = "{% if messages[0].role == 'system' %}{{ raise_exception('no system') }}{% endif %}x";
    model::write(&models, "chat.gguf", Some(template), false);
    assert!(failing(&models, &[&FIXED, &["--system", "be kind"][..]].concat(), "hello\n").contains("no system"));
    assert!(failing(&models, &FIXED, "/system be kind\nhello\n").contains("no system"));
    script(&models, &[], "hello\n");
}
