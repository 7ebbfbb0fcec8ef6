"""Synthetic networks, drawn from a table in which every row stands for k people or more.

row_table        the table, and its two files
grouping         makes it, and chooses attributes: the only module that sees the network
kept_figures     figures of the whole network that must be kept: bounds in the table
dense_rows       thins out rows whose ties can be told
draw_network     draws from the table: takes a table, and a seed
"""

from netveil.synthetic.dense_rows import hide_dense
from netveil.synthetic.draw_network import drawing
from netveil.synthetic.grouping import Ceiling, KeptAttributes, ceilings, check_k, kept_attributes, make_table
from netveil.synthetic.row_table import RowTable, read_table
