"""Synthetic networks, drawn from a table in which every row stands for k people or more.

row_table        the table, and its two files
grouping         makes it: the only module that sees the network
kept_attributes  values of people that nodes carry, and what rows must be like because of them
kept_figures     figures of the whole network that must be kept: bounds in the table
dense_rows       thins out rows whose ties can be told
draw_network     draws from the table: takes a table, and a seed
"""

from netveil.synthetic.dense_rows import hide_dense
from netveil.synthetic.draw_network import drawing
from netveil.synthetic.grouping import Ceiling, ceilings, check_k, make_table
from netveil.synthetic.kept_attributes import KeptAttributes, kept_attributes
from netveil.synthetic.row_table import RowTable, read_table
