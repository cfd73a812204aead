# Thin over bin/bootstrap.py, which does the same without make:  python3 bin/bootstrap.py demo
# Arguments are passed on:  make test ARGS="-k gate"   make demo ARGS="--port 9000"   make demo PYTHON=python3.12
PYTHON ?= python3
COMMANDS := demo serve install test lint unit test-peers bench-start

.PHONY: help $(COMMANDS)
help:
	@$(PYTHON) bin/bootstrap.py --help

$(COMMANDS):
	@$(PYTHON) bin/bootstrap.py $@ $(ARGS)
