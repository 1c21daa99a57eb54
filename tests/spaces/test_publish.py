"""Publishing a Space: what is shown is what is uploaded, in one commit, and whatever goes wrong is told in a line."""

import socket
import subprocess
import sys

import pytest
from huggingface_hub import constants
from typer.testing import CliRunner

from conftest import ROOT
from hub import BAD_TOKEN, MOVED_ON, NO_TOKEN, Hub
from spaces.publish import Change, PublishError, app, client, compare, describe, space_id, upload
from tercet import OptionError

NAME = "org/bleu_multi"


@pytest.fixture
def there(tmp_path, monkeypatch):
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    with Hub(tmp_path / "hub") as there:
        yield there


@pytest.fixture
def api(there):
    return client(there.url, "hf_writer")


@pytest.fixture
def folder(tmp_path):
    """A folder as a Space has one, with few files."""
    folder = tmp_path / "spaces" / "bleu_multi"
    folder.mkdir(parents=True)
    texts = {"README.md": "---\nsdk: gradio\n---\n", "app.py": "import this\n", "api.py": "# a longer file\n" * 9}
    for name, text in {**texts, "cases.py": "CASES = []\n"}.items():
        (folder / name).write_text(text)
    return folder


@pytest.fixture
def published(api, folder):
    upload(api, compare(api, NAME, folder))


def files(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


class TestTheFirstTime:
    def test_every_file_is_new_and_the_space_is_created_with_the_first_commit(self, api, there, folder):
        plan = compare(api, NAME, folder)
        assert (plan.commit, plan.is_needed) == (None, True)
        assert {(each.path, each.kind, each.size) for each in plan.changes} == {
            (path, "added", len(content)) for path, content in files(folder).items()
        }
        assert there.repos == {}  # comparing creates nothing
        upload(api, plan)
        contents = there.contents(NAME)
        assert b"*.png filter=lfs" in contents.pop(".gitattributes")  # which the Hub puts there
        assert contents == files(folder)
        assert (there.space(NAME).private, there.space(NAME).sdk) == (False, "gradio")
        assert [each.message for each in there.space(NAME).commits] == ["initial commit", "Publish tercet 0.1.0"]

    def test_a_private_space_is_private_and_can_be_published_again(self, api, there, folder):
        upload(api, compare(api, NAME, folder, private=True), private=True)
        assert there.space(NAME).private
        assert not compare(api, NAME, folder, private=True).is_needed
        assert not compare(api, NAME, folder).is_needed

    def test_folders_in_the_folder_are_kept_and_compiled_files_are_not(self, api, there, folder):
        folder = folder.rename(folder.with_name("__pycache__"))  # of the path, only what is in the folder counts
        for inside in ("assets/style.css", "__pycache__/api.pyc", "assets/__pycache__/a.pyc"):
            (folder / inside).parent.mkdir(exist_ok=True)
            (folder / inside).write_bytes(b"x")
        upload(api, compare(api, NAME, folder))
        assert [path for path in there.contents(NAME) if "/" in path] == ["assets/style.css"]
        assert {"api.py", "app.py"} < there.contents(NAME).keys()
        assert not compare(api, NAME, folder).is_needed


@pytest.mark.usefixtures("published")
class TestAgain:
    def test_nothing_changed_and_nothing_is_uploaded(self, api, there, folder):
        plan = compare(api, NAME, folder)
        assert plan.commit == there.space(NAME).last.sha
        assert {each.kind for each in plan.changes} == {"unchanged"}
        upload(api, plan)
        assert len(there.uploads) == 1

    def test_only_what_changed_is_uploaded_and_what_is_gone_is_removed_in_one_commit(self, api, there, folder):
        before = files(folder)
        (folder / "api.py").write_text("# shorter\n")
        (folder / "new.py").write_text("# new\n")
        (folder / "cases.py").unlink()
        (folder / "app.py").write_bytes(before["app.py"][:-1] + b" ")  # of the same size
        plan = compare(api, NAME, folder)
        sizes = {path: len(content) for path, content in before.items()}
        assert list(plan.changes) == [
            Change("new.py", "added", 6, None),
            Change("api.py", "changed", 10, sizes["api.py"]),
            Change("app.py", "changed", sizes["app.py"], sizes["app.py"]),
            Change("cases.py", "removed", sizes["cases.py"], sizes["cases.py"]),
            Change("README.md", "unchanged", sizes["README.md"], sizes["README.md"]),
        ]
        first, *lines, last = describe(plan).splitlines()
        assert first == f"{NAME}, compared with commit {there.space(NAME).last.sha[:8]}"
        assert [line.split()[:4] for line in lines][1] == ["changed", "api.py", "10", "bytes,"]
        assert last == "1 added, 2 changed, 1 removed, 1 unchanged"
        state = there.space(NAME).last
        upload(api, plan)
        assert len(there.space(NAME).commits) == 3
        assert set(there.uploads[-1].added) == {"new.py", "api.py", "app.py"}
        assert there.uploads[-1].deleted == ("cases.py",)
        assert {key: there.contents(NAME)[key] for key in files(folder)} == files(folder)
        assert there.contents(NAME).keys() - files(folder).keys() == {".gitattributes"}
        assert state.files["cases.py"].path.is_file()  # the first state is still there, under its commit

    def test_a_large_file_is_compared_by_its_content_and_not_by_its_pointer(self, api, there, folder):
        (folder / "picture.png").write_bytes(b"\x89PNG" * 100)
        last = there.space(NAME).last.files
        there.space(NAME).commit("large", {**last, "picture.png": there.blob(b"\x89PNG" * 100, lfs=True)})
        assert not compare(api, NAME, folder).is_needed
        there.space(NAME).commit("large", {**last, "picture.png": there.blob(b"\x89PNG" * 99, lfs=True)})
        assert [each.path for each in compare(api, NAME, folder).changes if each.kind == "changed"] == ["picture.png"]

    def test_a_commit_of_somebody_else_in_between_is_not_overwritten(self, api, there, folder):
        (folder / "api.py").write_text("# shorter\n")
        plan = compare(api, NAME, folder)
        there.space(NAME).commit("somebody else's", there.space(NAME).last.files)
        with pytest.raises(PublishError, match=MOVED_ON.rstrip(".")):
            upload(api, plan)
        assert len(there.uploads) == 1

    def test_a_public_space_is_not_taken_for_a_private_one(self, api, folder):
        with pytest.raises(PublishError, match="public, and --private is for new ones"):
            compare(api, NAME, folder, private=True)


class TestWithoutAToken:
    def test_public_spaces_can_be_compared_but_not_uploaded(self, api, there, folder):
        nobody = client(there.url, None)
        assert compare(nobody, NAME, folder).commit is None
        with pytest.raises(PublishError, match="There is no token"):
            upload(nobody, compare(nobody, NAME, folder))
        assert there.repos == {}
        upload(api, compare(api, NAME, folder))
        assert not compare(nobody, NAME, folder).is_needed

    def test_private_ones_are_not_seen(self, there, folder):
        there.add_space(NAME, private=True)
        assert compare(client(there.url, None), NAME, folder).commit is None


FAILS = r"^http://127.* fails: Internal Error .* \(500\)\. Try again later"
NOT_YOURS = r"'stranger' is not yours: .* The token is good for: me, org\."
NOBODY = r"no namespace 'nobody' on http.*\. The token is good for: me, org\."
READS = r"The token of me can only read: .*\(403\)"
NO_RIGHT = r"refuses org/bleu_multi: You don't have the rights .* \(403\)\.$"


class TestRefusals:
    @pytest.mark.parametrize(
        ("token", "name", "exists", "failing", "message"),
        [
            ("hf_reader", NAME, False, None, READS),
            ("hf_reader", NAME, True, None, READS),
            ("hf_writer", "stranger/bleu_multi", False, None, NOT_YOURS),
            ("hf_writer", "stranger/bleu_multi", True, None, NOT_YOURS),
            ("hf_writer", "nobody/bleu_multi", False, None, NOBODY),
            ("hf_writer", NAME, False, "/api/spaces", FAILS),
            ("hf_writer", NAME, False, "/api/repos/create", FAILS),
            ("hf_writer", NAME, True, "/commit/", FAILS),
            ("hf_reader", NAME, False, "whoami", NO_RIGHT),  # the Hub does not say whose token it is
        ],
    )
    def test_are_told_and_nothing_is_uploaded(self, there, folder, token, name, exists, failing, message):
        if exists:
            there.add_space(name)
        api = client(there.url, token)
        there.failing = failing
        with pytest.raises(PublishError, match=message):
            upload(api, compare(api, name, folder))
        assert there.uploads == []

    @pytest.mark.parametrize("words", [BAD_TOKEN, NO_TOKEN])
    def test_a_token_that_the_hub_does_not_know(self, there, folder, words):
        there.words_for_a_bad_token = words
        with pytest.raises(PublishError, match=rf"The token is refused: {words.rstrip('.')} \(401\)\. Make another"):
            compare(client(there.url, "hf_unknown"), NAME, folder)

    def test_a_right_that_the_hub_takes_back(self, api, there, folder, monkeypatch):
        plan = compare(api, NAME, folder)
        monkeypatch.setattr(api, "whoami", lambda: {"name": "me", "orgs": [{"name": "org"}]})
        there.accounts["hf_writer"] = there.accounts["hf_reader"]
        with pytest.raises(PublishError, match=r"The token of me has no right to publish org/bleu_multi: You don't"):
            upload(api, plan)

    def test_a_card_that_the_hub_does_not_take(self, api, folder):
        (folder / "README.md").write_text("no metadata")
        with pytest.raises(PublishError, match=r"Invalid metadata in README\.md\. - The card has no metadata$"):
            upload(api, compare(api, NAME, folder))

    def test_addresses_that_are_no_hub(self, there, folder):
        with pytest.raises(PublishError, match=r"refuses org/bleu_multi: Sorry, we can't find the page .* \(404\)"):
            compare(client(f"{there.url}/elsewhere/", "hf_writer"), NAME, folder)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            address = f"http://127.0.0.1:{free.getsockname()[1]}"
            with pytest.raises(PublishError, match=rf"^{address} cannot be reached: .*refused"):
                compare(client(address, "hf_writer"), NAME, folder)

    def test_offline_mode(self, api, folder, monkeypatch):
        monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
        with pytest.raises(PublishError, match=r"cannot be reached: .*offline mode is enabled.*HF_HUB_OFFLINE"):
            compare(api, NAME, folder)


@pytest.mark.parametrize("namespace", ["", "a/b", "two words", "-", "a--b", "x" * 100])
def test_a_namespace_that_cannot_be_is_refused(namespace):
    with pytest.raises(OptionError, match="cannot be one of the Hub"):
        space_id("bleu_multi", namespace)


@pytest.mark.parametrize("endpoint", ["", "localhost:8080", "ftp://localhost", "http://", "http:// "])
def test_an_endpoint_that_is_no_address_is_refused(endpoint):
    with pytest.raises(OptionError, match="The endpoint must be an address"):
        client(endpoint, None)


class TestTheCommand:
    @pytest.fixture
    def run(self, there, tmp_path, monkeypatch):
        def run(*arguments, token="hf_writer", endpoint=there.url, namespace="org", status=0):
            monkeypatch.setattr("spaces.publish.get_token", lambda: token)
            given = ["--namespace", namespace, "--endpoint", endpoint, "--out", str(tmp_path / "out")]
            done = CliRunner().invoke(app, [*arguments, *given])
            assert done.exit_code == status, done.output
            if status:
                assert done.stderr.count("\n") == 1
                assert done.stderr.startswith("error: ")
            return done.stderr if status else done.stdout

        return run

    def test_publishes_once_and_then_what_changed(self, run, there, tmp_path):
        shown = run("bleu_multi", "--dry-run", token=None)
        assert shown.endswith("unchanged\nNothing was uploaded: this was a dry run.\n")
        assert there.repos == {}
        last = f'{there.url}/spaces/{NAME}\nevaluate.load("{NAME}")\n'
        assert run("bleu", "--dry-run", token=None) == shown  # by its short name
        first = run("bleu_multi", "--private")
        built = tmp_path / "out" / "bleu_multi"
        assert first.startswith(f"Built {built}; comparing it with {there.url}/spaces/{NAME}\n{NAME}: a new Space\n")
        size = sum(map(len, files(built).values()))
        assert first.endswith(f"0 unchanged\nUploading {size:,} bytes\n{last}")
        assert there.space(NAME).private
        contents = there.contents(NAME)
        del contents[".gitattributes"]
        assert contents == files(tmp_path / "out" / "bleu_multi")
        assert run("bleu_multi").endswith(f"Nothing was uploaded: the Space is up to date.\n{last}")
        assert len(there.uploads) == 1

    def test_ends_with_a_line_for_each_mistake(self, run, there, tmp_path, monkeypatch):
        monkeypatch.setattr("spaces.publish.build", lambda metric, out, **where: tmp_path)
        assert "cannot be one of the Hub" in run("bleu_multi", namespace="a/b", status=2)
        assert "There is no token: set HF_TOKEN or run `hf auth login`" in run("bleu_multi", token=None, status=1)
        assert "The token is refused" in run("bleu_multi", token="hf_unknown", status=1)
        assert "cannot be reached" in run("bleu_multi", endpoint="http://127.0.0.1:1", status=1)
        monkeypatch.undo()
        assert "There is no metric 'blue'" in run("blue", status=2)
        (tmp_path / "out").write_text("a file")
        assert "The folder of the Space cannot be written" in run("bleu_multi", status=1)
        assert "pip cannot read a private Space" in run("ter", "--private", "--wheel", "a.whl", status=2)
        assert "Expected a wheel of tercet" in run("ter", "--wheel", "a.whl", status=2)
        assert there.repos == {}
        assert "Missing option '--namespace'" in CliRunner().invoke(app, ["bleu_multi"]).stderr

    @pytest.mark.long
    def test_is_a_program_that_takes_the_hub_and_the_token_of_its_environment(self, there, tmp_path):
        """Of the variables of huggingface_hub, or the file that `hf auth login` writes."""
        (tmp_path / "home").mkdir()
        (tmp_path / "home" / "token").write_text("hf_writer\n")
        command = [sys.executable, "-m", "spaces.publish", "bleu_multi", "--namespace", "org"]
        subprocess.run(
            [*command, "--out", tmp_path / "out"], cwd=ROOT, env=there.environment(tmp_path / "home"), check=True
        )
        assert NAME in [upload.repo for upload in there.uploads]
