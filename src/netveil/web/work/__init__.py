"""Long work, in a process of its own that ends with the server."""
