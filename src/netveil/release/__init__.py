"""A release: what is published, what is kept, and the folder that holds both."""
