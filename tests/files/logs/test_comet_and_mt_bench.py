"""What COMET and FastChat write: systems with the scores of each segment, and of each answer."""

import json
import math
from statistics import mean

import pytest
import sacrebleu

import tercet
from commands import command
from harness_logs import ENGLISH, GERMAN, RUNS
from tercet.errors import InputError

SCORES = {"A": [0.91, 0.88, 0.75, 0.8], "B": [0.62, 0.7, 0.11, 0.84]}


def read(*paths, **options):
    (found,) = tercet.read_test_sets(paths, **options)
    return found


def refusal(*paths, **options):
    with pytest.raises(InputError) as caught:
        tercet.read_test_sets(paths, **options)
    return str(caught.value)


def plain(scores):
    return {name: {system: values.tolist() for system, values in rows.items()} for name, rows in scores.items()}


def dumped(path, content):
    path.write_text(json.dumps(content, ensure_ascii=False, indent=4), encoding="utf-8")
    return path


def scored(names="AB", has_references=True, ending=".en.txt"):
    """Return what comet-score writes for some runs, with the spans of errors that some of its models find."""
    content = {}
    for name in names:
        segments = []
        for source, text, reference, score in zip(GERMAN, RUNS[name], ENGLISH, SCORES[name], strict=True):
            segment = {"src": source, "mt": text, "ref": reference, "COMET": score, "errors": [{"text": "x"}]}
            if not has_references:
                del segment["ref"]
            segments.append(segment)
        content[f"out/{name}{ending}"] = segments
    return content


def compared(names="AB"):
    """Return what comet-compare writes."""
    return {
        "model": "Unbabel/wmt22-comet-da",
        "statistical_results": [
            {"x_name": "out/A.en.txt", "y_name": "out/B.en.txt", "paired_t-test": {"p_value": 0.2}}
        ],
        "source": GERMAN,
        "translations": [{"name": f"out/{name}.txt", "mt": RUNS[name], "scores": SCORES[name]} for name in names],
        "reference": ENGLISH,
    }


class TestComet:
    @pytest.mark.parametrize(("content", "end"), [(scored(), ".en"), (compared(), "")], ids=["score", "compare"])
    def test_systems_with_their_scores(self, content, end, tmp_path):
        found = read(dumped(tmp_path / "comet.json", content))
        assert found.systems == {f"{name}{end}": RUNS[name] for name in "AB"}
        assert found.references == [[text] for text in ENGLISH]
        assert found.source == GERMAN
        assert plain(found.scores) == {"COMET": {f"{name}{end}": SCORES[name] for name in "AB"}}
        assert found.higher_is_better == ("COMET",)
        assert found.clusters is None
        assert found.fields.endswith("predictions from mt; references from ref; scores: COMET; sources from src.")

    def test_the_mean_is_comets_and_other_metrics_stand_beside_it(self, tmp_path):
        dumped(tmp_path / "comet.json", scored())
        run = command("score", "comet.json", "--scores", "COMET", "-m", "chrf", "-f", "json", cwd=tmp_path)
        (test_set,) = json.loads(run.stdout)["test_sets"]
        rows = {}
        for table in test_set["tables"]:
            for row in table["systems"]:
                rows[table["score"], row["system"]] = row["value"]
        for name in "AB":
            assert rows["COMET", f"{name}.en"] == pytest.approx(mean(SCORES[name]))
            chrf = sacrebleu.corpus_chrf(RUNS[name], [ENGLISH]).score
            assert rows["chrf", f"{name}.en"] == pytest.approx(chrf)

    def test_without_references(self, tmp_path):
        found = read(dumped(tmp_path / "qe.json", scored(has_references=False)), need_references=False)
        assert found.references == [[], [], [], []]
        assert plain(found.scores)["COMET"]["B.en"] == SCORES["B"]

    def test_files_of_one_system_each_are_joined(self, tmp_path):
        paths = [dumped(tmp_path / f"{name}.json", scored(name)) for name in "AB"]
        assert read(*paths).systems == {"A.en": RUNS["A"], "B.en": RUNS["B"]}

    def test_files_with_equal_names_keep_their_folders(self, tmp_path):
        content = {"base/out.txt": scored("A")["out/A.en.txt"], "tuned/out.txt": scored("B")["out/B.en.txt"]}
        assert [*read(dumped(tmp_path / "comet.json", content)).systems] == ["base/out.txt", "tuned/out.txt"]

    def test_what_is_wrong_is_said(self, tmp_path):
        short, other, no_text, no_object = scored(), scored(), scored(), scored()
        no_object["out/A.en.txt"][2] = "It rains."
        short["out/B.en.txt"].pop()
        other["out/B.en.txt"][2]["ref"] = "It pours."
        no_text["out/A.en.txt"][1]["mt"] = None
        lists, bad_list = compared(), compared() | {"translations": {}}
        lists["translations"][1]["scores"] = [0.5]
        for content, message in (
            (short, "'out/B.en.txt' has 3 segments, others have 4."),
            (other, "segment 3 of 'out/B.en.txt': the ref is 'It pours.', and 'It is raining.' for the first system"),
            (no_text, "expected a text as mt of a segment, got None."),
            (no_object, "expected an object with src as a segment, got 'It rains.'."),
            (lists, "'out/B.txt' has 4 of src, 4 of mt, 1 of COMET, 4 of ref; expected as many of each."),
            (bad_list, "expected a list as translations, got {}."),
            (compared("AA"), "the translation 'out/A.txt' occurs twice; expected each system once."),
            (compared() | {"translations": ["A"]}, "translation 1: expected an object with name, mt and scores."),
            (compared() | {"translations": []}, "is empty; expected translations with segments."),
            (
                {f"{n}.txt": scored()["out/A.en.txt"] for n in range(501)},
                "more than 500 systems; expected at most that.",
            ),
        ):
            assert message in refusal(dumped(tmp_path / "comet.json", content))


#: Scores by model, question and turn.
JUDGED = {
    "vicuna": {(81, 1): 8, (81, 2): 7.5, (82, 1): 5, (82, 2): 6, (101, 1): 3, (101, 2): 4},
    "Qwen 2": {(81, 1): 9, (81, 2): 9, (82, 1): 7, (82, 2): -1, (101, 1): 6, (101, 2): 5},
}


def judgments(models=JUDGED, judge="gpt-4"):
    """Return lines as gen_judgment.py writes them: the prompt of the judge differs by turn and kind of question."""
    lines = []
    for model, scores in models.items():
        for (question, turn), score in scores.items():
            prompt = f"single-{'math-' * (question > 100)}v1{'-multi-turn' * (turn == 2)}"
            line = {"question_id": question, "model": model, "judge": [judge, prompt], "user_prompt": "質問"}
            line |= {"judgment": f"Rating: [[{score}]]", "score": score, "turn": turn, "tstamp": 1718000000.5}
            lines.append(line)
    return lines


def lines_in(path, lines):
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    return path


class TestMTBench:
    def test_models_with_their_scores(self, tmp_path):
        path = lines_in(tmp_path / "gpt-4_single.jsonl", judgments())
        with pytest.warns(UserWarning, match=r"1 of 12 judgments have no score \(-1\), the first is on line 10"):
            found = read(path, need_references=False)
        scores = plain(found.scores)["score"]
        assert scores["vicuna"] == [8, 7.5, 5, 6, 3, 4]
        assert scores["Qwen 2"][:3] == [9, 9, 7]
        assert math.isnan(scores["Qwen 2"][3])
        assert found.name == "MT-Bench, judged by gpt-4"
        assert found.higher_is_better == ("score",)
        # The turns of a question are resampled together.
        assert found.clusters.numbers.tolist() == [0, 0, 1, 1, 2, 2]

    def test_the_mean_is_show_results(self, tmp_path):
        """FastChat's show_result.py leaves -1 out, and takes the mean of a model's judgments."""
        lines_in(tmp_path / "gpt-4_single.jsonl", judgments())
        run = command("score", "gpt-4_single.jsonl", "--scores", "score", "-f", "json", "-q", cwd=tmp_path)
        (test_set,) = json.loads(run.stdout)["test_sets"]
        means = {row["system"]: row["value"] for row in test_set["tables"][0]["systems"]}
        assert means["Qwen 2"] == pytest.approx(mean([9, 9, 7, 6, 5]))

    def test_a_gate_counts_what_was_not_judged(self, tmp_path):
        lines_in(tmp_path / "gpt-4_single.jsonl", judgments())
        gate = ["compare", "gpt-4_single.jsonl", "--scores", "score", "--baseline", "vicuna"]
        run = command(*gate, "--fail-if-worse", "score=5", "--max-missing", "1", cwd=tmp_path, code=1)
        assert "'Qwen 2' lacks 1 of 6 segments (1 without a number)" in run.stdout + run.stderr

    def test_files_of_one_model_each_are_joined(self, tmp_path):
        paths = []
        for model in JUDGED:
            (tmp_path / model).mkdir()
            paths.append(lines_in(tmp_path / model / "gpt-4_single.jsonl", judgments({model: JUDGED[model]})))
        with pytest.warns(UserWarning, match="have no score"):
            assert [*read(*paths, need_references=False).systems] == [*JUDGED]

    def test_each_judge_is_a_test_set(self, tmp_path):
        paths = [
            lines_in(tmp_path / f"{judge}_single.jsonl", judgments({"vicuna": JUDGED["vicuna"]}, judge))
            for judge in ("gpt-4", "claude")
        ]
        names = [test_set.name for test_set in tercet.read_test_sets(paths, need_references=False)]
        assert names == ["MT-Bench, judged by gpt-4", "MT-Bench, judged by claude"]

    def test_what_is_wrong_is_said(self, tmp_path):
        one = judgments()[:1]
        pair = {"question_id": 81, "turn": 1, "model_1": "a", "model_2": "b", "g1_winner": "tie", "g2_winner": "tie"}
        for lines, message in (
            (one * 2, "line 2: question 81, turn 1 of 'vicuna' is judged again; expected one judgment of each"),
            ([one[0] | {"score": "8"}], "line 1, column 'score': expected a number, got '8'."),
            (
                judgments() + judgments({"c": {(81, 1): 2}}, "claude"),
                "holds judgments by 'gpt-4' and 'claude'; expected",
            ),
            (
                judgments({f"m{n}": {(1, 1): 5} for n in range(501)}),
                "501 models with 1 answers; expected at most 500 m",
            ),
            ([pair], "holds judgments of pairs of answers, which are not read; expected those of single ones"),
        ):
            assert message in refusal(lines_in(tmp_path / "gpt-4_single.jsonl", lines), need_references=False)

    def test_other_tables_of_scores_are_tables(self, tmp_path):
        """A judge that is a text is that of a table with a row for each model."""
        rows = [f"{question}\t{model}\tgpt-4\t1\t{score}" for model in "ab" for question, score in ((1, 5), (2, 7))]
        path = tmp_path / "scores.tsv"
        path.write_text("question_id\tmodel\tjudge\tturn\tscore\n" + "\n".join(rows) + "\n", encoding="utf-8")
        assert plain(read(path, need_references=False, scores="score").scores) == {
            "score": {"a": [5, 7], "b": [5, 7]}
        }
