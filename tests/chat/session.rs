//! A conversation through the library.

use std::ops::ControlFlow;

use vt::chat::{Answer, ChatError, Message, Progress, Session, Settings};
use vt::models::generate::FinishReason;
use vt::models::sample::SamplerConfig;

use crate::model::{self, Loaded};

fn settings(max_tokens: usize) -> Settings {
    let sampling = SamplerConfig { seed: 3, ..SamplerConfig::default() };
    Settings { sampling, max_tokens: Some(max_tokens), stop: Vec::new() }
}

fn ask(session: &mut Session<'_>, question: &str) -> Answer {
    let mut shown = String::new();
    let answer = session.ask(question, model::now(), &mut |progress| {
        if let Progress::Text(piece) = progress {
            shown.push_str(piece);
        }
        ControlFlow::Continue(())
    });
    let answer = answer.unwrap();
    assert_eq!(shown, answer.text);
    answer
}

#[test]
fn only_what_is_new_is_read_and_nothing_else_changes() {
    let loaded = Loaded::new(&model::models(), "chat.gguf");
    let mut session = loaded.session(4000, settings(12));
    session.set_system(Some("hello"));
    let first = ask(&mut session, "one");
    assert_eq!((first.reused, first.generated > 0), (0, true));
    let second = ask(&mut session, "two");
    assert!(second.reused >= first.read, "{second:?}");
    let known = session.context().0;
    let third = ask(&mut session, "three");
    assert!(third.reused > second.reused && third.reused <= known, "{third:?}");

    // The same turns from nothing, in one go.
    let mut fresh =
        loaded.session(4000, Settings { sampling: SamplerConfig { seed: 5, ..settings(0).sampling }, ..settings(12) });
    fresh.set_messages(session.messages()[..5].to_vec());
    let again = ask(&mut fresh, "three");
    assert_eq!((again.reused, again.read), (0, third.reused + third.read));
    assert_eq!((again.text, again.generated), (third.text, third.generated));
    assert_eq!(fresh.messages(), session.messages());
}

#[test]
fn turns_are_taken_back_and_asked_again() {
    let loaded = Loaded::new(&model::models(), "chat.gguf");
    let mut session = loaded.session(4000, settings(12));
    let nothing = |_: Progress<'_>| ControlFlow::Continue(());
    assert!(matches!(session.retry(model::now(), &mut { nothing }), Err(ChatError::NoQuestion)));
    assert_eq!(session.undo(), None);
    session.set_system(Some("hello"));
    ask(&mut session, "one");
    let second = ask(&mut session, "two");
    let other = session.retry(model::now(), &mut { nothing }).unwrap();
    assert_ne!(other.text, second.text);
    assert!(other.reused >= second.reused && other.read <= second.read);
    let contents = |session: &Session<'_>| -> Vec<String> {
        session.messages().iter().map(|message| message.content().to_owned()).collect()
    };
    assert_eq!(contents(&session)[3..], ["two".to_owned(), other.text]);
    assert_eq!(session.undo().as_deref(), Some("two"));
    assert_eq!(contents(&session).len(), 3);
    session.clear();
    assert_eq!(contents(&session), ["hello"]);
    session.set_system(None);
    assert_eq!((session.system(), contents(&session).len()), (None, 0));
}

#[test]
fn a_stopped_answer_stays_and_the_conversation_goes_on() {
    let loaded = Loaded::new(&model::models(), "chat.gguf");
    let mut session = loaded.session(4000, settings(1000));
    let mut pieces = 0;
    let answer = session.ask("one", model::now(), &mut |progress| {
        pieces += usize::from(matches!(progress, Progress::Text(_)));
        if pieces >= 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let answer = answer.unwrap();
    // What was held back of a character comes at the end.
    assert!(answer.finish == FinishReason::Cancelled && (3..=4).contains(&pieces), "{pieces}");
    assert_eq!(session.messages()[1], Message::new("assistant", &answer.text));
    let long = "hello ".repeat(300);
    let mut heard = Vec::new();
    let answer = session.ask(&long, model::now(), &mut |progress| {
        heard.push(format!("{progress:?}"));
        if heard.len() == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let answer = answer.unwrap();
    assert_eq!((answer.finish, answer.text.as_str(), answer.generated), (FinishReason::Cancelled, "", 0));
    assert!(heard.iter().all(|heard| heard.starts_with("Reading")), "{heard:?}");
    // The part that was read need not be read again.
    assert_eq!(session.undo().as_deref(), Some(long.as_str()));
    let again = ask(&mut session, &long);
    assert_eq!(again.reused, answer.reused + answer.read);
    assert!(answer.read >= 100);
}

#[test]
fn a_full_context_is_told_and_leaves_the_conversation_as_it_was() {
    let loaded = Loaded::new(&model::models(), "chat.gguf");
    let mut session = loaded.session(60, Settings { max_tokens: None, ..settings(0) });
    let error = session.ask(&"x".repeat(50), model::now(), &mut |_| ControlFlow::Continue(())).unwrap_err();
    assert!(matches!(error, ChatError::ContextFull { needed, capacity: 60 } if needed > 60), "{error}");
    assert!(session.messages().is_empty());
    let mut full = false;
    for _ in 0..20 {
        let Ok(answer) = session.ask("on", model::now(), &mut |_| ControlFlow::Continue(())) else { break };
        full |= answer.context_full;
        assert!(session.context().0 <= 60);
    }
    assert!(full);
    session.clear();
    ask(&mut session, "again");
}
