"""Test sets of WMT in XML and SGM: the texts, and so the scores, are those that sacrebleu takes from such files."""

import gzip
import re
from xml.sax.saxutils import escape, quoteattr

import pytest
import sacrebleu
from sacrebleu.dataset.fake_sgml import FakeSGMLDataset
from sacrebleu.dataset.wmt_xml import WMTXMLDataset

import tercet
from commands import command
from tercet.errors import InputError
from tercet.files.read import read_table
from tercet.test_sets.read import read_test_sets

SOURCES = {
    "zeit.de/1": ["Der Hafen ist ruhig.", "Das Boot & die Fähre segeln."],
    "naver 2": ["Es regnet <heute>.", "Fünf Schiffe kommen.", "Die Möwe schreit."],
}
ANNA = {
    "zeit.de/1": ["港は今日静かです。", "The boat & the ferry are sailing."],
    "naver 2": ["It is raining <today>.", "Five ships are coming.", "The gull cries."],
}
BEN = {"zeit.de/1": ["The port is quiet today, too.", "The boat and the ferry sail."]}
ONLINE = {
    "zeit.de/1": ["The harbour is quiet today.", "The boat & the ferry sail."],
    "naver 2": ["It rains <today>.", "Five ships are coming here.", "A gull cries."],
}
TILDE = {
    "zeit.de/1": ["The haven is calm.", "Boat & ferry are sailing."],
    "naver 2": ["It is raining now.", "5 ships come.", ""],
}


def side(tag, attributes, texts):
    segments = "\n".join(f'<seg id="{number}">{escape(text)}</seg>' for number, text in enumerate(texts, 1))
    return f"<{tag} {attributes}>\n<p>\n{segments}\n</p>\n</{tag}>\n"


def document(name, sides, attributes='origlang="de"'):
    return f"<doc id={quoteattr(name)} {attributes}>\n{''.join(sides)}</doc>\n"


def sides_of(name):
    sides = [side("src", 'lang="de"', SOURCES[name]), side("ref", 'lang="en" translator="anna"', ANNA[name])]
    if name in BEN:
        sides.append(side("ref", 'lang="en" translator="ben"', BEN[name]))
    systems = {"online-A": ONLINE, "Tilde": TILDE}
    return sides + [side("hyp", f'lang="en" system="{system}"', texts[name]) for system, texts in systems.items()]


def dataset(documents):
    head = '<?xml version="1.0" encoding="UTF-8"?>\n<dataset id="boats">\n<collection id="general">\n'
    return f"{head}{''.join(documents)}</collection>\n</dataset>\n"


WHOLE = dataset(document(name, sides_of(name), 'origlang="de" domain="news"') for name in SOURCES)


def sgm(kind, texts, system, end="</seg>"):
    """Return a file of one side as WMT had it up to 2020."""
    lines = [f'<{kind} setid="boats" srclang="any" trglang="en">']
    for name, of_document in texts.items():
        lines.append(f'<DOC sysid="{system}" docid="{name}" genre="news" origlang="de">\n<p>')
        lines += [f'<seg id="{number}"> {escape(text)} {end}' for number, text in enumerate(of_document, 1)]
        lines.append("</p>\n</DOC>")
    return "\n".join([*lines, f"</{kind}>\n"])


def flat(texts):
    return [text for of_document in texts.values() for text in of_document]


def written(path, content):
    path.write_text(content, encoding="utf-8")
    return path


def test_one_file_has_all_sides(tmp_path):
    path = written(tmp_path / "boats.en.xml", WHOLE)
    (test_set,) = read_test_sets(path)
    # sacrebleu reads the same file.
    theirs = WMTXMLDataset._unwrap_wmt21_or_later(str(path))
    assert test_set.systems == {"online-A": flat(ONLINE), "Tilde": flat(TILDE)}
    assert test_set.systems == {name: theirs[name] for name in test_set.systems}
    assert test_set.source == flat(SOURCES) == theirs["src"]
    assert test_set.references == [
        [text for text in texts if text] for texts in zip(theirs["ref:anna"], theirs["ref:ben"], strict=True)
    ]
    assert test_set.own_columns["doc"] == theirs["docid"]
    assert test_set.own_columns["id"] == ["zeit.de/1 1", "zeit.de/1 2", "naver 2 1", "naver 2 2", "naver 2 3"]
    assert test_set.own_columns["domain"] == theirs["domain"] == ["news"] * 5
    assert "--cluster doc" in test_set.hint or "cluster='doc'" in test_set.hint


def test_scores_are_those_of_the_plain_texts(tmp_path):
    path = written(tmp_path / "boats.xml", WHOLE)
    (test_set,) = read_test_sets(path, reference_columns="ref:anna")
    comparison = tercet.compare(test_set, ["bleu", "chrf"])
    for system, texts in {"online-A": flat(ONLINE), "Tilde": flat(TILDE)}.items():
        for table, score in zip(comparison.tables, (sacrebleu.corpus_bleu, sacrebleu.corpus_chrf), strict=True):
            (value,) = [row.value for row in table.rows if row.system == system]
            assert value == pytest.approx(score(texts, [flat(ANNA)]).score, abs=1e-9)


def test_a_translator_may_be_a_system(tmp_path):
    path = written(tmp_path / "boats.xml", dataset([document("zeit.de/1", sides_of("zeit.de/1"))]))
    (test_set,) = read_test_sets(path, systems=["ref:ben", "Tilde"])
    assert test_set.systems == {"ref:ben": BEN["zeit.de/1"], "Tilde": TILDE["zeit.de/1"]}
    assert test_set.references == [[text] for text in ANNA["zeit.de/1"]]


def test_what_a_translator_did_not_translate_is_left_out_or_empty(tmp_path):
    path = written(tmp_path / "boats.xml", WHOLE)
    lacks = r"boats\.xml: 'ref:ben' lacks 3 of the 5 segments, the first on line 39"
    with pytest.warns(UserWarning, match=f"{lacks}: left out for every system"):
        (test_set,) = read_test_sets(path, systems=["ref:ben", "Tilde"])
    assert test_set.systems == {"ref:ben": BEN["zeit.de/1"], "Tilde": TILDE["zeit.de/1"]}
    assert test_set.source == SOURCES["zeit.de/1"]
    assert test_set.lost == {"ref:ben": {"missing": 3}}
    assert test_set.n_all == 5
    assert test_set.own_columns["domain"] == ["news", "news"]
    with pytest.warns(UserWarning, match=f"{lacks}: scored as empty texts"):
        (test_set,) = read_test_sets(path, systems=["ref:ben", "Tilde"], missing="empty")
    assert test_set.systems == {"ref:ben": [*BEN["zeit.de/1"], "", "", ""], "Tilde": flat(TILDE)}
    with pytest.raises(InputError, match=f"{lacks}. Expected all of them"):
        read_test_sets(path, systems=["ref:ben", "Tilde"], missing="error")


def test_segments_of_test_suites_have_no_reference(tmp_path):
    suite = [side("src", 'lang="de"', ["Sie ist Ärztin."]), side("hyp", 'lang="en" system="Tilde"', ["She heals."])]
    suite.append(side("hyp", 'lang="en" system="online-A"', ["He heals."]))
    documents = [
        document("suite", suite, 'origlang="de" testsuite="gender"'),
        document("naver 2", sides_of("naver 2")),
    ]
    path = written(tmp_path / "boats.xml", dataset(documents))
    with pytest.warns(UserWarning, match="1 of 4 segments have no reference, 1 of them in test suites, .* line 7"):
        (test_set,) = read_test_sets(path)
    assert test_set.source == WMTXMLDataset._unwrap_wmt21_or_later(str(path))["src"] == SOURCES["naver 2"]


def test_files_of_one_side_are_joined_by_document_and_segment(tmp_path):
    """The systems need not have the order of the references, nor well-formed tags."""
    reverse = dict(reversed(TILDE.items()))
    online = written(tmp_path / "online.sgm", sgm("tstset", ONLINE, "online-A", end=""))
    tilde = written(tmp_path / "tilde.sgm", sgm("tstset", reverse, "Tilde"))
    references = written(tmp_path / "ref.sgm", sgm("refset", ANNA, "ref"))
    sources = written(tmp_path / "src.sgm.gz", "")
    sources.write_bytes(gzip.compress(sgm("srcset", SOURCES, "").encode()))
    (test_set,) = read_test_sets([online, tilde], references=references, source=sources)
    assert test_set.systems == {"online": flat(ONLINE), "tilde": flat(TILDE)}
    assert test_set.references == [[text] for text in flat(ANNA)]
    assert test_set.source == flat(SOURCES)


def test_sgm_scores_as_sacrebleu_reads_it(tmp_path):
    """sacrebleu leaves entities as they are, which its tokenizer reads."""
    texts = {}
    for name, content in {"tst": sgm("tstset", ONLINE, "A"), "ref": sgm("refset", ANNA, "ref")}.items():
        path = written(tmp_path / f"{name}.sgm", content)
        FakeSGMLDataset("boats")._convert_format(str(path), str(tmp_path / f"{name}.txt"))
        texts[name] = (tmp_path / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    (test_set,) = read_test_sets(tmp_path / "tst.sgm", references=tmp_path / "ref.sgm")
    assert list(test_set.systems) == ["A"]
    value = tercet.compare(test_set, "bleu").tables[0].rows[0].value
    assert value == pytest.approx(sacrebleu.corpus_bleu(texts["tst"], [texts["ref"]]).score, abs=1e-9)


def test_a_system_in_another_language_may_be_misspelled(tmp_path):
    """As in files that WMT published."""
    sides = [side("ref", 'lang="liv"', ["Laev um"]), side("hyp", 'lang="iv" system="x"', ["Laev"])]
    path = written(tmp_path / "boats.xml", dataset([document("d", sides), document("e", sides)]))
    with pytest.warns(UserWarning, match=r"line 10: a system is in 'iv', and references in 'liv'\.$"):
        (test_set,) = read_test_sets(path)
    assert test_set.systems == {"x": ["Laev"] * 2}


def test_a_system_alone_needs_its_references(tmp_path):
    written(tmp_path / "a.sgm", sgm("tstset", ONLINE, "A"))
    error = command("score", "a.sgm", cwd=tmp_path, code=2).stderr
    assert "no column was recognized as references" in error
    assert error.endswith(" Or give the file of the references, too (--references).\n")


def test_segments_that_a_file_of_references_lacks_are_not_scored(tmp_path):
    """As those of test suites in the XML of a system, which has the source too."""
    ours, theirs = [], []
    for name, suite in (("zeit.de/1", ""), ("naver 2", ' testsuite="birds"')):
        source = side("src", 'lang="de"', SOURCES[name])
        ours.append(document(name, [source, side("hyp", 'lang="en" system="A"', ONLINE[name])]))
        reference = [] if suite else [side("ref", 'lang="en"', ANNA[name])]
        theirs.append(document(name, [source, *reference], f'origlang="de"{suite}'))
    written(tmp_path / "a.xml", dataset(ours))
    written(tmp_path / "ref.xml", dataset(theirs))
    with pytest.warns(UserWarning, match="have no reference|have no row"):
        (test_set,) = read_test_sets(tmp_path / "a.xml", references=tmp_path / "ref.xml")
    messages = " ".join(test_set.warnings)
    assert "ref.xml: 3 of 5 segments have no reference, 3 of them in test suites" in messages
    assert "a.xml: 3 of 5 ids have no row in" in messages
    assert test_set.systems == {"A": ONLINE["zeit.de/1"]}
    assert test_set.references == [[text] for text in ANNA["zeit.de/1"]]


def test_a_file_of_references_may_have_several_translators(tmp_path):
    both = sgm("refset", ANNA, "anna").replace("</refset>", "") + sgm("refset", BEN, "ben").partition("\n")[2]
    references = written(tmp_path / "ref.sgml", both)
    online = written(tmp_path / "a.sgml", sgm("tstset", ONLINE, "A"))
    (test_set,) = read_test_sets(online, references=references)
    assert test_set.references[:2] == [list(texts) for texts in zip(ANNA["zeit.de/1"], BEN["zeit.de/1"], strict=True)]
    assert test_set.references[2:] == [[text] for text in ANNA["naver 2"]]


def test_mteval_xml_names_the_system_once(tmp_path):
    doctype = '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE mteval SYSTEM "mteval-xml-v1.3.dtd">\n<mteval>\n'
    for name, attributes, tag, text in (
        ("tst", 'sysid="Möwe"', "tstset", "Πέντε &#60;πλοία&gt; &quot;"),
        ("ref", 'refid="r1"', "refset", "Πέντε πλοία"),
    ):
        segment = f'<doc docid="d"><p><seg id="1">\n  {text}\n  έρχονται. </seg></p></doc>'
        written(tmp_path / f"{name}.xml", f'{doctype}<{tag} setid="x" {attributes}>{segment}</{tag}></mteval>')
    (test_set,) = read_test_sets(tmp_path / "tst.xml", references=tmp_path / "ref.xml")
    assert test_set.systems == {"Möwe": ['Πέντε <πλοία> " έρχονται.']}
    assert test_set.references == [["Πέντε πλοία έρχονται."]]


def test_in_sgm_an_ampersand_and_a_bracket_may_stand_for_themselves(tmp_path):
    text = "R&D &copy 3 < 4 <b>x</b> &#0; &#x41; A &amp;lt; B"
    for name, tag in (("a", "tstset"), ("b", "refset")):
        written(tmp_path / f"{name}.sgm", f'<{tag} setid="x"><doc docid="d"><seg>{text}</seg></doc></{tag}>')
    (test_set,) = read_test_sets(tmp_path / "a.sgm", references=tmp_path / "b.sgm")
    assert test_set.systems == {"hyp": ["R&D &copy 3 < 4 <b>x</b> &#0; &#x41; A &lt; B"]}


def test_read_shows_the_roles_and_the_whole_command(tmp_path):
    written(tmp_path / "boats.xml", WHOLE)
    shown = command("read", "boats.xml", cwd=tmp_path).stdout
    assert re.search(r"ref:ben +reference +the file says", shown)
    assert re.search(r"doc +left out +names the document", shown)
    assert "5 segments of online-A and Tilde; 1 to 2 references each." in shown
    assert (
        "tercet compare boats.xml --system online-A --system Tilde --reference-column ref:anna "
        "--reference-column ref:ben --source-column source"
    ) in shown


WHOLE_OF_ONE = dataset([document("d", [side("ref", 'lang="en"', ["a"]), side("hyp", 'lang="en" system="x"', ["b"])])])
APART = dataset([document(name, [side("ref", "", ["a"]), side("hyp", f'system="{name}"', ["b"])]) for name in "de"])
BAD = {
    "no segment of all": (APART, "no segment has a text of each of 'd', 'e'; name fewer: systems"),
    "two languages": (
        dataset([document("d", [side("ref", f'lang="{code}" translator="{code}"', ["a"]) for code in ("en", "is")])]),
        r"line \d+: found a reference in 'is' after one in 'en'; expected one pair of languages",
    ),
    "a segment twice": (
        dataset([document("d", [side("ref", 'lang="en"', ["a"])] * 2)]),
        r"line \d+: segment '1' of the document 'd' occurs again in 'ref'; expected it once",
    ),
    "no segment": (dataset([]), r"is empty; expected segments \(<seg>\)"),
    "a segment alone": ("<dataset><seg>a</seg></dataset>", "line 1: found a <seg> outside of a source"),
    "other XML": ("<?xml version='1.0'?><resources/>", "is XML, judging by its content"),
    "XLIFF": ('<?xml version="1.0"?>\n<xliff version="1.2"/>', r"is XLIFF.*let its name end in \.xlf"),
    "no XML": ("Der Hafen\n", "found no element; expected a test set, of <dataset>, <mteval>"),
    "malformed": ("<dataset><doc></dataset>", "line 1: malformed XML"),
    "no reference": (WHOLE_OF_ONE.replace(">a<", "><"), "no segment has a text of a reference"),
    "entities": (
        '<?xml version="1.0"?>\n<!DOCTYPE dataset [<!ENTITY a "b">]>\n<dataset>&a;</dataset>',
        "declares the entity 'a', which is refused",
    ),
    "another file": (
        '<!DOCTYPE dataset [<!ENTITY a SYSTEM "file:///etc/passwd">]>\n<dataset>&a;</dataset>',
        "declares the entity 'a', which is refused",
    ),
    "deep": (f"<dataset>{'<p>' * 300}", "nested more than 200 deep"),
}


@pytest.mark.parametrize(("content", "message"), BAD.values(), ids=BAD)
def test_what_is_wrong_is_said(content, message, tmp_path):
    path = written(tmp_path / "bad.xml", content)
    with pytest.raises(InputError, match=f"bad\\.xml.*{message}"):
        read_test_sets(path)


def test_texts_named_as_such_are_told_to_change_their_name(tmp_path):
    written(tmp_path / "a.txt", WHOLE)
    with pytest.raises(InputError, match=r"an XML file of a test set.*let its name end in \.xml"):
        read_test_sets(tmp_path / "a.txt", references=tmp_path / "a.txt")


@pytest.mark.parametrize("content", ["<!--a-->" * 5000, "<!doctype a[]>" * 3000, "<!doctype [" * 5000])
def test_what_never_begins_is_refused_in_no_time(content, tmp_path):
    with pytest.raises(InputError, match="found no element"):
        read_test_sets(written(tmp_path / "a.sgm", content))


@pytest.mark.parametrize(
    "inside", [" " * 300_000, "\n" * 300_000, "<seg" * 100_000, "&#" * 100_000, "<p " + "a" * 300_000]
)
def test_time_goes_with_the_length(inside, tmp_path):
    content = f'<refset setid="x"><doc docid="d"><seg id="1">a{inside}b</seg><seg id="2">c</seg></doc></refset>'
    table = read_table(written(tmp_path / "a.sgm", content))
    assert table.columns["ref"][0].startswith("a")
    assert table.columns["ref"][1] == "c"
