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
from tercet.comparison.exports import write_tsv
from tercet.files.writing import _without_name, is_plain, write_file, write_text_file
from tercet.metrics.bertscore.baselines import read_baseline, write_baseline
from tercet.metrics.bertscore.idf_table import IdfTable

OLD, NEW = "old\n" * 50_000, "new\n" * 50_000

#: Writes half of a file, says so, and waits.
SLOW = {
    "write_tsv": """
        from tercet.comparison.exports import write_tsv
        def rows():
            yield from [["new"]] * 50_000
            wait()
        write_tsv(Path(sys.argv[1]), rows())""",
    "write_text_file": """
        from tercet.files.writing import write_text_file
        with write_text_file(sys.argv[1]) as file:
            file.write("new\\n" * 50_000)
            file.flush()
            wait()""",
}

#: Writes one and another content in turn, as fast as it can.
ENDLESS = {
    "idf": """
        import numpy as np
        from tercet.metrics.bertscore.idf_table import IdfTable
        tables = [IdfTable(9, np.random.default_rng(seed).integers(0, 9, 200_000), "f0", None) for seed in (0, 1)]
        while True:
            for table in tables:
                table.save(sys.argv[1])
                print(flush=True)""",
    "baseline": """
        import numpy as np
        from tercet.metrics.bertscore.baselines import write_baseline
        while True:
            for seed in (0, 1):
                write_baseline(Path(sys.argv[1]), np.random.default_rng(seed).random((5_000, 3)))
                print(flush=True)""",
    "space": """
        from spaces.build import build
        while True:
            build("bleu_multi", Path(sys.argv[1]).parent)
            print(flush=True)""",
}

HEAD = """
import sys, time
from pathlib import Path
def wait():
    print(flush=True)
    time.sleep(60)
"""


def started(code, path, **options):
    """Return a process that runs a code with a path, once it has said that it is on its way."""
    lines = code.splitlines()
    text = HEAD + "\n".join(line[8:] for line in lines)
    process = subprocess.Popen(
        [sys.executable, "-c", text, str(path)], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options
    )
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
    def test_when_the_process_is_killed_in_the_middle(self, name, path):
        process = started(SLOW[name], path)
        process.kill()
        assert ended(process) == -signal.SIGKILL
        assert path.read_text() == OLD
        unnamed = _without_name(str(path.parent))
        if unnamed is not None:  # else the new file lies there
            os.close(unnamed)
            assert list(path.parent.iterdir()) == [path]

    @pytest.mark.parametrize("name", ENDLESS)
    @pytest.mark.long
    def test_when_the_process_is_killed_at_any_moment(self, name, tmp_path):
        waits = random.Random(5)
        path = tmp_path / "bleu_multi"
        whole = {
            "idf": lambda: IdfTable.load(path),
            "baseline": lambda: read_baseline(path).shape == (5_000, 3) or pytest.fail("cut"),
            "space": lambda: {each.name: each.read_bytes() for each in path.iterdir()},
        }[name]
        contents = []
        for _ in range(5):
            process = started(ENDLESS[name], path)
            time.sleep(waits.uniform(0, 0.05))
            process.kill()
            ended(process)
            contents.append(whole())
        if name == "space":
            assert all(each == contents[0] for each in contents)

    @pytest.mark.parametrize("name", SLOW)
    def test_at_ctrl_c_and_nothing_lies_about(self, name, path):
        process = started(SLOW[name], path)
        process.send_signal(signal.SIGINT)
        assert ended(process) != 0
        assert path.read_text() == OLD
        assert list(path.parent.iterdir()) == [path]

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

        save = "from tercet.metrics.bertscore.idf_table import IdfTable; import numpy as np; "
        save += "IdfTable(9, np.random.default_rng(0).integers(0, 9, 200_000), 'f0', None)"
        for code in (
            "from tercet.comparison.exports import write_tsv; write_tsv(path, [['new']] * 50_000)",
            f"{save}.save(path)",
            "import numpy as np; from tercet.metrics.bertscore.baselines import write_baseline as w; "
            "w(path, np.zeros((5_000, 3)))",
        ):
            code = f"import sys; from pathlib import Path; path = Path(sys.argv[1]); {code}"
            process = subprocess.run(
                [sys.executable, "-c", code, path], preexec_fn=small_disk, capture_output=True, text=True, check=False
            )
            assert process.stderr.splitlines()[-1] == f"OSError: [Errno 27] File too large: {str(path)!r}"
            assert path.read_text() == OLD
            assert list(path.parent.iterdir()) == [path]

    def test_when_what_is_written_raises(self, path):
        def rows():
            yield ["new"]
            raise KeyError("no")

        with pytest.raises(KeyError, match="no"):
            write_tsv(path, rows())
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


class TestTwoWriters:
    def test_do_not_mix(self, path):
        def write(letter):
            with write_text_file(path) as file:
                for _ in range(200):
                    file.write(letter * 999 + "\n")
                    file.flush()

        threads = [threading.Thread(target=write, args=(letter,)) for letter in "abcd"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        lines = path.read_text().splitlines()
        assert len(lines) == 200
        assert len(set(lines)) == 1
        assert list(path.parent.iterdir()) == [path]


class TestWhereItIsWritten:
    def test_a_link_stays_and_its_file_is_written(self, path, tmp_path):
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

    def test_a_link_to_nothing_makes_the_file(self, tmp_path):
        (tmp_path / "link").symlink_to("new.txt")
        with write_file(tmp_path / "link") as file:
            file.write(b"new")
        assert (tmp_path / "new.txt").read_bytes() == b"new"

    def test_the_permissions_stay(self, path):
        for mode in [0o600, 0o640, 0o664, 0o755]:
            path.chmod(mode)
            with write_text_file(path) as file:
                file.write(NEW)
            assert path.stat().st_mode & 0o777 == mode

    def test_a_new_file_has_the_permissions_of_every_new_file(self, tmp_path):
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
        told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert told.stdout == "new"

    @pytest.mark.skipif(not shutil.which("unshare") or os.geteuid() != 0, reason="only an administrator can mount")
    def test_a_file_that_is_a_mount_of_its_own(self, path, tmp_path):
        other = tmp_path / "other"
        other.write_text("other")
        code = (
            "import sys; from tercet.files.writing import write_file\n"
            "with write_file(sys.argv[1]) as file: file.write(b'new')"
        )
        script = f'mount --bind {other} {path} && {sys.executable} -c "$0" {path}'
        process = subprocess.run(
            ["unshare", "-m", "sh", "-c", script, code], capture_output=True, text=True, check=False
        )
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


def test_what_is_written_can_be_read(tmp_path):
    means = np.random.default_rng(3).random((4, 3)).round(6)
    write_baseline(tmp_path / "b.tsv", means)
    assert read_baseline(tmp_path / "b.tsv") == pytest.approx(means)
