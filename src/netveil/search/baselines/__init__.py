"""The paper's baselines ES and UA, which delete in steps; `stepwise.py` is what they share."""
