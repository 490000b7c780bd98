"""Runs the command line: `python -m thresher` is `thresher`."""

from thresher.cli.main import main

if __name__ == "__main__":
    main()
