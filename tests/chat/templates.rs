//! Templates against what jinja2 renders (`goldens/chat`).

use std::fs;
use std::path::PathBuf;

use minijinja::Value;
use vt::chat::{Conversation, DateTime, Json, Message, Template, TemplateError};

/// The time of the goldens.
fn now() -> DateTime {
    "2026-03-05T04:07:09.000123".parse().unwrap()
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("goldens/chat")
}

/// A JSON file whose maps keep their order.
fn read(name: &str) -> Value {
    serde_json::from_str(&fs::read_to_string(folder().join(name)).unwrap()).unwrap()
}

fn entries(map: &Value) -> Vec<(String, Value)> {
    let keys = map.try_iter().unwrap();
    keys.map(|key| (key.as_str().unwrap().to_owned(), map.get_item(&key).unwrap())).collect()
}

fn json(value: &Value) -> String {
    serde_json::to_string(value).unwrap()
}

/// The variables of a template.
struct Given {
    messages: Vec<Message>,
    variables: Vec<(String, Json)>,
}

impl Given {
    fn new(variables: &Value) -> Self {
        let (messages, others): (Vec<_>, Vec<_>) =
            entries(variables).into_iter().partition(|(name, _)| name == "messages");
        let messages = messages.iter().flat_map(|(_, list)| list.try_iter().unwrap());
        let others = others.iter().map(|(name, value)| (name.clone(), json(value).parse().unwrap()));
        Self { messages: messages.map(|m| json(&m).parse().unwrap()).collect(), variables: others.collect() }
    }

    fn render(&self, source: &str) -> Result<String, TemplateError> {
        let template = Template::new(source, &[("bos_token", "<bos>"), ("eos_token", "<eos>")])?;
        let variables: Vec<(&str, Json)> = self.variables.iter().map(|(n, v)| (n.as_str(), v.clone())).collect();
        let (messages, variables) = (&self.messages, &variables);
        template.render(&Conversation { messages, variables, add_generation_prompt: false, now: now() })
    }

    /// What is wrong with what vt renders.
    fn mistake(&self, name: &str, source: &str, expected: &Value) -> Option<String> {
        let got = self.render(source);
        let right = match (&got, expected.as_str()) {
            (Ok(text), Some(expected)) => text == expected,
            (Err(TemplateError::Refused(message)), None) => {
                expected.get_attr("raised").unwrap().as_str() == Some(message.as_str())
            }
            (Err(_), None) => expected.get_attr("error").unwrap().as_str().is_some(),
            _ => false,
        };
        (!right).then(|| format!("{name}\n  expected {}\n  got      {got:?}", json(expected)))
    }
}

#[test]
fn conversations_are_what_jinja2_renders() {
    let conversations: Vec<(String, Given)> =
        entries(&read("conversations.json")).iter().map(|(name, given)| (name.clone(), Given::new(given))).collect();
    assert!(conversations.len() >= 20);
    let mut mistakes = Vec::new();
    let mut templates = 0;
    for file in fs::read_dir(folder().join("templates")).unwrap() {
        let path = file.unwrap().path();
        let template = path.file_stem().unwrap().to_str().unwrap();
        let source = fs::read_to_string(&path).unwrap();
        let expected = read(&format!("expected/{template}.json"));
        for (name, given) in &conversations {
            let expected = expected.get_attr(name).unwrap();
            mistakes.extend(given.mistake(&format!("{template}: {name}"), &source, &expected));
        }
        templates += 1;
    }
    assert!(templates >= 11);
    assert!(mistakes.is_empty(), "{}\n{}", mistakes.len(), mistakes.join("\n"));
}

#[test]
fn snippets_are_what_jinja2_renders() {
    let snippets = read("snippets.json");
    let given = Given::new(&snippets.get_attr("variables").unwrap());
    let sources = snippets.get_attr("snippets").unwrap();
    let expected = read("expected/snippets.json");
    assert_eq!(sources.len(), expected.len());
    let pairs = sources.try_iter().unwrap().zip(expected.try_iter().unwrap());
    let mistake = |(source, expected): (Value, Value)| {
        let source = source.as_str().unwrap();
        given.mistake(source, source, &expected)
    };
    let mistakes: Vec<String> = pairs.filter_map(mistake).collect();
    assert!(mistakes.is_empty(), "{}\n{}", mistakes.len(), mistakes.join("\n"));
}
