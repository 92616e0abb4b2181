"""`python -m penstock` is `penstock`."""

from penstock.entry import main

main()
