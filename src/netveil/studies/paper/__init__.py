"""The paper, end to end: its experiments run again, and its tables and figures beside the published ones.

`published` (figures) → experiments → `paper_tables` → `paper_figures` → `reproduction`
"""
