"""Runs the command line: `python -m thresher` is `thresher`."""

import sys

if __name__ == "__main__":
    if not sys.flags.safe_path:
        del sys.path[0]  # the folder the user stands in: what lies there is data

    from thresher.cli.main import main

    main()
