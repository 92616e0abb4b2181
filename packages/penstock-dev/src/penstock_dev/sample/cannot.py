"""What all parts of this package say where they find nothing."""


class CannotMake(Exception):  # noqa: N818 - as CannotGoOn: it becomes words of one
    """Why not, in a few words that follow the name of a field."""
