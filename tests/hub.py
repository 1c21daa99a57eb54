"""The Hub on the loopback interface: as much of its HTTP as huggingface_hub, evaluate and transformers use here.

Paths, statuses, headers and words are those of the real one, as far as its clients look at them. Every commit stays
readable by its sha, and what it uploaded is kept for the tests to look at.
"""

from __future__ import annotations

import base64
import json
import math
import os
import re
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha1, sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path, PurePosixPath
from threading import Lock, Thread
from typing import Any, ClassVar
from urllib.parse import parse_qs, unquote, urlsplit

NO_TOKEN = "Invalid username or password."
BAD_TOKEN = "Invalid credentials in Authorization header"
MOVED_ON = "A commit has happened since. Please refresh and try again."


@dataclass(frozen=True)
class Account:
    """Whom a token stands for, and what it may do."""

    name: str
    orgs: tuple[str, ...] = ()
    role: str = "write"


@dataclass(frozen=True)
class Blob:
    """A file's content, under git's name for it."""

    path: Path
    lfs: bool = False

    @property
    def size(self) -> int:
        return self.path.stat().st_size

    @cached_property
    def sha256(self) -> str:
        return sha256(self.path.read_bytes()).hexdigest()

    @cached_property
    def oid(self) -> str:
        return git_oid(self._pointer if self.lfs else self.path.read_bytes())

    @property
    def _pointer(self) -> bytes:
        spec = "https://git-lfs.github.com/spec/v1"
        return f"version {spec}\noid sha256:{self.sha256}\nsize {self.size}\n".encode()

    def entry(self, path: str) -> dict[str, Any]:
        """Return how a listing shows it."""
        shown = {"type": "file", "oid": self.oid, "size": self.size, "path": path}
        if self.lfs:
            shown["lfs"] = {"oid": self.sha256, "size": self.size, "pointerSize": len(self._pointer)}
        return shown


@dataclass(frozen=True)
class Commit:
    """A state of a repository."""

    sha: str
    message: str
    files: dict[str, Blob]


@dataclass
class Repo:
    """A model or a Space."""

    private: bool = False
    sdk: str | None = None
    commits: list[Commit] = field(default_factory=list)

    @property
    def last(self) -> Commit:
        return self.commits[-1]

    def at(self, revision: str) -> Commit | None:
        """Return the state at ``main`` or at a commit's sha."""
        return next((each for each in reversed(self.commits) if revision in ("main", each.sha)), None)

    def commit(self, message: str, files: dict[str, Blob]) -> Commit:
        """Put a state on top of the last one."""
        parents = [each.sha for each in self.commits]
        tree = sorted((path, blob.oid) for path, blob in files.items())
        self.commits.append(Commit(git_oid(json.dumps([message, parents, tree]).encode()), message, files))
        return self.last


@dataclass(frozen=True)
class Upload:
    """A commit as it came over the wire."""

    repo: str
    added: tuple[str, ...]
    deleted: tuple[str, ...]


def git_oid(content: bytes) -> str:
    """Return git's name for a blob."""
    return sha1(b"blob %d\0" % len(content) + content).hexdigest()


class Hub:
    """A Hub of one's own, for the time of a ``with`` block; its ``url`` is what to give as ``HF_ENDPOINT``."""

    def __init__(self, folder: Path) -> None:
        self._blobs = folder / "blobs"
        self._blobs.mkdir(parents=True)
        #: By token; user ``me`` belongs to ``org``, and ``stranger`` is nobody's here.
        self.accounts = {"hf_writer": Account("me", ("org",)), "hf_reader": Account("me", ("org",), "read")}
        self.namespaces = {"me", "org", "stranger"}
        self.repos: dict[tuple[str, str], Repo] = {}  # by "models" or "spaces", and "namespace/name"
        self.uploads: list[Upload] = []
        self.requests: list[str] = []  # "GET /api/..."
        self.failing: str | None = None  # requests that contain it end with status 500 ...
        self.failures = math.inf  # ... so many of them
        self.words_for_a_bad_token = BAD_TOKEN  # they have changed over the years, and clients look at them
        self.lock = Lock()
        handler = type("Handler", (_Handler,), {"hub": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True  # clients keep their connections open
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Hub:
        Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def environment(self, home: Path, token: str | None = None) -> dict[str, str]:
        """Return the environment of a process that knows this Hub only, and keeps what it loads under a folder."""
        inherited = {key: value for key, value in os.environ.items() if not key.startswith("HF_")}
        own = {"HF_ENDPOINT": self.url, "HF_HOME": str(home), "NO_PROXY": "127.0.0.1"}
        counts = {"HF_UPDATE_DOWNLOAD_COUNTS": "0"}  # evaluate counts loads at another address
        return {**inherited, **own, **counts, **({"HF_TOKEN": token} if token else {})}

    def blob(self, content: bytes, *, lfs: bool = False) -> Blob:
        """Keep a file's content."""
        path = self._blobs / sha256(content).hexdigest()
        path.write_bytes(content)
        return Blob(path, lfs)

    def space(self, name: str) -> Repo:
        """Return a Space."""
        return self.repos["spaces", name]

    def contents(self, name: str) -> dict[str, bytes]:
        """Return the files of a Space's last commit."""
        return {path: blob.path.read_bytes() for path, blob in self.space(name).last.files.items()}

    def add_space(self, name: str, *, private: bool = False) -> Repo:
        """Create a Space with what the Hub puts into one."""
        repo = self.repos["spaces", name] = Repo(private, "gradio")
        card = self.blob(b"---\nsdk: gradio\n---\n")
        attributes = self.blob(b"*.png filter=lfs diff=lfs merge=lfs -text\n")
        repo.commit("initial commit", {".gitattributes": attributes, "README.md": card})
        return repo

    def add_model(self, name: str, folder: Path) -> Repo:
        """Serve a folder as a model; its files are not copied."""
        files = {path.relative_to(folder).as_posix(): Blob(path) for path in folder.rglob("*") if path.is_file()}
        repo = self.repos["models", name] = Repo()
        repo.commit("initial commit", files)
        return repo


class _RefusedError(Exception):
    """An answer that ends a request."""

    def __init__(self, status: int, message: str, code: str | None = None) -> None:
        super().__init__(message)
        self.status, self.code = status, code


class _Handler(BaseHTTPRequestHandler):
    hub: ClassVar[Hub]
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._answer(self._GET)

    do_HEAD = do_GET  # noqa: N815

    def do_POST(self) -> None:
        self._answer(self._POST)

    def log_message(self, *_: object) -> None:
        """Write nothing: the tests look at Hub.requests."""

    def _answer(self, routes: dict[str, str]) -> None:
        self.body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        address = urlsplit(self.path)
        self.query = {key: values[-1] for key, values in parse_qs(address.query).items()}
        self.hub.requests.append(f"{self.command} {self.path}")
        try:
            if self.hub.failing is not None and self.hub.failing in self.path and self.hub.failures > 0:
                self.hub.failures -= 1
                raise _RefusedError(500, "Internal Error - We're working hard to fix this as soon as possible!")
            for pattern, method in routes.items():
                found = re.fullmatch(pattern, unquote(address.path))
                if found:
                    with self.hub.lock:
                        return getattr(self, method)(**found.groupdict())
            raise _RefusedError(404, "Sorry, we can't find the page you are looking for.")
        except _RefusedError as refusal:
            headers = {"X-Error-Message": str(refusal), **({"X-Error-Code": refusal.code} if refusal.code else {})}
            self._send({"error": str(refusal)}, refusal.status, headers)

    def _send(self, answer: object, status: int = 200, headers: dict[str, str] | None = None) -> None:
        body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        kind = "application/octet-stream" if isinstance(answer, bytes) else "application/json; charset=utf-8"
        self.send_response(status)
        for key, value in {"Content-Type": kind, "Content-Length": str(len(body)), **(headers or {})}.items():
            self.send_header(key, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    # Who asks, and what may be seen and done

    def _account(self) -> Account | None:
        token = self.headers.get("Authorization", "").removeprefix("Bearer ")
        if token and token not in self.hub.accounts:
            raise _RefusedError(401, self.hub.words_for_a_bad_token)
        return self.hub.accounts.get(token)

    def _writer(self, namespace: str, refused: str) -> None:
        account = self._account()
        if account is None:
            raise _RefusedError(401, NO_TOKEN)
        if account.role == "read" or namespace not in (account.name, *account.orgs):
            raise _RefusedError(403, refused)

    def _repo(self, kind: str, name: str) -> Repo:
        account, repo = self._account(), self.hub.repos.get((kind, name))
        owned = account is not None and name.partition("/")[0] in (account.name, *account.orgs)
        if repo is not None and (owned or not repo.private):
            return repo
        if account is None:  # the real one does not tell strangers whether there is something
            raise _RefusedError(401, NO_TOKEN)
        raise _RefusedError(404, "Repository not found", "RepoNotFound")

    def _commit(self, kind: str, name: str, revision: str) -> Commit:
        commit = self._repo(kind, name).at(revision)
        if commit is None:
            raise _RefusedError(404, f"Invalid rev id: {revision}", "RevisionNotFound")
        return commit

    # What can be read

    _NAME = r"(?P<name>[\w.-]+/[\w.-]+)"
    _API = rf"/api/(?P<kind>models|spaces)/{_NAME}"
    _GET: ClassVar = {
        "/api/whoami-v2": "_whoami",
        r"/api/(?P<kind>users|organizations)/(?P<name>[\w.-]+)/overview": "_overview",
        _API: "_info",
        rf"{_API}/revision/(?P<revision>[^/]+)": "_info",
        rf"{_API}/tree/(?P<revision>[^/]+)(?:/(?P<folder>.+))?": "_tree",
        rf"/(?:(?P<kind>spaces)/)?{_NAME}/resolve/(?P<revision>[^/]+)/(?P<path>.+)": "_file",
    }

    def _whoami(self) -> None:
        account = self._account()
        if account is None:
            raise _RefusedError(401, NO_TOKEN)
        orgs = [{"type": "org", "name": name} for name in account.orgs]
        token = {"displayName": "tests", "role": account.role}
        self._send({"type": "user", "name": account.name, "orgs": orgs, "auth": {"accessToken": token}})

    def _overview(self, kind: str, name: str) -> None:
        users = {account.name for account in self.hub.accounts.values()}
        if name not in self.hub.namespaces or (name in users) != (kind == "users"):
            raise _RefusedError(404, "This user does not exist")
        self._send({"user" if kind == "users" else "name": name, "fullname": name, "avatarUrl": "", "isPro": False})

    def _info(self, kind: str, name: str, revision: str = "main") -> None:
        commit, repo = self._commit(kind, name, revision), self.hub.repos[kind, name]
        siblings = [{"rfilename": path} for path in commit.files]
        self._send({"id": name, "sha": commit.sha, "private": repo.private, "tags": [], "siblings": siblings})

    def _tree(self, kind: str, name: str, revision: str, folder: str | None = None) -> None:
        top, entries = PurePosixPath(folder or "."), {}
        for path, blob in self._commit(kind, name, revision).files.items():
            parents = PurePosixPath(path).parents
            if top not in parents:
                continue
            for parent in parents[: parents.index(top)]:
                oid = git_oid(str(parent).encode())
                entries[str(parent)] = {"type": "directory", "oid": oid, "size": 0, "path": str(parent)}
            entries[path] = blob.entry(path)
        if folder and not entries:
            raise _RefusedError(404, f"{folder} does not exist on {revision!r}", "EntryNotFound")
        if self.query.get("recursive", "false").lower() not in ("true", "1"):
            entries = {path: entry for path, entry in entries.items() if PurePosixPath(path).parent == top}
        self._send([entries[path] for path in sorted(entries)])

    def _file(self, kind: str | None, name: str, revision: str, path: str) -> None:
        commit = self._commit(kind or "models", name, revision)
        if path not in commit.files:
            raise _RefusedError(404, "Entry not found", "EntryNotFound")
        blob = commit.files[path]
        content, headers = blob.path.read_bytes(), {"ETag": f'"{blob.oid}"', "X-Repo-Commit": commit.sha}
        first = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        if first is None:
            return self._send(content, 200, {"Accept-Ranges": "bytes", **headers})
        start = int(first[1])
        headers["Content-Range"] = f"bytes {start}-{len(content) - 1}/{len(content)}"
        return self._send(content[start:], 206, headers)

    # What can be written

    _SPACE = rf"/api/spaces/{_NAME}"
    _POST: ClassVar = {
        "/api/repos/create": "_create",
        "/api/validate-yaml": "_validate_yaml",
        rf"{_SPACE}/preupload/main": "_preupload",
        rf"{_SPACE}/commit/main": "_receive",
    }

    def _create(self) -> None:
        asked = json.loads(self.body)
        account = self._account()
        namespace = asked.get("organization") or (account.name if account else "")
        kind, name = asked["type"], f"{namespace}/{asked['name']}"
        self._writer(namespace, f"You don't have the rights to create a {kind} under the namespace {namespace!r}")
        if kind != "space" or asked.get("sdk") != "gradio":
            raise _RefusedError(400, "Invalid input: only Spaces with Gradio are created here")
        address = {"url": f"{self.hub.url}/spaces/{name}", "name": name}
        if ("spaces", name) in self.hub.repos:
            self._send({**address, "error": "You already created this space repo"}, 409)
        else:
            self.hub.add_space(name, private=asked.get("visibility") == "private" or asked.get("private") is True)
            self._send(address)

    def _validate_yaml(self) -> None:
        card = json.loads(self.body)["content"]
        good = re.match(r"---\n.*?\n---\n", card, re.DOTALL)
        errors = [] if good else [{"message": "The card has no metadata"}]
        self._send({"errors": errors, "warnings": []}, 400 if errors else 200)

    def _preupload(self, name: str) -> None:
        self._repo("spaces", name)
        self._writer(name.partition("/")[0], "Forbidden: you must use a write token to upload to a repository.")
        paths = [file["path"] for file in json.loads(self.body)["files"]]
        self._send({"files": [{"path": path, "uploadMode": "regular", "shouldIgnore": False} for path in paths]})

    def _receive(self, name: str) -> None:
        repo = self._repo("spaces", name)
        self._writer(name.partition("/")[0], "Forbidden: you must use a write token to upload to a repository.")
        header, *operations = map(json.loads, self.body.splitlines())
        if header["value"].get("parentCommit") not in (None, repo.last.sha):
            raise _RefusedError(412, MOVED_ON)
        added = {each["value"]["path"]: each["value"]["content"] for each in operations if each["key"] == "file"}
        deleted = [each["value"]["path"] for each in operations if each["key"] == "deletedFile"]
        files = {path: blob for path, blob in repo.last.files.items() if path not in deleted}
        files |= {path: self.hub.blob(base64.b64decode(content)) for path, content in added.items()}
        self.hub.uploads.append(Upload(name, tuple(added), tuple(deleted)))
        commit = repo.commit(header["value"]["summary"], files)
        self._send({"commitOid": commit.sha, "commitUrl": f"{self.hub.url}/spaces/{name}/commit/{commit.sha}"})
