"""Files are whole or not there: whoever kills, interrupts or fills what on the way, the old one stays."""

import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from conftest import ROOT
from spaces.build import build
from tercet.errors import InputError
from tercet.files.writing import _without_name, check_file, is_plain, write_file, write_text_file
from tercet.metrics.bertscore.baselines import read_baseline, write_baseline
from tercet.table_formats import Column, Table, write_lines

OLD, NEW = "old\n" * 50_000, "new\n" * 50_000

HEAD = """
import signal, sys, time
from pathlib import Path
signal.signal(signal.SIGINT, signal.default_int_handler)  # which a parent may have told to be ignored
def wait():
    print(flush=True)
    time.sleep(60)
path = Path(sys.argv[1])
"""

#: Writes half of a file, says so, and waits.
SLOW = {
    "write_lines": """
from tercet.table_formats import Column, Table, write_lines
def rows():
    yield from [["new"]] * 50_000
    wait()
write_lines(path, Table("", [Column("new")], rows()), "tsv")""",
    "write_text_file": r"""
from tercet.files.writing import write_text_file
with write_text_file(path) as file:
    file.write("new\n" * 50_000)
    file.flush()
    wait()""",
}

#: Writes a space again and again, as fast as it can.
ENDLESS = """
from spaces.build import build
while True:
    build("bleu_multi", path.parent)
    print(flush=True)"""


def started(code, path):
    """Return a process that runs a code with a path, once it has said that it is on its way."""
    command = [sys.executable, "-c", HEAD + code, str(path)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.readline()
    return process


def ended(process):
    process.communicate(timeout=60)
    return process.returncode


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "scores.tsv"
    path.write_text(OLD)
    return path


class TestTheOldFileStays:
    @pytest.mark.parametrize("name", SLOW)
    @pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT])
    def test_when_the_process_is_ended_in_the_middle(self, name, end, path):
        process = started(SLOW[name], path)
        process.send_signal(end)
        assert ended(process) == -end if end == signal.SIGKILL else ended(process) != 0
        assert path.read_text() == OLD
        unnamed = _without_name(str(path.parent))
        if unnamed is not None:
            os.close(unnamed)
        if unnamed is not None or end == signal.SIGINT:  # else the new file lies there
            assert list(path.parent.iterdir()) == [path]

    @pytest.mark.long
    def test_when_a_process_that_builds_a_space_is_killed_at_any_moment(self, tmp_path):
        waits, path, contents = random.Random(5), tmp_path / "bleu_multi", []
        for _ in range(5):
            process = started(ENDLESS, path)
            time.sleep(waits.uniform(0, 0.05))
            process.kill()
            ended(process)
            # Between two renames the old folder is beside its place, and whole.
            whole = path if path.is_dir() else next(tmp_path.glob("*.tmp/old"))
            contents.append({each.name: each.read_bytes() for each in whole.iterdir()})
        assert all(each == contents[0] for each in contents)

    def test_where_a_file_cannot_be_given_a_name_it_is_copied(self, path, monkeypatch):
        def refuse(*_, **__):
            raise PermissionError(1, "Operation not permitted", "/proc/self/fd/9")

        monkeypatch.setattr(os, "link", refuse)
        with write_file(path) as file:
            file.write(b"new")
        assert path.read_bytes() == b"new"
        assert list(path.parent.iterdir()) == [path]

    def test_when_the_disk_is_full_and_the_error_names_it(self, path):
        def small_disk():
            resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))

        for code in (
            "from tercet.table_formats import Column, Table, write_lines; "
            "write_lines(path, Table('', [Column('new')], [['new']] * 50_000), 'tsv')",
            "from tercet.metrics.bertscore.idf_table import IdfTable; import numpy as np; "
            "IdfTable(9, np.random.default_rng(0).integers(0, 9, 200_000), 'f0', None).save(path)",
            "from tercet.metrics.bertscore.baselines import write_baseline as w; import numpy as np; "
            "w(path, np.zeros((5_000, 3)))",
        ):
            command = [sys.executable, "-c", HEAD + code, path]
            process = subprocess.run(command, preexec_fn=small_disk, capture_output=True, text=True, check=False)
            assert process.stderr.splitlines()[-1] == f"OSError: [Errno 27] File too large: {str(path)!r}"
            assert path.read_text() == OLD
            assert list(path.parent.iterdir()) == [path]

    def test_when_what_is_written_raises(self, path):
        def rows():
            yield ["new"]
            raise KeyError("no")

        with pytest.raises(KeyError, match="no"):
            write_lines(path, Table("", [Column("new")], rows()), "tsv")
        assert path.read_text() == OLD
        assert list(path.parent.iterdir()) == [path]

    def test_of_a_space(self, tmp_path, monkeypatch):
        folder = build("bleu_multi", tmp_path)
        before = {each.name: each.read_bytes() for each in folder.iterdir()}
        monkeypatch.setattr("spaces.build.requirement", lambda *given: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            build("bleu_multi", tmp_path)
        assert {each.name: each.read_bytes() for each in folder.iterdir()} == before
        assert list(tmp_path.iterdir()) == [folder]

    def test_when_several_write_they_do_not_mix(self, path):
        def write(letter):
            with write_text_file(path) as file:
                for _ in range(200):
                    file.write(letter * 999 + "\n")
                    file.flush()

        threads = [threading.Thread(target=write, args=(letter,)) for letter in "abcd"]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        lines = path.read_text().splitlines()
        assert (len(lines), len(set(lines))) == (200, 1)
        assert list(path.parent.iterdir()) == [path]


class TestWhereItIsWritten:
    def test_a_link_stays_and_its_file_is_written_or_made(self, path, tmp_path):
        folder = tmp_path / "folder"
        folder.mkdir()
        link, chain = folder / "link", folder / "chain"
        link.symlink_to(Path("..", path.name))
        chain.symlink_to(link)
        with write_text_file(chain) as file:
            file.write(NEW)
        assert path.read_text() == NEW
        assert chain.is_symlink()
        assert link.is_symlink()
        assert set(folder.iterdir()) == {link, chain}
        (tmp_path / "link").symlink_to("new.txt")
        with write_file(tmp_path / "link") as file:
            file.write(b"new")
        assert (tmp_path / "new.txt").read_bytes() == b"new"

    def test_where_a_link_leads_to_is_where_a_file_must_fit(self, tmp_path):
        link = tmp_path / "link"
        link.symlink_to(Path("none", "new.txt"))
        with pytest.raises(InputError, match=r"Cannot write the file .*link': its folder does not exist"):
            check_file(link)
        (tmp_path / "none").mkdir()
        check_file(link)

    def test_the_permissions_stay_and_a_new_file_has_those_of_every_new_file(self, path, tmp_path):
        for mode in [0o600, 0o640, 0o664, 0o755]:
            path.chmod(mode)
            with write_text_file(path) as file:
                file.write(NEW)
            assert path.stat().st_mode & 0o777 == mode
        (tmp_path / "a").touch()
        with write_file(tmp_path / "b") as file:
            file.write(b"b")
        assert (tmp_path / "b").stat().st_mode == (tmp_path / "a").stat().st_mode

    def test_what_is_no_file_is_written_as_it_is(self, tmp_path):
        pipe = tmp_path / "pipe"
        os.mkfifo(pipe)
        read = []
        reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
        reader.start()
        with write_text_file(pipe) as file:
            file.write("through")
        reader.join()
        assert read == ["through"]
        with write_file("/dev/null") as file:
            file.write(b"away")
        assert not Path("/dev/null").is_file()
        assert [is_plain(each) for each in (pipe, "/dev/null", "/dev/stdout", "/proc/self/fd/1")] == [False] * 4
        assert is_plain(tmp_path / "none")

    def test_the_standard_output_whatever_it_is(self, path):
        code = "from tercet.files.writing import write_file as w\nwith w('/dev/stdout') as file: file.write(b'new')"
        with path.open("wb") as file:
            subprocess.run([sys.executable, "-c", code], stdout=file, check=True)
        assert path.read_text() == "new"
        assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout == b"new"

    @pytest.mark.skipif(not shutil.which("unshare") or os.geteuid() != 0, reason="only an administrator can mount")
    def test_a_file_that_is_a_mount_of_its_own(self, path, tmp_path):
        other = tmp_path / "other"
        other.write_text("other")
        code = f"from tercet.files.writing import write_file as w\nwith w({str(path)!r}) as file: file.write(b'new')"
        script = f'mount --bind {other} {path} && {sys.executable} -c "$0"'
        command = ["unshare", "-m", "sh", "-c", script, code]
        process = subprocess.run(command, capture_output=True, text=True, check=False)
        if "permission denied" in process.stderr:
            pytest.skip("mounting is not allowed here")
        assert (process.returncode, process.stderr) == (0, "")
        assert (other.read_text(), path.read_text()) == ("new", OLD)
        assert set(tmp_path.iterdir()) == {path, other}

    def test_names_of_any_length_and_signs(self, tmp_path):
        for name in ("я" * 127, "\udcff.txt", " ", "-"):
            with write_text_file(tmp_path / name) as file:
                file.write("a\udcffb")
            assert (tmp_path / name).read_text() == "a\\udcffb"
            (tmp_path / name).unlink()

    def test_a_folder_that_is_not_there_is_named(self, tmp_path):
        with pytest.raises(FileNotFoundError) as caught, write_file(tmp_path / "none" / "x"):
            pass
        assert str(caught.value) == f"[Errno 2] No such file or directory: {str(tmp_path / 'none' / 'x')!r}"


def test_a_folder_is_no_file_to_write(tmp_path):
    with pytest.raises(InputError, match="it is itself a folder"):
        check_file(tmp_path)
    check_file(tmp_path / "new")


def test_what_is_written_can_be_read(tmp_path):
    means = np.random.default_rng(3).random((4, 3)).round(6)
    write_baseline(tmp_path / "b.tsv", means)
    assert read_baseline(tmp_path / "b.tsv") == pytest.approx(means)
