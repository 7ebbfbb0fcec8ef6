"""Studies over experiments, all of them in `studies.STUDIES`: the paper run again, and simulated networks.

`Study` → its plan → `run_study` (what is missing runs) → `conclude` (tables, figures, pages) → what is said
"""
