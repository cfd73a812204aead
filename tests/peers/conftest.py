"""Our numbers against independent libraries. They live in a venv of their own: ``make test-peers``."""

from importlib.util import find_spec

# Among the other tests these are left out, not skipped: there is nothing a person should do about it.
collect_ignore_glob = [] if find_spec("krippendorff") else ["test_*.py"]
