"""The `penstock` command: a thin folder with a module a verb."""


def main() -> None:
    pass
