//! The longest of many texts that another text starts with.

/// The longest of the wanted texts that `text` starts with, and its length in bytes. `sorted` has an entry for each
/// text, in their order, none empty and none twice; `byte` gives the byte of an entry's text at a place, and `None`
/// behind its end. The list is narrowed byte by byte to the texts that go on as `text` does, so the time grows with the
/// longest match, not with the number of texts.
///
/// ```
/// use vt_models::tokenizer::longest_prefix;
///
/// let sorted = ["<a>", "<a><b>", "<b>"];
/// let byte = |text: &&str, at: usize| text.as_bytes().get(at).copied();
/// assert_eq!(longest_prefix(&sorted, b"<a><b><c>", byte, |_| true), Some((&"<a><b>", 6)));
/// assert_eq!(longest_prefix(&sorted, b"<a><b><c>", byte, |text| text.len() < 5), Some((&"<a>", 3)));
/// ```
pub fn longest_prefix<'s, T>(
    sorted: &'s [T],
    text: &[u8],
    byte: impl Fn(&T, usize) -> Option<u8>,
    wanted: impl Fn(&T) -> bool,
) -> Option<(&'s T, usize)> {
    let mut range = sorted;
    let mut longest = None;
    for (at, &next) in text.iter().enumerate() {
        range = narrowed(range, next, |entry| byte(entry, at));
        let Some((shortest, others)) = range.split_first() else { break };
        if byte(shortest, at + 1).is_none() {
            longest = Some((shortest, at + 1)).filter(|(entry, _)| wanted(entry)).or(longest);
            range = others;
        }
    }
    longest
}

/// The entries of a range, sorted by `byte`, whose byte is this one.
fn narrowed<T>(range: &[T], wanted: u8, byte: impl Fn(&T) -> Option<u8>) -> &[T] {
    let has = |entry: Option<&T>| entry.and_then(&byte) == Some(wanted);
    // Mostly all of them do, or none.
    if has(range.first()) && has(range.last()) {
        return range;
    }
    let start = range.partition_point(|entry| byte(entry) < Some(wanted));
    let end = range.partition_point(|entry| byte(entry) <= Some(wanted));
    &range[start..end]
}
