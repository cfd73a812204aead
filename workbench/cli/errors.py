"""How a command says no."""


class CliError(Exception):
    """One sentence for the person, and the exit code: 4 bad input or usage, 1 refused."""

    def __init__(self, message: str, *, code: int = 4) -> None:
        super().__init__(message)
        self.code = code
