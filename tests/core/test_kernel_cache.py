"""Kernels are compiled once for all copies of the same code, and anew where a line of it changes."""

import os
import shutil
import subprocess
import sys

import pytest

from conftest import ROOT
from spaces.build import build

SCORE = "import tercet; print(tercet.score('bleu_multi', ['a b c d é'] * 99, ['a b c d é'] * 99)['bleu'])"
#: A kernel that is compiled in no time.
HALF = """
from tercet.core.jit import kernel

@kernel
def half(number):
    return number / 2

print(half(2.0))
"""
IN_SPACE = """
import json, sys
sys.modules["tercet"] = None
import evaluate
print(evaluate.load(sys.argv[1]).compute(predictions=["a b c d é"] * 99, references=["a b c d é"] * 99)["bleu"])
"""


def run(code, cache, *arguments, source=ROOT / "src"):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache), "PYTHONPATH": str(source)}
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        env=environment,
        capture_output=True,
        text=True,
        cwd=cache.parent,
    )
    assert done.stdout.endswith("1.0\n"), done.stderr
    return "compiling kernels" in done.stderr


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """Return a folder with what the package compiled."""
    folder = tmp_path_factory.mktemp("cache") / "kernels"
    folder.mkdir()
    assert run(SCORE, folder)
    return folder


def test_copies_of_the_same_code_compile_nothing(cache, tmp_path):
    assert not run(SCORE, cache)
    copied = shutil.copytree(ROOT / "src", tmp_path / "copy", ignore=shutil.ignore_patterns("__pycache__"))
    assert not run(SCORE, cache, source=copied)


def test_a_space_compiles_nothing_that_the_package_has_compiled(cache, tmp_path):
    assert not run(IN_SPACE, cache, build("bleu_multi", tmp_path))


@pytest.mark.long
def test_a_change_in_a_part_of_another_file_is_seen(cache, tmp_path):
    copied = shutil.copytree(ROOT / "src", tmp_path / "copy", ignore=shutil.ignore_patterns("__pycache__"))
    part = copied / "tercet/core/bit_kernels.py"
    part.write_text(part.read_text().replace("place of the lowest one", "place of the very lowest one"))
    assert run(SCORE, cache, source=copied)


@pytest.fixture
def kept(tmp_path):
    """Return the folder in which a small kernel is kept, beside its module."""
    (tmp_path / "half.py").write_text(HALF)
    assert run_half(tmp_path / "kernels")
    return tmp_path / "kernels"


def run_half(cache, code="import half", **more):
    shutil.rmtree(cache.parent / "__pycache__", ignore_errors=True)  # which is used where the cache is not
    return run(code, cache, **more)


def test_another_option_of_the_compiler_is_seen(kept, tmp_path):
    assert not run_half(kept)
    copied = shutil.copytree(ROOT / "src", tmp_path / "copy", ignore=shutil.ignore_patterns("__pycache__"))
    jit = copied / "tercet/core/jit.py"
    assert "nogil=True" in jit.read_text()
    jit.write_text(jit.read_text().replace("nogil=True", "nogil=False"))
    assert run_half(kept, source=copied)


@pytest.mark.parametrize("kind", ["nbi", "nbc"])
def test_a_wrong_byte_is_noticed_and_mended(kept, kind):
    (file,) = kept.rglob(f"*.{kind}")
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    assert run_half(kept)
    assert not run_half(kept)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
class TestOthers:
    def test_cannot_write_into_a_folder_that_is_made_whatever_the_umask(self, kept):
        made = "import os; os.umask(0); os.environ['NUMBA_CACHE_DIR'] += '/a/b'; import half"
        assert run_half(kept, made)
        folders = [path for path in (kept / "a").rglob("*") if path.is_dir()]
        assert len(folders) == 3  # b, numba's version, the digest
        assert {path.stat().st_mode & 0o777 for path in [kept / "a", *folders]} == {0o700}

    def test_are_not_trusted_where_they_can_write(self, kept):
        (leaf,) = {path.parent for path in kept.rglob("*.nbi")}
        for folder, mode in ((kept, 0o777), (leaf.parent, 0o720), (leaf, 0o702)):
            folder.chmod(mode)
            assert run_half(kept)
            folder.chmod(0o755)
        assert not run_half(kept)

    @pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only an administrator can give")
    def test_are_not_trusted_with_their_own_folders_and_links(self, kept, tmp_path):
        other = tmp_path / "link"
        other.symlink_to(kept)
        assert not run_half(other)
        os.lchown(other, 65534, 65534)
        assert run_half(other)
        os.chown(kept, 65534, 65534)
        assert run_half(kept)


@pytest.mark.long
@pytest.mark.parametrize("damage", ["empty", "cut", "a folder"])
def test_a_damaged_cache_costs_time_only(cache, tmp_path, damage):
    own = shutil.copytree(cache, tmp_path / "own")
    files = [path for path in own.rglob("*.nb*") if path.is_file()]
    assert files
    for path in files:
        if damage == "a folder":
            path.unlink()
            path.mkdir()
        else:
            path.write_bytes(b"" if damage == "empty" else path.read_bytes()[:-5])
    assert run(SCORE, own)


@pytest.mark.long
def test_without_the_folder_kernels_are_kept_beside_the_sources(tmp_path):
    copied = shutil.copytree(ROOT / "src", tmp_path / "copy", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "kernels").write_text("a file")
    assert run(SCORE, tmp_path / "kernels", source=copied)
    assert not run(SCORE, tmp_path / "kernels", source=copied)


@pytest.mark.long
def test_with_another_numba_nothing_is_kept_where_others_might_write(tmp_path):
    own = tmp_path / "kernels"
    own.mkdir()
    code = "import numba.core.caching as c; c.CompileResultCacheImpl = object; " + SCORE
    assert run(code, own)
    assert list(own.iterdir()) == []
