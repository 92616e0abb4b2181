"""The edge to the terminal: colour, options, output, and the table of verbs."""
