//! An op's attributes as names and values, for manifests and messages.

use std::fmt;

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub enum Attr {
    /// A whole number.
    Int(i64),
    /// A real number.
    Float(f64),
    /// A name.
    Text(String),
}

impl fmt::Display for Attr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Attr::Int(n) => n.fmt(f),
            Attr::Float(x) => x.fmt(f),
            Attr::Text(s) => s.fmt(f),
        }
    }
}

/// An op's attributes, in the order of its fields.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Attrs(pub Vec<(&'static str, Attr)>);

impl Attrs {
    /// No attributes.
    pub fn none() -> Self {
        Self::default()
    }

    /// These and a whole number.
    pub fn int(mut self, name: &'static str, value: usize) -> Self {
        self.0.push((name, Attr::Int(i64::try_from(value).unwrap_or(i64::MAX))));
        self
    }

    /// These and a real number.
    pub fn float(mut self, name: &'static str, value: f64) -> Self {
        self.0.push((name, Attr::Float(value)));
        self
    }

    /// These and a name.
    pub fn text(mut self, name: &'static str, value: &str) -> Self {
        self.0.push((name, Attr::Text(value.to_owned())));
        self
    }
}

impl fmt::Display for Attrs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (name, value)) in self.0.iter().enumerate() {
            write!(f, "{}{name}={value}", if i > 0 { " " } else { "" })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_keep_their_order_and_kinds() {
        let attrs = Attrs::none().int("heads", 3).text("to", "q8_0").float("scale", 0.25).int("most", usize::MAX);
        let (text, real) = (Attr::Text("q8_0".to_owned()), Attr::Float(0.25));
        let expected = [("heads", Attr::Int(3)), ("to", text), ("scale", real), ("most", Attr::Int(i64::MAX))];
        assert_eq!(attrs.0, expected);
        assert_eq!(attrs.to_string(), format!("heads=3 to=q8_0 scale=0.25 most={}", i64::MAX));
        assert_eq!(Attrs::none().to_string(), "");
    }
}
