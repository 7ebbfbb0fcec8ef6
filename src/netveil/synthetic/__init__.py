"""Synthetic networks, drawn from a table in which every row stands for k people or more.

row_table     the table, and its two files
make_table    makes it: the only module that sees the network
draw_network  draws from it: takes a table, and a seed
"""

from netveil.synthetic.draw_network import draw, drawing
from netveil.synthetic.grouping import Ceiling, ceilings, check_k, make_table
from netveil.synthetic.row_table import RowTable, read_table, write_table
