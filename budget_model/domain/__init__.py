"""The budget mathematics: pure functions over arrays, importing numpy and the standard library."""
