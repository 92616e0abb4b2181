"""The error of this package."""


class SampleError(Exception):
    """Why no sample can be generated, in words that follow the name of a field."""
