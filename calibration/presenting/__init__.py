"""From a document to what a page shows: figures in words, in the reader's language, and drawings."""

from calibration.presenting.page import Page, plain, present

__all__ = ["Page", "plain", "present"]
