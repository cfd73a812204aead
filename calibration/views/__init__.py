"""The pages of this app, a module for each kind."""
