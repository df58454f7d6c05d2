"""The `faithkit` program, also as `python -m faithkit`. It imports the command line only when it
runs, so that an interruption of the imports is one line too."""

import sys


def main() -> None:
    """Runs the program; ends with 130 if it is interrupted before a command has begun."""
    try:
        from faithkit.cli import main as program

        program()
    except KeyboardInterrupt:
        sys.stderr.write("faithkit: interrupted.\n")
        sys.exit(130)


if __name__ == "__main__":
    main()
