"""The names of a table's columns -> their roles: sources, references, systems."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import chain
from typing import Any

from tercet.engine.kinds import UNSPACED

from .table import Log, Roles, Table

# A name is judged by its words, without numbers, single letters ("ref A") and these words.
_FILLERS = frozenset({"text", "texts", "sentence", "sentences", "segment", "segments", "string", "strings"})

# One of these anywhere, and the column is about the texts: "source_lang", "mt_score", "doc_id".
_ABOUT = frozenset({
    "id", "ids", "docid", "segid", "index", "name", "names", "lang", "langs", "language", "languages", "lp", "locale",
    "score", "scores", "rating", "ratings", "rank", "domain", "genre", "dataset", "split", "date", "time", "url",
    "annotator", "rater", "length", "count", "comment", "comments", "note", "notes", "remark", "remarks", "feedback",
    "error", "errors", "hash", "sha", "uuid", "guid", "timestamp", "category", "categories", "tags", "metadata",
    "contexts", "justification",
})  # fmt: skip
# The whole name, without what is between its words.
_DOCUMENTS = frozenset({"docid", "documentid", "docname", "documentname", "dokumentid"})
# One of these first: "reference_summary", "gold_output", "human_translation".
_REFERENCES = frozenset({
    "ref", "refs", "reference", "references", "gold", "golden", "human", "expected", "truth", "ground",
})  # fmt: skip
# One of these anywhere: "mt", "system_summary", "target_mt".
_SYSTEMS = frozenset({
    "prediction", "predictions", "predicted", "pred", "preds", "candidate", "candidates", "cand", "hypothesis",
    "hypotheses", "hyp", "hyps", "mt", "system", "systems", "sys", "output", "outputs", "generated", "generation",
    "decoded", "model", "response",
})  # fmt: skip
# One of these first: "target_text", "source_document".
_TARGETS = frozenset({"target", "targets", "tgt", "label", "labels"})
_SOURCES = frozenset({"source", "sources", "src", "input", "inputs"})
# Only one of these: "summary" is a reference, "summary_pegasus" a system.
_BARE_REFERENCES = frozenset({"summary", "summaries", "highlights", "abstract", "answer", "answers"})
_BARE_SOURCES = frozenset({
    "text", "document", "documents", "doc", "article", "articles", "dialogue", "question", "mr", "passage",
    "instruction", "instructions", "original",
})  # fmt: skip
# The whole name: "prompt" is a source, "prompt_v2" the system with that prompt.
_WHOLE_SOURCES = frozenset({"prompt", "prompts", "user_input"})

# Names that say one role alone.
_CLEAR_REFERENCES = frozenset({"ref", "refs", "reference", "references"})
_CLEAR_SOURCES = frozenset({"source", "sources", "src"})
_CLEAR_SYSTEMS = frozenset({
    "prediction", "predictions", "pred", "preds", "hypothesis", "hypotheses", "hyp", "hyps", "mt", "candidate",
    "candidates",
})  # fmt: skip

#: What a column holds that is no system.
CODES = "holds numbers, dates, ids or hashes"
EMPTY = "is empty in every row"
_NO_TEXT = "has values that are not text"
_UNRELATED = "hardly shares a word with the references"
_CONSTANT = "has the same text in every row"
# A number, a date, an id, a hash or an address.
_CODE = re.compile(r"[\d\s:.,/+-]*\d[\d\s:.,/+-]*|[A-Za-z0-9_.:/#-]*\d[A-Za-z0-9_.:/#-]*|[a-z]+://\S+")


def _folded(text: str) -> str:
    """Return a text in lower case, without accents."""
    signs = unicodedata.normalize("NFKD", text.casefold())
    return "".join(sign for sign in signs if not unicodedata.combining(sign))


def _words(text: str) -> frozenset[str]:
    return frozenset(_folded(text).split())


# Words of the languages that `guess_roles` names. They count anywhere in a name:
# "traduction de référence", "текст оригинала".
_OTHER_FILLERS = _words("""
    satz sätze texte textes phrase phrases segmente texto textos frase frases oración segmento segmentos testo testi
    текст тексты предложение сегмент de du des la le el del da do di der die das
""")
_OTHER_ABOUT = _words("""
    sprache bewertung note punktzahl langue langues évaluation idioma puntuación nota língua pontuação lingua
    punteggio язык оценка балл номер комментарий
    bemerkung bemerkungen anmerkung anmerkungen hinweis hinweise rückmeldung fachgebiet sachgebiet themengebiet
    remarque remarques observación observaciones observação observações osservazione osservazioni opmerking
    opmerkingen примечание примечания замечание замечания コメント 비고 ملاحظات
    kommentar kommentare commentaire commentaires comentario comentarios comentário 备注
    语言 评分 得分 分数 编号 序号 言語 評価 番号
""")
_OTHER_REFERENCES = _words("""
    referenz referenzen referenztext referenzübersetzung musterübersetzung référence références referencia referencias
    referência referências riferimento riferimenti эталон эталона эталонный эталоны референс референсы
    参考 参考译文 参考翻译 参考文本 参考答案 参考句 人工译文 人工翻译 标准译文 标准答案 參考譯文 參考 参照
    参照訳 参照文 参考訳 正解 正解訳 正解文 참조 참조번역 참고 참고번역 정답 referentie referenties المرجع مرجع
""")
_OTHER_SYSTEMS = _words("""
    ausgabe ausgaben systemausgabe hypothese vorhersage sortie sorties hypothèse prédiction salida salidas hipótesis
    predicción saída saídas hipótese predição uscita ipotesi predizione вывод выход гипотеза перевод предсказание
    译文 机器译文 机器翻译 系统输出 系统译文 模型输出 输出 預測 预测 譯文 出力 システム出力 システム訳 機械翻訳 予測
    출력 번역 기계번역 예측 uitvoer voorspelling المخرجات الترجمة
""")
_OTHER_SOURCES = _words("""
    quelle quellen quelltext quellsatz ausgangstext ausgangssatz fuente origen fonte origem origine sorgente
    источник оригинал оригинала исходник исходный 原文 原句 源文 源文本 源句 源语句 原文本 入力文 原稿
    originaltext 源语言 原始文本 ソース 원문 원본 bron brontekst النص المصدر
""")


def guess_roles(table: Table, references: Sequence[str] = ()) -> Roles:
    """Guess the roles of the columns from their names, in any case, with numbers or letters after them.

    Names are English, or common ones of German, French, Spanish, Portuguese, Italian, Dutch, Russian, Arabic,
    Chinese, Japanese or Korean. Only columns of text have a role: not those of numbers, of other JSON values, or
    without any text. References may be lists of texts too. What is neither source, reference nor a word about the
    texts (an id, a language, a score) is a system: a file may have any number of them, under their own names. But
    where several columns would be systems, those of ids, dates or hashes are none, nor those that hardly share a
    word with the references as others do, nor those without any text: ``left_out`` says so. The columns of a log have
    the roles that its format gives them. `references` are columns whose role is known.
    """
    if isinstance(table, Log):
        return table.roles
    roles = {name: role_of(name) for name in table.columns} | dict.fromkeys(references, "reference")
    lacks = {name: lack(cells) for name, cells in table.columns.items()}
    texts = [name for name, reason in lacks.items() if not reason]
    targets = tuple(
        name
        for name, cells in table.columns.items()
        if roles[name] == "reference" and not (lacks[name] and lack(_within(cells)))
    )
    sources, systems = (tuple(name for name in texts if roles[name] == role) for role in ("source", "system"))
    left_out = _left_out({name: table.columns[name] for name in systems}, _lists(table, references or targets))
    systems = tuple(name for name in systems if name not in left_out)
    left_out |= {
        name: reason
        for name, reason in lacks.items()
        if reason and roles[name] == "system" and _is_missed(table.columns[name], reason)
    }
    return Roles(sources[0] if sources else None, targets, systems, left_out)


def _lists(table: Table, references: Sequence[str]) -> list[list[str]]:
    """Return the texts of each row's references."""
    cells = [[_within([table.columns[name][row]]) for name in references] for row in range(len(table.lines))]
    return [[text for texts in row for text in texts if isinstance(text, str) and text] for row in cells]


def _left_out(columns: dict[str, list[Any]], references: Sequence[Sequence[str]]) -> dict[str, str]:
    """Return which of several columns are no systems, with what they hold; those of a single candidate are none."""
    left_out: dict[str, str] = {}
    texts = list(chain.from_iterable(references))
    if not texts or not _are_codes(texts):
        codes = [name for name, cells in columns.items() if _are_codes(cells)]
        if len(codes) < len(columns):
            left_out = dict.fromkeys(codes, CODES)
    columns = {name: cells for name, cells in columns.items() if name not in left_out}
    if texts:
        return left_out | dict.fromkeys(unrelated(columns, references), _UNRELATED)
    constant = [name for name, cells in columns.items() if len(cells) >= LEAST_ROWS and len(set(cells)) == 1]
    return left_out | dict.fromkeys(constant, _CONSTANT) if len(constant) < len(columns) else left_out


def role_of(name: str) -> str:
    """Return the role that the name of a column suggests: source, reference, system, or about."""
    parts, words = _words_of(name)
    if not words:
        return "system"
    bare = words[0] if len(words) == 1 else None
    if (_ABOUT | _OTHER_ABOUT).intersection(words):
        return "about"
    if words[0] in _REFERENCES or _OTHER_REFERENCES.intersection(words):
        return "reference"
    if (_SYSTEMS | _OTHER_SYSTEMS).intersection(words):
        return "system"
    if words[0] in _TARGETS or bare in _BARE_REFERENCES:
        return "reference"
    if parts in _WHOLE_SOURCES or words[0] in _SOURCES or bare in _BARE_SOURCES or _OTHER_SOURCES.intersection(words):
        return "source"
    return "system"


def document_column(table: Table) -> str | None:
    """Return the first column whose name says that it names documents, if some document has several rows."""
    for name, cells in table.columns.items():
        _, words = _words_of(name)
        names_documents = "".join(words) in _DOCUMENTS and all(
            isinstance(cell, str | int) and cell != "" for cell in cells
        )
        if names_documents and 1 < len(set(cells)) < len(cells):
            return name
    return None


def clear_role(name: str) -> str:
    """Return the only role that a column or file of this name has, or "" where it may have another.

    A "summary" may be a reference or a system's, "human" a system too; a "ref" or "source" is what it says.
    """
    _, words = _words_of(name)
    if not words or (_ABOUT | _OTHER_ABOUT).intersection(words):
        return ""
    if (_CLEAR_REFERENCES | _OTHER_REFERENCES).intersection(words):
        return "reference"
    if words[0] in _CLEAR_SOURCES or "src" in words or _OTHER_SOURCES.intersection(words):
        return "source"
    return "system" if words[0] in _CLEAR_SYSTEMS else ""


def _words_of(name: str) -> tuple[str, list[str]]:
    """Return a name in lower case, and the words by which it is judged."""
    parts = _folded(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name))
    all_words = re.findall(r"[^\W\d_]+", parts)
    fillers = _FILLERS | _OTHER_FILLERS
    return parts, [word for word in all_words if len(word) > 1 and word not in fillers] or all_words[:1]


def lack(cells: Iterable[Any]) -> str:
    """Return why a column is none of texts; "" where its cells are texts or None, and one of them no number."""
    values = [cell for cell in cells if cell is not None and cell != ""]
    if not values:
        return EMPTY
    if not all(isinstance(cell, str) for cell in values):
        return _NO_TEXT
    return CODES if all(map(_is_number, values)) else ""


def _is_missed(cells: Iterable[Any], reason: str) -> bool:
    """Return whether a column without texts may be a system's: numbers or lists are scores or contexts.

    Bytes may be texts in another encoding than UTF-8.
    """
    texts = ["bytes" if isinstance(cell, bytes) else cell for cell in cells if isinstance(cell, str | bytes)]
    return reason == EMPTY or (reason != CODES and not lack(texts))


def _are_codes(cells: Iterable[Any]) -> bool:
    return all(map(_CODE.fullmatch, (cell.strip() for cell in cells if cell)))


def _is_number(text: str) -> bool:
    try:
        # One comma may be a decimal comma.
        float(text.replace(",", ".") if text.count(",") == 1 else text)
    except ValueError:
        return False
    return True


def _within(cells: Iterable[Any]) -> Iterable[Any]:
    return chain.from_iterable(cell if isinstance(cell, list) else [cell] for cell in cells)


# Columns of texts and references -> which of them say something else than the references do.

#: In fewer rows, texts may share words by chance, or none.
LEAST_ROWS = 4
# Rows that are compared, of a larger table: spread over all of it.
_MOST_ROWS = 300
# How many other rows' references a text is compared with.
_SHIFTS = 5
# What a column must share beyond chance, as a part of what the best column shares, which counts up to _ENOUGH.
_LEAST_PART, _ENOUGH = 0.3, 0.5
# What the best column must share beyond chance; below that, nothing is said of any.
_LEAST_BEST = 0.1

Words = frozenset[str]


def unrelated(columns: Mapping[str, Sequence[Any]], references: Sequence[Sequence[str]]) -> list[str]:
    """Return the columns that hardly share a word with the references of their rows, while others do.

    What counts is how much more a text shares with the references of its row than with those of other rows: remarks
    in the language of the references share its articles with any. Letters of scripts without blanks are words.
    """
    # One of the rows with the same references: to compare it with the others would say nothing.
    rows = sorted({tuple(texts): row for row, texts in enumerate(references) if texts}.values())
    # Every n-th row, with n rounded up.
    rows = rows[:: max(1, -(-len(rows) // _MOST_ROWS))]
    if len(rows) < LEAST_ROWS or len(columns) < 2:
        return []
    targets = [_word_set(references[row]) for row in rows]
    shares = {
        name: _shares([_word_set([cells[row] or ""]) for row in rows], targets) for name, cells in columns.items()
    }
    best, most = max(beyond for _, beyond in shares.values()), max(share for share, _ in shares.values())
    if best < _LEAST_BEST:
        return []
    least = _LEAST_PART * min(best, _ENOUGH)
    return [name for name, (share, beyond) in shares.items() if beyond < least and 2 * share < most]


def _shares(texts: Sequence[Words], targets: Sequence[Words]) -> tuple[float, float]:
    """Return the mean share of words in common with the own references, and how much more it is than with others."""
    own_share = _mean(zip(texts, targets, strict=True))
    shifts = range(1, min(_SHIFTS, len(targets) - 1) + 1)
    other_shares = [_mean(zip(texts, [*targets[shift:], *targets[:shift]], strict=True)) for shift in shifts]
    return own_share, own_share - sum(other_shares) / len(other_shares)


def _mean(pairs: Iterable[tuple[Words, Words]]) -> float:
    # Of the shorter text: an answer of one word is wholly within a long explanation.
    shares = [len(text & target) / min(len(text), len(target)) for text, target in pairs if text and target]
    return sum(shares) / len(shares) if shares else 0.0


def _word_set(texts: Iterable[str]) -> Words:
    return frozenset(word for text in texts for word in _pattern().findall(text.casefold()))


@cache
def _pattern() -> Any:
    import regex

    return regex.compile(rf"[{UNSPACED}]\p{{M}}*|[\p{{L}}\p{{N}}][[\p{{L}}\p{{M}}\p{{N}}]--[{UNSPACED}]]*", regex.V1)
