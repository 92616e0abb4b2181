"""`python -m penstock` is `penstock`."""

from penstock.command import main

main()
