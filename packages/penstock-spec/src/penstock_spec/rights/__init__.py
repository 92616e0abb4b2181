"""Users of Redis's access list, with the least rights: what every kind of spec says them with.

A kind says in its own folder `rights` who of it talks to Redis, with which commands, and about which keys.
"""
