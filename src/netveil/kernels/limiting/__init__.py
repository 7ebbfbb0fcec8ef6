"""What a deletion may cost: limits, components, and searches' steps that respect them."""
