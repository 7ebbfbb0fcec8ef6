"""Tables as people have them: how a text becomes cells, and which of the cells are people.

text -> `cells` (which separator) -> `header` (does the first line name the columns?) -> `people` (which two
columns are the people?). Where a text can be read in two ways, a `question` is asked instead of a guess made.
"""
