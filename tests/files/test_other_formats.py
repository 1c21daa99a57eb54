"""Files that are no text with a segment per line are refused by their content, through every door; texts are read."""

import gzip
import re
import zipfile

import pytest

from commands import command
from tercet.errors import InputError
from tercet.files.lines import read_lines, stream_lines
from tercet.files.read import read_table
from tercet.test_sets.read import read_test_sets

XLIFF = """<?xml version="1.0" encoding="UTF-8"?>
<!-- drei Segmente -->
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
<file source-language="de" target-language="pt" original="a" datatype="plaintext"><body>
<trans-unit id="1"><source>Der Hafen</source><target>O porto</target></trans-unit>
</body></file></xliff>
"""
PO = """# Mensagens
#
msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\\n"

#: a.c:1
msgid "Save"
msgstr "Guardar"
"""
SRT = "1\n00:00:01,000 --> 00:00:02,500\nБуря утихла.\n\n2\n00:00:03,000 --> 00:00:04,000\nВышли в море.\n"
VTT = "WEBVTT - Untertitel\n\nNOTE zum Test\n\n00:01.000 --> 00:04.000\nDas Meer ist ruhig.\n"
SSA = "[Script Info]\nTitle: x\n\n[Events]\nFormat: Layer, Start, End, Text\nDialogue: 0,0:00:01.00,0:00:02.00,Ola\n"
HTML = "<!DOCTYPE html>\n<html lang='ja'>\n<head><title>港</title></head>\n<body><p>港は静かだ。</p></body></html>\n"
PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"

#: Contents of files, and what the message calls each and says to do.
OTHERS = {
    "xliff": (XLIFF, r"is XLIFF, judging by its content.*a segment per line: let its name end in \.xlf"),
    "xliff without a declaration": (XLIFF.split("\n", 2)[2], "is XLIFF"),
    "tmx": ('<?xml version="1.0"?>\n<!DOCTYPE tmx SYSTEM "tmx14.dtd">\n<tmx version="1.4"><body/></tmx>',
            r"is a translation memory \(TMX\).*let its name end in \.tmx"),
    "po": (PO, r"is a catalogue of translations \(PO\)"),
    "po with a context": ('msgctxt "menu"\nmsgid "Open"\nmsgstr "Abrir"\n', r"\(PO\)"),
    "po with a plural": ('msgid "%d boat"\nmsgid_plural "%d boats"\nmsgstr[0] "%d barco"\n', r"\(PO\)"),
    "srt": (SRT, r"is subtitles \(SRT\).*end in \.srt"),
    "vtt": (VTT, r"is subtitles \(WebVTT\)"),
    "ssa": (SSA, r"is subtitles \(SSA\)"),
    "html": (HTML, "is HTML"),
    "html without a declaration": ("\n<html>\n<body>Olá</body></html>", "is HTML"),
    "sgml": ('<refset setid="news" srclang="any" trglang="en">\n<doc><seg id="1">A</seg></doc></refset>', "test set"),
    "xml": ('<?xml version="1.0"?>\n<resources><string name="a">Ok</string></resources>\n', "is XML"),
    "png": (PNG, r"is an image \(PNG\)"),
    "jpeg": (b"\xff\xd8\xff\xe0\x00\x10JFIF", r"is an image \(JPEG\)"),
    "rtf": ("{\\rtf1\\ansi Ein Satz.}", "RTF"),
}  # fmt: skip

#: Texts, a segment per line, that look like one of these for a moment.
TEXTS = {
    "a tag": "<b>Das</b> Meer\nzwei\n",
    "a whole tag": "<p>Das Meer</p>\n<p>Der Hafen</p>\n",
    "a word": "<html> is the root of a page\n<body> follows\n",
    "a declaration in words": '<?xml version="1.0"?> begins a file\n<!DOCTYPE html> too\n',
    "a page on each line": "<!DOCTYPE html><html><body>um</body></html>\n" * 2,
    "a page on each line, undeclared": "<html><body>um</body></html>\n<html><body>dois</body></html>\n",
    "an arrow": "a --> b\n00:00:01,000 --> 00:00:02,000\n",
    "a number and an arrow": "1\na --> b\n",
    "a catalogue's word": 'msgid is a keyword\nmsgstr is another\n',
    "one key of a catalogue": 'msgid "Save"\nmsgid "Open"\n',
    "a heading of subtitles": "WEBVTT\nis a format\n",
    "a comment": "<!-- ein Kommentar -->\n<b>Text</b>\n",
    "a section": "[Script Info]\nis a heading\n",
    "a hash": "# Überschrift\n\nmsgid\n",
    "blank lines": "\n" * 20_000 + "#\n" * 20_000 + "x\n",
}  # fmt: skip


@pytest.mark.parametrize(("content", "message"), OTHERS.values(), ids=OTHERS)
@pytest.mark.parametrize("read", [read_lines, lambda path: list(stream_lines(path))], ids=["whole", "by line"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf"], ids=["", "mark"])
def test_other_formats_are_refused_whatever_the_extension(content, message, read, pack, start, tmp_path):
    is_signed = isinstance(content, bytes) or content.startswith("{")  # known by its first bytes
    data = content if isinstance(content, bytes) else content.replace("\n", "\r\n").encode()
    path = tmp_path / ("segments.txt.gz" if pack is gzip.compress else "segments.de")
    path.write_bytes(pack(data if is_signed else start + data))
    with pytest.raises(InputError, match=f"{re.escape(str(path))} .*{message}"):
        read(str(path))


@pytest.mark.parametrize("content", TEXTS.values(), ids=TEXTS)
def test_texts_with_signs_of_other_formats_are_read(content, tmp_path):
    path = tmp_path / "segments.txt"
    path.write_text(content, encoding="utf-8")
    assert read_lines(str(path)) == list(stream_lines(str(path))) == content.split("\n")[:-1]


def test_word_documents_and_archives_are_told_apart(tmp_path):
    for entry, what in {"word/document.xml": "a Word document", "a.txt": "a ZIP archive"}.items():
        path = tmp_path / "a.docx"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("[Content_Types].xml", "<x/>")
            archive.writestr(entry, "<x/>")
        with pytest.raises(InputError, match=f"is {what}.*"):
            read_lines(str(path))


def test_every_door_refuses_them(tmp_path, monkeypatch):
    """The content is named, not the extension; alone, as references and sources, and by every command."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_text("O porto\n" * 6, encoding="utf-8")
    for name in ("b.de", "b.txt", "b.tsv", "b.csv", "b.jsonl"):
        (tmp_path / name).write_text(XLIFF, encoding="utf-8")
    doors = [
        ["score", "b.de"], ["score", "b.de", "--system", "x"], ["score", "b.de", "-r", "a.txt"],
        ["compare", "a.txt", "-r", "b.txt"], ["compare", "a.txt", "-r", "a.txt", "--source", "b.de"],
        ["compare", "b.tsv"], ["compare", "b.csv"], ["compare", "b.jsonl"], ["explain", "bleu", "b.txt"],
        ["mbr", "b.de", "a.txt"], ["correlate", "b.tsv"],
    ]  # fmt: skip
    for door in doors:
        run = command(*door, code=2)
        assert "is XLIFF, judging by its content" in run.stderr, (door, run.stderr)
    with pytest.raises(InputError, match="is XLIFF"):
        read_table("b.de")
    with pytest.raises(InputError, match="is XLIFF"):
        read_test_sets("b.de")
