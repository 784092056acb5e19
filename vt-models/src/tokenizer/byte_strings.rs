//! Many short byte strings in one allocation.

/// A list of byte strings: one arena and the end of each string in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ByteStrings {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl ByteStrings {
    /// An empty list with room for `count` strings of `bytes` bytes in all.
    pub fn with_capacity(count: usize, bytes: usize) -> Self {
        Self { bytes: Vec::with_capacity(bytes), ends: Vec::with_capacity(count) }
    }

    /// Appends one string.
    pub fn push(&mut self, string: &[u8]) {
        self.bytes.extend_from_slice(string);
        self.ends.push(self.bytes.len());
    }

    /// The number of strings.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The bytes of all strings together.
    pub fn total_bytes(&self) -> usize {
        self.bytes.len()
    }

    /// String `index`, if there is one.
    pub fn get(&self, index: usize) -> Option<&[u8]> {
        let end = *self.ends.get(index)?;
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.bytes.get(start..end)
    }

    /// All strings in order.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let string = &self.bytes[start..end];
            start = end;
            string
        })
    }
}

impl<S: AsRef<[u8]>> FromIterator<S> for ByteStrings {
    fn from_iter<I: IntoIterator<Item = S>>(strings: I) -> Self {
        let mut list = Self::default();
        for string in strings {
            list.push(string.as_ref());
        }
        list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_come_back_as_they_went_in() {
        let strings: [&[u8]; 4] = [b"ab", b"", b"\xff\x00", b"c"];
        let list: ByteStrings = strings.iter().collect();
        assert_eq!(list.len(), 4);
        assert_eq!(list.total_bytes(), 5);
        assert_eq!(list.iter().collect::<Vec<_>>(), strings);
        assert_eq!((0..4).filter_map(|i| list.get(i)).collect::<Vec<_>>(), strings);
        assert_eq!(list.get(4), None);
    }
}
