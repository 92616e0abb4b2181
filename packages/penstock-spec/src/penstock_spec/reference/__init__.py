"""The reference pages, made from the models and the rules themselves, so that they cannot say anything else."""
