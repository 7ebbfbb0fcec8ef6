"""What takes long, in a process of its own that ends when the server does."""
