"""Rules about the shape of values: types, formats and bounds."""
