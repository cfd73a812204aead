"""Tables of verdicts and scores, or of labels, as people keep them in files. No database, no Django."""

from calibration.tables.sheets import TableError
from calibration.tables.verdicts import read_labels, read_table

__all__ = ["TableError", "read_labels", "read_table"]
