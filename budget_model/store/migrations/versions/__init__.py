"""One module a version; ``revision`` names it and ``down_revision`` the one before."""
