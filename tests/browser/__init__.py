"""The screens in a real browser: Debian's Chromium by Playwright, run by `make browser`."""
