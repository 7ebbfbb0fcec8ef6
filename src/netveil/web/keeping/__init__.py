"""What is kept on disk: networks as they came, runs with their releases, releases that were brought."""
