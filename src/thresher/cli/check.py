"""The verb `check`: whether everything that a crawl keeps is as it was written."""

import sys

import click
import msgspec

from thresher.cli.options import the_crawl
from thresher.export.wording import many, plain
from thresher.store import fixity
from thresher.store.check import Finding, check, write_manifest

EXAMPLES = """\b
Examples:
  thresher check beekeeping
  thresher check beekeeping --json
  thresher check beekeeping --manifest
"""


@click.command(epilog=EXAMPLES)
@click.argument("folder")
@click.option("--manifest", is_flag=True, help="Also write manifest-sha256.txt, in BagIt's form.")
@click.option("--json", "as_json", is_flag=True, help="Print what was found as JSON.")
def command(folder: str, manifest: bool, as_json: bool) -> None:
    """Check that all that a crawl keeps is as it was written.

    Every record of the archive is unpacked and its digest made again, and every part of the database is
    compared with its checksum. It changes nothing, and the crawl may be running. Exit code: 0 if all is
    whole, 1 if not.
    """
    crawl = the_crawl(folder)
    findings = []
    for finding in check(crawl, _tell):
        findings.append(finding)
        if not as_json:
            click.echo(plain(str(finding)))
    if manifest:
        files = write_manifest(crawl)
        click.echo(f"{many(files, 'file')} in {crawl.path}/manifest-sha256.txt.", err=True)
    if as_json:
        click.echo(msgspec.json.encode({"whole": not findings, "findings": findings}).decode())
    else:
        click.echo(_sentence(findings, fixity.is_sealed(crawl.database)))
    sys.exit(1 if findings else 0)


def _tell(name: str) -> None:
    """Say what is looked at, where a person waits for it."""
    if sys.stderr.isatty():
        click.echo(f"reading {name} ...", err=True)


def _sentence(findings: list[Finding], sealed: bool) -> str:
    if findings:
        return f"{many(len(findings), 'place')} not as written. Put the files back from a backup."
    if not sealed:
        return (
            "Everything that can be checked is whole. The database has no checksums: the crawl runs, was cut "
            "off, or is very large. The end of 'thresher resume' writes them."
        )
    return "Everything is whole."
