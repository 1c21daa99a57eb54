"""Errors of a Hub, each in one line for whoever publishes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from huggingface_hub import HfApi
from huggingface_hub.errors import HfHubHTTPError, HTTPError

NO_TOKEN = "There is no token: set HF_TOKEN or run `hf auth login`; --dry-run needs none."


class PublishError(Exception):
    """The Hub cannot be reached, or refuses; the message is one line for whoever publishes."""


@contextmanager
def explained(api: HfApi, repo_id: str) -> Iterator[None]:
    """Turn any error of a client's call into one line."""
    try:
        yield
    except HfHubHTTPError as error:
        raise PublishError(_refusal(api, repo_id, error)) from error
    except (HTTPError, OSError) as error:
        # HTTPError is that of the HTTP library, which depends on the version of huggingface_hub.
        raise PublishError(f"{api.endpoint} cannot be reached: {one_line(error)}") from error
    except ValueError as error:
        # A card that the Hub does not take, or an answer that is not the Hub's.
        raise PublishError(f"{api.endpoint} and its client do not agree: {one_line(error)}") from error


def _refusal(api: HfApi, repo_id: str, error: HfHubHTTPError) -> str:
    status = error.response.status_code
    answer = f"{one_line(error.server_message or error.response.reason_phrase)} ({status})"
    if status == 401 and not api.token:
        return NO_TOKEN
    if status == 401:
        return f"The token is refused: {answer}. Make another one, and set HF_TOKEN or run `hf auth login --force`."
    if status in (403, 404) and api.token:
        return _no_right(api, repo_id, answer)
    if status >= 500:
        return f"{api.endpoint} fails: {answer}. Try again later."
    return f"{api.endpoint} refuses {repo_id}: {answer}."


def _no_right(api: HfApi, repo_id: str, answer: str) -> str:
    """Return why a token may not write, as far as the Hub says."""
    namespace = repo_id.partition("/")[0]
    try:
        user = api.whoami()
        exists = _exists(api, namespace)
    except (HTTPError, OSError):
        return f"{api.endpoint} refuses {repo_id}: {answer}."
    namespaces = [user["name"], *(org["name"] for org in user.get("orgs", []))]
    if not exists:
        return (
            f"There is no namespace {namespace!r} on {api.endpoint}. The token is good for: {', '.join(namespaces)}."
        )
    if namespace not in namespaces:
        return f"The namespace {namespace!r} is not yours: {answer}. The token is good for: {', '.join(namespaces)}."
    role = user.get("auth", {}).get("accessToken", {}).get("role")
    if role == "read":
        return f"The token of {user['name']} can only read: {answer}. Make one that can write."
    return f"The token of {user['name']} has no right to publish {repo_id}: {answer}."


def _exists(api: HfApi, namespace: str) -> bool:
    for overview in (api.get_organization_overview, api.get_user_overview):
        try:
            overview(namespace)
        except HfHubHTTPError as error:
            if error.response.status_code != 404:
                raise
        else:
            return True
    return False


def one_line(message: object) -> str:
    """Return a message without line ends, and without its full stop."""
    return " ".join(str(message).split()).rstrip(".")
