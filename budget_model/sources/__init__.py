"""Reading the outside world: formats told by content, streamed in bounded memory."""
