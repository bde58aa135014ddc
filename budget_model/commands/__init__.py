"""One module a command; each parses its options, calls one service and prints the answer."""
