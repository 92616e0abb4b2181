"""From specs to what is around them: load -> resolve -> plan -> emit -> write. Only the last touches the disk."""
