"""What the references share: block types, and the files of a golden."""
