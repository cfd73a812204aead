"""What the CI gate is made of. Standard library only: the exporter also joins these modules into one file."""
