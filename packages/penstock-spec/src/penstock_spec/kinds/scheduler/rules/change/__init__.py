"""Rules about what a scheduler was before: changes that leave behind what Redis knows."""
