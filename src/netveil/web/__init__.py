"""`netveil web`: a page on this machine that does the same as the command line, through the same workflow.

`server` listens on loopback and ends on a signal; `app` puts the rest together. `guard` refuses whoever has
not opened the address with its token; `routes/` answers, a topic a file. Whatever takes long is done by
`work/` in processes of its own; `keeping/` has what is kept on disk, `events` tells open pages what changes.
"""
