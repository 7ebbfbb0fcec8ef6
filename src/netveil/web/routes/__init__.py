"""What the page can ask for, a topic a file. docs/web.md lists it for people; `tests/web` enumerates it."""
