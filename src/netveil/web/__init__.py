"""`netveil web`: a page on this machine that does the same as the command line, through the same workflow.

`server` listens on loopback and ends on a signal. `guard` refuses whoever has not opened the address with its
token; `routes` answers, with `forms` and `judging`. Whatever takes long is done by `worker` in processes of
its own, which `state` starts; `data_folder` has what is kept on disk.
"""
