"""Who is at risk while edges are deleted and restored: states that follow flip by flip."""
