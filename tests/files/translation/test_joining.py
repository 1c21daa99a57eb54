"""Translation memories of systems and of references: joined by source text; what cannot be is counted or refused."""

import unicodedata
from xml.sax.saxutils import escape, quoteattr

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tercet
from commands import command
from tercet.errors import InputError

SOURCES = ["Open the file.", "Close", "Сохранить", "猫が好き", "Close"]
HUMAN = ["Öffnen Sie die Datei.", "Schließen", "Speichern", "Ich mag Katzen", "Zumachen"]
ENGINE = ["Datei öffnen.", "Zu", "Sichern", "Katzen mag ich", "Zumachen"]


def save(path, units, source_language="en"):
    """Write a memory of units, each of texts (language, text) or (language, text, author)."""
    body = ""
    for unit in units:
        tuvs = (
            f"<tuv xml:lang={quoteattr(language)}{f' creationid={quoteattr(*author)}' if author else ''}>"
            f"<seg>{escape(text)}</seg></tuv>"
            for language, text, *author in unit
        )
        body += f"<tu>{''.join(tuvs)}</tu>\n"
    path.write_text(f'<tmx version="1.4"><header srclang="{source_language}"/><body>\n{body}</body></tmx>')
    return path


def pairs(sources, texts, languages=("en", "de")):
    return [list(zip(languages, pair, strict=True)) for pair in zip(sources, texts, strict=True)]


@pytest.fixture
def human(tmp_path):
    return save(tmp_path / "human.tmx", pairs(SOURCES, HUMAN))


@pytest.fixture
def engine(tmp_path):
    return save(tmp_path / "engine.tmx", pairs(SOURCES, ENGINE))


def read(paths, references, **options):
    (found,) = tercet.read_test_sets(paths, references=references, **options)
    return found


def test_exports_of_two_engines_are_compared_in_one_line(tmp_path, human, engine):
    copy = save(tmp_path / "copy.tmx", pairs(SOURCES, HUMAN))
    run = command("compare", "engine.tmx", "copy.tmx", "-r", "human.tmx", "-m", "chrf", "-q", cwd=tmp_path)
    assert "engine" in run.stdout
    assert "100.00" in run.stdout
    found = read([engine, copy], human)
    assert (found.name, found.systems) == ("human", {"engine": ENGINE, "copy": HUMAN})
    assert (found.source, found.references) == (SOURCES, [[text] for text in HUMAN])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25)
@given(order=st.permutations(range(4)), pad=st.sampled_from(["", " ", "\n"]))
def test_neither_order_nor_white_space_nor_composition_matters(tmp_path, human, order, pad):
    """Nor the region of a language; "Close", which is there twice, keeps its order."""
    units = pairs([unicodedata.normalize("NFD", each) + pad for each in SOURCES], ENGINE, ("en-US", "DE_de"))
    engine = save(tmp_path / "engine.tmx", [units[place] for place in order] + units[4:])
    assert read(engine, human).systems == {"engine": ENGINE}


def test_what_is_missing_is_left_out_for_all_systems_and_counted(tmp_path, human, engine):
    part = save(tmp_path / "part.tmx", pairs(["open the file.", *SOURCES[1:], "More"], [*ENGINE, "Mehr"]))
    with pytest.warns(UserWarning, match="source texts") as caught:
        found = read([engine, part], human)
    assert found.systems == {"engine": ENGINE[1:], "part": ENGINE[1:]}
    lacks, further = (str(each.message) for each in caught)
    assert "part.tmx lacks 1 of the 5 source texts of " in lacks
    assert "the first on line 2, 'Open the file.' (1 of them it has in other upper and lower case): left out" in lacks
    assert (found.lost, found.n_all) == ({"part": {"missing": 1}}, 5)
    assert "2 source texts have no unit in 'en' and 'de' in" in further


def test_a_translation_in_another_variant_of_the_language_is_named_as_such(tmp_path, human):
    """The file has the source text, so that it lacks it would be false."""
    units = pairs(SOURCES, ENGINE)
    units[0] = [("en", SOURCES[0]), ("de-AT", "Oeffne sie")]
    units[2] = [("en-GB", SOURCES[2]), ("de", ENGINE[2])]
    mixed = save(tmp_path / "mixed.tmx", units)
    known = r"\(2 of them it has in a variant that is not read, such as 'de-AT'\): left out for every system"
    with pytest.warns(UserWarning, match=rf"mixed\.tmx lacks 2 of the 5 .*human\.tmx, the first on line 2.* {known}"):
        assert read(mixed, human).systems == {"mixed": [ENGINE[1], *ENGINE[3:]]}
    further = r"2 source texts have no .* in .*mixed\.tmx \(2 of them it has in a .* 'de-AT'\), .*: not sc"
    with pytest.warns(UserWarning, match=rf"human\.tmx: {further}"):
        assert len(read(human, mixed, reference_columns="de", source_column="en").references) == 3


def test_variants_that_are_languages_of_their_own(tmp_path):
    """From American to British spelling: a text in one of the two alone has no translation in another variant."""
    us, gb = ["color", "gray", "fall"], ["colour", "grey", "autumn"]
    whole = save(tmp_path / "whole.tmx", pairs(us, gb, ("en-US", "en-GB")), "en-US")
    part = save(tmp_path / "part.tmx", [*pairs(us[:2], gb[:2], ("en-US", "en-GB")), [("en-US", "fall")]], "en-US")
    with pytest.warns(
        UserWarning, match=r"lacks 1 of the 3 source texts of \S+, the first on line 4, 'fall': left out"
    ):
        assert read(part, whole).systems == {"part": gb[:2]}


@pytest.mark.parametrize("texts", [["Zu"], ["Zu", "Zu", "Zu"], ["Zu", "Zumachen", "Ende"]], ids=len)
def test_translations_that_differ_need_as_many_on_the_other_side(texts, tmp_path, human):
    """The references have "Close" twice, with two translations: whose the one of a system is, nothing tells."""
    sources = ["Open the file.", *["Close"] * len(texts), *SOURCES[2:4]]
    engine = save(tmp_path / "engine.tmx", pairs(sources, [ENGINE[0], *texts, *ENGINE[2:4]]))
    times = r"the first on line 3, 'Close' \(2 of them it has more or less often, with different translations\): left"
    with pytest.warns(UserWarning, match=rf"engine\.tmx lacks 2 of the 5 source texts of .*human\.tmx, {times} out"):
        assert read(engine, human).systems == {"engine": [ENGINE[0], *ENGINE[2:4]]}
    with pytest.warns(UserWarning, match=r"human\.tmx lacks .* more or less often, with different translations"):
        assert read(human, engine).source == [SOURCES[0], *SOURCES[2:4]]


def test_a_source_text_is_joined_any_number_of_times_where_its_translations_are_the_same(tmp_path):
    twice = save(tmp_path / "twice.tmx", pairs(["Close", "Open", "Close"], ["Zu", "Auf", "Zu"]))
    once = save(tmp_path / "once.tmx", pairs(["Open", "Close"], ["Öffnen", "Schließen"]))
    assert read(once, twice).systems == {"once": ["Schließen", "Öffnen", "Schließen"]}
    assert read(twice, once).systems == {"twice": ["Auf", "Zu"]}


def test_several_references(tmp_path, human, engine):
    second = save(tmp_path / "second.tmx", pairs(SOURCES[2:4], ["Abspeichern", "Katzen liebe ich"]))
    with pytest.warns(UserWarning, match=r"lacks 3 of the 5 .*: these segments have one reference fewer"):
        found = read(engine, [human, second])
    assert found.references[1:3] == [["Schließen"], ["Speichern", "Abspeichern"]]


class TestVariants:
    @pytest.fixture
    def memory(self, tmp_path):
        units = [
            [("en", source), ("de", one, "DeepL"), ("de", two, "own"), ("de", three, "ann")]
            for source, one, two, three in zip(SOURCES, ENGINE, HUMAN[::-1], HUMAN, strict=True)
        ]
        units[1][1:] = units[1][:0:-1]  # their order tells nothing
        return save(tmp_path / "all.tmx", units)

    def test_each_author_is_a_system(self, memory):
        (found,) = tercet.read_test_sets(memory, reference_columns="de ann", source_column="en")
        assert found.systems == {"de DeepL": ENGINE, "de own": HUMAN[::-1]}
        assert (found.references, found.source) == ([[text] for text in HUMAN], SOURCES)

    def test_beside_a_memory_of_references(self, memory, human):
        found = read(memory, human)
        assert found.systems == {"all de DeepL": ENGINE, "all de own": HUMAN[::-1], "all de ann": HUMAN}

    def test_authors_may_be_numbers(self, tmp_path, human):
        """As user ids are; `de 2` is also what the second text is called that nobody signed."""
        pairs_of_authors = zip(SOURCES, HUMAN, ENGINE, strict=True)
        units = [[("en", source), ("de", one, "1"), ("de", other, "2")] for source, one, other in pairs_of_authors]
        path = save(tmp_path / "mt.tmx", units)
        assert read(path, human).systems == {"mt de 1": HUMAN, "mt de 2": ENGINE}

    def test_texts_that_nobody_signed_are_refused_as_systems(self, tmp_path, human):
        path = save(tmp_path / "mt.tmx", [[("en", "Close"), ("de", "Zu"), ("de", "Ende")]])
        with pytest.raises(InputError, match=r"mt\.tmx, line 2: two translations in 'de'; .*creationid"):
            read(path, human)


class TestRefusals:
    def test_nothing_in_common(self, tmp_path, human):
        other = save(tmp_path / "other.tmx", pairs(["x"], ["y"]))
        with pytest.raises(InputError, match=r"No source text in 'en' of .*human\.tmx'"):
            read(other, human)

    def test_a_file_in_two_roles_by_any_path(self, tmp_path, human):
        link = tmp_path / "link.tmx"
        link.symlink_to(human)
        with pytest.raises(InputError, match=r"human\.tmx' as references: they are the same file"):
            read(link, human)
        with pytest.raises(InputError, match=r"as another test set: they are the same file"):
            tercet.read_test_sets([human, link], reference_columns="de", systems="en")

    def test_languages_that_are_not_named(self, tmp_path):
        units = [[("en", "a"), ("de", "b"), ("fr", "c")]]
        path, other = save(tmp_path / "a.tmx", units, "*all*"), save(tmp_path / "b.tmx", units)
        message = r"texts in 'en', 'de', 'fr'; name the language, the translations' .* and"
        with pytest.raises(InputError, match=message):
            read(other, path)
        assert read(other, path, reference_columns="fr", source_column="en").systems == {"b": ["c"]}
        with pytest.raises(InputError, match=r"name at most one language"):
            read(other, path, systems="de")

    def test_a_memory_alone_says_what_to_do(self, human):
        with pytest.raises(InputError, match=r"Or give a TMX file for each system, and one with the refe"):
            tercet.read_test_sets(human)
