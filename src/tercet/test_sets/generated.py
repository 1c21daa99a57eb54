"""Output of fairseq-generate, which has its own references -> a test set."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from tercet.errors import InputError, argument, shorten, warn
from tercet.files.fairseq import Generated, generated, is_generated
from tercet.files.lines import STDIN, read_lines, stream_lines
from tercet.files.writing import check_different

from .input_files import InputFiles
from .named_columns import NamedColumns
from .names_from_paths import name_of, names_of
from .test_set import TestSet


def generated_set(files: InputFiles, named: NamedColumns) -> TestSet | None:
    """Return the test set of files without others beside them, joined by the numbers of their samples.

    The references are what the files say, which must be the same. None where some file is another text, or has no
    references.
    """
    paths = files.paths
    outputs = _read_outputs(files)
    if outputs is None:
        return None
    # Here, as few files are such output.
    from tercet.files.join import join, warn_of_unmatched

    check_different(paths)
    if files.sources:
        raise InputError(
            f"{paths[0]!r} is the output of fairseq-generate, with sources and references of its own; a file of "
            f"sources ({argument('source')}) needs one of references ({argument('references')})."
        )
    warn_of_mixed_kinds(outputs)
    references = _shared_references(outputs)
    sources: dict[int, str] = {}
    for output in outputs:
        sources |= output.sources
    texts = {output.path: output.texts for output in outputs}
    if not set(references).intersection(*texts.values()):
        raise InputError(f"{' and '.join(map(repr, paths))} have no sample in common; expected output for one set.")
    joined = join(texts, sorted(references), "samples", lambda number: f"is {number}", named.missing)
    for output in outputs:
        warn_of_unmatched(output.path, output.texts, references, "the lines of references (T-)")
    names = names_of(paths, files.called)
    lost = joined.lost(dict(zip(names, paths, strict=True)))
    systems = {}
    for name, output in zip(names, outputs, strict=True):
        systems[name] = [output.texts.get(number, "") for number in joined.keys]
    fields = f"{'; '.join(output.note for output in outputs)}; references: T-"
    source_texts = None
    if all(number in sources for number in joined.keys):
        source_texts = [sources[number] for number in joined.keys]
        fields += "; sources: S-"
    test_set_name = "test set"
    if len(names) == 1:
        test_set_name = name_of(paths[0])
    return TestSet(
        test_set_name,
        systems,
        [[references[number]] for number in joined.keys],
        source_texts,
        fields=f"{fields}.",
        ids=[str(number) for number in joined.keys],
        lost=lost.by_system,
        n_all=lost.n_all,
    )


def _read_outputs(files: InputFiles) -> list[Generated] | None:
    """Return what fairseq-generate wrote into files; None where one is another text, or has no references."""
    encoding = files.opening.encoding
    if not all(_is_generated(path, encoding) for path in files.paths):
        return None
    outputs: list[Generated] = []
    for path in files.paths:
        output = generated(path, read_lines(path, encoding=encoding))
        if output is None or not output.references:
            return None
        outputs.append(output)
    return outputs


def _is_generated(path: str, encoding: str) -> bool:
    # The standard input cannot be read twice; what else cannot be read is for the reader of texts to say.
    if path == STDIN:
        return False
    with suppress(InputError):
        return is_generated(read_lines(path, encoding=encoding) if encoding else stream_lines(path))
    return False


def warn_of_mixed_kinds(files: Sequence[Generated]) -> None:
    """Warn of texts that are detokenized in some files alone: the others are scored lower."""
    by_kind = {file.kind: file.path for file in files}
    if len(by_kind) > 1:
        warn(
            f"{by_kind['D-']} has detokenized texts (D-), and {by_kind['H-']} has only texts as the model wrote them "
            "(H-): they are not alike."
        )


def _shared_references(files: Sequence[Generated]) -> dict[int, str]:
    """Return the references of all files, or raise an InputError where one has others: it is of another set."""
    references: dict[int, str] = {}
    paths: dict[int, str] = {}
    for file in files:
        for number, reference in file.references.items():
            if number not in references:
                references[number] = reference
                paths[number] = file.path
            expected = references[number]
            if reference != expected:
                # What both begin with would hide where they differ.
                n_equal = 0
                while reference[n_equal : n_equal + 1] == expected[n_equal : n_equal + 1]:
                    n_equal += 1
                start = max(0, n_equal - 10)
                raise InputError(
                    f"{file.path}: T-{number} is {shorten(reference[start:])}, and {shorten(expected[start:])} in "
                    f"{paths[number]}; expected output for one set. Where only their tokens differ, give the "
                    f"references in a file ({argument('references')})."
                )
    return references
