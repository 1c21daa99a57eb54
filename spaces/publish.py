"""Publish a metric's Hub Space: build its folder, show what changes on the Hub, and make one commit of exactly that.

``python -m spaces.publish bleu_multi --namespace my-org`` publishes my-org/bleu_multi; with ``--dry-run`` it only
shows. The token is the one of ``HF_TOKEN`` or of ``hf auth login``.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from dataclasses import dataclass
from hashlib import sha1, sha256
from pathlib import Path
from typing import Annotated, Literal

import typer
from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi, get_token
from huggingface_hub.errors import HfHubHTTPError, HFValidationError, RepositoryNotFoundError
from huggingface_hub.hf_api import RepoFile
from huggingface_hub.utils import validate_repo_id

from tercet.errors import OptionError
from tercet.registry import METRICS, canonical
from tercet.signature import __version__

from .build import OUT, Out, Wheel, build
from .hub_errors import NO_TOKEN, PublishError, explained, one_line

# The Hub writes this file itself, to know which files are large.
_OF_THE_HUB = {".gitattributes"}
_KINDS = ("added", "changed", "removed", "unchanged")

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)


@dataclass(frozen=True, slots=True)
class Change:
    """What becomes of one file of a Space."""

    #: In the Space, with "/" between its parts.
    path: str
    kind: Literal["added", "changed", "removed", "unchanged"]
    #: In bytes; that on the Hub if the file is removed.
    size: int
    #: That on the Hub; None if the file is not there.
    size_before: int | None


@dataclass(frozen=True, slots=True)
class Publication:
    """What a publication would do."""

    #: "namespace/metric".
    repo_id: str
    #: The folder that was built.
    folder: Path
    #: The Space's last commit, with which it was compared; None if there is no such Space, or none is visible.
    commit: str | None
    #: In the order of kinds and paths.
    changes: tuple[Change, ...]

    @property
    def is_needed(self) -> bool:
        """Whether anything would change."""
        return any(change.kind != "unchanged" for change in self.changes)


def space_id(metric: str, namespace: str) -> str:
    """Return the name of a metric's Space on the Hub."""
    repo_id = f"{namespace}/{metric}"
    try:
        validate_repo_id(repo_id)
    except HFValidationError as error:
        raise OptionError(f"The namespace {namespace!r} cannot be one of the Hub: {one_line(error)}") from error
    return repo_id


def client(endpoint: str | None, token: str | None) -> HfApi:
    """Return the client of a Hub."""
    if endpoint is not None and not re.fullmatch(r"https?://[^\s/]+\S*", endpoint):
        raise OptionError(f"The endpoint must be an address such as http://localhost:8080. Got {endpoint!r} instead.")
    return HfApi(endpoint=endpoint and endpoint.rstrip("/"), token=token or False)


def compare(api: HfApi, repo_id: str, folder: Path, *, private: bool = False) -> Publication:
    """Compare a Space's folder with what is on the Hub."""
    with explained(api, repo_id):
        commit, hub_files = _files_there(api, repo_id, private)
    paths = {path.relative_to(folder): path for path in folder.rglob("*") if path.is_file()}
    local_files = {inside.as_posix(): path for inside, path in paths.items() if "__pycache__" not in inside.parts}
    changes = [_change(path, file, hub_files.get(path)) for path, file in local_files.items()]
    removed_paths = hub_files.keys() - local_files.keys() - _OF_THE_HUB
    changes += [Change(path, "removed", hub_files[path].size, hub_files[path].size) for path in removed_paths]
    changes.sort(key=lambda change: (_KINDS.index(change.kind), change.path))
    return Publication(repo_id, folder, commit, tuple(changes))


def _files_there(api: HfApi, repo_id: str, private: bool) -> tuple[str | None, dict[str, RepoFile]]:
    try:
        info = api.space_info(repo_id)
    except HfHubHTTPError as error:
        if error.response.status_code == 401:
            if api.token:
                raise
            # Without a token, the Hub answers so for Spaces that are private or not there.
            return None, {}
        if isinstance(error, RepositoryNotFoundError):
            return None, {}
        raise
    if private and not info.private:
        raise PublishError(
            f"The Space {repo_id} is public, and --private is for new ones: make it private in its settings."
        )
    tree = api.list_repo_tree(repo_id, recursive=True, revision=info.sha, repo_type="space")
    return info.sha, {entry.path: entry for entry in tree if isinstance(entry, RepoFile)}


def _change(path: str, file: Path, hub_file: RepoFile | None) -> Change:
    content = file.read_bytes()
    if hub_file is None:
        return Change(path, "added", len(content), None)
    # A blob's id is that of git: the SHA-1 of a header and the content. Of a large file, the blob is only a pointer.
    if hub_file.lfs is not None:
        is_same = hub_file.lfs.sha256 == sha256(content).hexdigest()
    else:
        is_same = hub_file.blob_id == sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
    if is_same:
        return Change(path, "unchanged", len(content), hub_file.size)
    return Change(path, "changed", len(content), hub_file.size)


def upload(api: HfApi, publication: Publication, *, private: bool = False) -> None:
    """Create the Space if it is not there, and make one commit of its changes; of nothing, no commit."""
    operations: list[CommitOperationAdd | CommitOperationDelete] = []
    for change in publication.changes:
        if change.kind == "removed":
            operations.append(CommitOperationDelete(change.path))
        elif change.kind != "unchanged":
            operations.append(CommitOperationAdd(change.path, publication.folder / change.path))
    if not operations:
        return
    with explained(api, publication.repo_id):
        if publication.commit is None:
            options = {"space_sdk": "gradio", "private": private or None, "exist_ok": True}
            api.create_repo(publication.repo_id, repo_type="space", **options)
        message = f"Publish tercet {__version__}"
        # The Hub refuses the commit if the Space has changed since it was compared.
        api.create_commit(
            publication.repo_id,
            operations,
            commit_message=message,
            repo_type="space",
            parent_commit=publication.commit,
        )


def describe(publication: Publication) -> str:
    """Return the lines that describe a publication, file by file."""
    width = max(len(change.path) for change in publication.changes)
    before = ": a new Space"
    if publication.commit is not None:
        before = f", compared with commit {publication.commit[:8]}"
    lines = [f"{publication.repo_id}{before}"]
    for change in publication.changes:
        size_before = ""
        if change.kind == "changed":
            size_before = f", was {change.size_before:,}"
        lines.append(f"  {change.kind:9}  {change.path:{width}}  {change.size:>10,} bytes{size_before}")
    counts = Counter(change.kind for change in publication.changes)
    lines.append(", ".join(f"{counts[kind]} {kind}" for kind in _KINDS))
    return "\n".join(lines)


@app.command()
def main(
    metric: Annotated[str, typer.Argument(metavar="NAME", help=f"One of {', '.join(METRICS)}.")],
    namespace: Annotated[str, typer.Option(help="Your name on the Hub, or an organisation's.")],
    private: Annotated[bool, typer.Option("--private", help="Make a new Space private.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would change, and change nothing.")] = False,
    endpoint: Annotated[str | None, typer.Option(help="The Hub's address; default: HF_ENDPOINT, or the Hub.")] = None,
    out: Out = OUT,
    wheel: Wheel = None,
) -> None:
    """Publish a metric's Hub Space."""
    try:
        token = get_token()
        api = client(endpoint, token)
        name = canonical(metric)
        repo_id = space_id(name, namespace)
        if wheel is not None and private:
            raise OptionError("--wheel and --private exclude each other: pip cannot read a private Space.")
        # The name of a Space is for the address of a wheel.
        space = repo_id if wheel else ""
        folder = build(name, out, wheel=wheel, space=space, endpoint=api.endpoint)
        if token is None and not dry_run:
            raise PublishError(NO_TOKEN)
        typer.echo(f"Built {folder}; comparing it with {api.endpoint}/spaces/{repo_id}")
        publication = compare(api, repo_id, folder, private=private)
        typer.echo(describe(publication))
        if dry_run:
            typer.echo("Nothing was uploaded: this was a dry run.")
            return
        if publication.is_needed:
            size = sum(change.size for change in publication.changes if change.kind in ("added", "changed"))
            typer.echo(f"Uploading {size:,} bytes")
            upload(api, publication, private=private)
        else:
            typer.echo("Nothing was uploaded: the Space is up to date.")
        typer.echo(f'{api.endpoint}/spaces/{repo_id}\nevaluate.load("{repo_id}")')
    except (OptionError, PublishError) as error:
        typer.echo(f"error: {error}", err=True)
        code = 2 if isinstance(error, OptionError) else 1
        sys.exit(code)
    except OSError as error:
        typer.echo(f"error: The folder of the Space cannot be written: {error}", err=True)
        sys.exit(1)


if __name__ == "__main__":
    app()
