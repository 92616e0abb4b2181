"""What all parts of this package say where they find nothing."""


class SampleError(Exception):
    """Why not, in a few words that follow the name of a field."""
