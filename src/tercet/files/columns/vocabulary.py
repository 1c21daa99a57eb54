"""The words by which columns are known: of their roles, of scores and of grades, in several languages.

It is data alone: what a name is made of is in :mod:`tercet.files.columns.words`, and who reads a column's name is
:mod:`tercet.files.columns.name_roles`.
"""

from __future__ import annotations

from .words import names_of, words

# Roles.

# A name is judged by its words, without numbers, single letters behind others ("ref A") and these words.
FILLERS = words("text texts sentence sentences segment segments string strings")

# One of these anywhere, and the column is about the texts: "source_lang", "mt_score", "doc_id".
ABOUT = words("""
    id ids docid segid index name names lang langs language languages lp locale score scores rating ratings rank
    domain genre dataset split date time url annotator rater length count comment comments note notes remark
    remarks feedback error errors hash sha uuid guid timestamp category categories tags metadata contexts
    reviewer assessor justification winner winners preference preferred verdict vote votes status reason
    topic topics title titles headline headlines keyword keywords entity entities glossary explanation explanations
    rationale reasoning annotation annotations section sections context fact facts incorrect wrong hint hints author
""")
# The whole name, without what is between its words.
DOCUMENTS = words("docid documentid docname documentname dokumentid")
# The whole name, of texts, or of documents where they are few that repeat: "doc" with news-a, news-a, news-b.
PERHAPS_DOCUMENTS = words("doc docs document documents article articles dokument documento документ 文档 文書")
# One of these first: "reference_summary", "gold_output", "human_translation".
REFERENCES = words("ref refs reference references gold golden human expected truth ground")
# One of these anywhere: "mt", "system_summary", "target_mt".
SYSTEMS = words("""
    prediction predictions predicted pred preds candidate candidates cand hypothesis hypotheses hyp hyps mt
    system systems sys output outputs generated generation decoded model response
""")
# One of these first: "target_text", "source_document".
TARGETS = words("target targets tgt label labels")
SOURCES = words("source sources src input inputs")
# Only one of these: "summary" is a reference, "summary_pegasus" a system.
BARE_REFERENCES = words("summary summaries highlights abstract answer answers caption captions")
# Those of them, and of TARGETS, that a system's column may be called too, beside references that are called so.
WEAK_REFERENCES = words("summary summaries answer answers caption captions target targets tgt label labels")
# Only these words, one behind the other.
WHOLE_REFERENCES = names_of("""
    correct, corrected, correct answer, correct answers, correct output, best answer, best answers, ideal,
    ideal answer,
    answer aliases, pe, post edit, postedit, post edited, postedited, transcript, transcription, transcripts,
    human translator, human translation, Zieltext, Musterlösung, Musterantwort, Übersetzung Mensch, Humanübersetzung,
    menschliche Übersetzung, traducción humana, texto meta, solución, tradução humana, traduction humaine,
    texte cible, traduzione umana, перевод человека, человеческий перевод, 标准翻译, 人工译文, 正确答案, 模範解答
""")
# Beside a word of references, these say that it is of a model that is called so: "reference_model", "human-mt".
OF_MODELS = words("model models system systems sys mt policy")
BARE_SOURCES = words("""
    text document documents doc article articles dialogue question questions mr passage instruction instructions
    original orig query queries sentence sentences
""")
# The whole name: "prompt" is a source, "prompt_v2" the system with that prompt.
WHOLE_SOURCES = words("prompt prompts user_input")

# The whole name too, in languages whose words say no role within other names.
WHOLE_OTHER_REFERENCES = names_of("""
    الترجمة المرجعية, ترجمة مرجعية, النص المرجعي, ترجمه مرجع, Referans, Referans çeviri, Referans metin, Beklenen,
    Tłumaczenie referencyjne, Tekst referencyjny, Referencja, Еталон, Еталонний переклад, Референсний переклад,
    Referentievertaling, Referentietekst, Traduzione di riferimento, संदर्भ, संदर्भ अनुवाद, मानक अनुवाद
""")
WHOLE_OTHER_SOURCES = names_of("""
    النص الأصلي, نص المصدر, متن مبدأ, متن اصلی, Kaynak, Kaynak metin, Özgün metin, Źródło, Tekst źródłowy, Oryginał,
    Оригінал, Вихідний текст, Джерело, Testo di partenza, Testo originale, स्रोत, स्रोत पाठ, मूल पाठ
""")
WHOLE_OTHER_ABOUT = names_of("""
    Yorum, Yorumlar, Notlar, Açıklama, Uwagi, Uwaga, Komentarz, Komentarze, Примітка, Примітки, Коментар, Коментарі,
    Комментарии, Комментарий редактора, Note del revisore, Note del traduttore, टिप्पणी, टिप्पणियाँ, توضیحات, نظرات,
    تعليقات, تعليق, 審校意見, 审校意见, 修改建議, 修改建议
""")

# One of these first, and the texts are of an earlier state, or of the rows before: of a system only where another
# column has its later one.
EARLIER = words("previous prev preceding vorherige précédente anterior precedente предыдущий предыдущая 上一句")
LATER = words("new current next latest updated neue neu nouvelle nouveau nueva nuevo nova novo nuova новый новая 新")

# Names that say one role alone.
CLEAR_REFERENCES = words("ref refs reference references")
CLEAR_SOURCES = words("source sources src")
CLEAR_SYSTEMS = words("""
    prediction predictions pred preds hypothesis hypotheses hyp hyps mt candidate candidates
""")

# Beside a word of a role these say nothing of another: "gold_standard", "reference_translation_final", "ref_de". A
# name with any further word is that of a system, whatever else it has: "human-dpo", "gold-ft".
QUALIFIERS = words("""
    standard translation translations translated version versions edited edit post pe final corrected correct human
    professional expert native written full short long raw clean original originals value values column main first
    second third extra other given set list line lines utterance utterances transcript transcription transcripts
    paraphrase paraphrases simplification simplifications caption captions completion completions
    alt alternative alias aliases simplified formal informal normalized
    english german french spanish portuguese italian dutch russian chinese japanese korean arabic czech polish turkish
    ukrainian hindi vietnamese persian hebrew greek finnish swedish danish norwegian hungarian romanian catalan
    ar bg bn ca cs da de el en es et eu fa fi fr gl gu ha he hi hr hu id is it ja ka kk km ko lt lv mk mr ms nb ne nl
    nn no pl ps pt ro ru sk sl sq sr sv sw ta te th tr uk ur uz vi yo zh zu us gb br cn tw eng deu ger fra fre spa
    por ita nld rus zho jpn kor ara
    traduction traducción tradução traduzione übersetzung übersetzungen vertaling перевода эталонный standard
    標準 标准 humaine humana humano umana menschliche menselijke
""")

# Words of the languages that `guess_roles` names. They count anywhere in a name:
# "traduction de référence", "текст оригинала".
OTHER_FILLERS = words("""
    satz sätze texte textes phrase phrases segmente texto textos frase frases oración segmento segmentos testo testi
    текст тексты предложение сегмент de du des la le el del da do di der die das
""")
OTHER_ABOUT = words("""
    sprache bewertung note punktzahl langue langues évaluation idioma puntuación nota língua pontuação lingua
    punteggio язык оценка балл номер комментарий
    bemerkung bemerkungen anmerkung anmerkungen hinweis hinweise rückmeldung fachgebiet sachgebiet themengebiet
    remarque remarques observación observaciones observação observações osservazione osservazioni opmerking
    opmerkingen примечание примечания замечание замечания コメント 비고 ملاحظات
    kommentar kommentare commentaire commentaires comentario comentarios comentário 备注
    语言 评分 得分 分数 编号 序号 言語 評価 番号
""")
OTHER_REFERENCES = words("""
    referenz referenzen referenztext referenzübersetzung musterübersetzung référence références referencia referencias
    referência referências riferimento riferimenti эталон эталона эталонный эталоны референс референсы
    参考 参考译文 参考翻译 参考文本 参考答案 参考句 人工译文 人工翻译 标准译文 标准答案 參考譯文 參考 参照
    参照訳 参照文 参考訳 正解 正解訳 正解文 참조 참조번역 참고 참고번역 정답 referentie referenties المرجع مرجع
""")
OTHER_SYSTEMS = words("""
    ausgabe ausgaben systemausgabe hypothese vorhersage sortie sorties hypothèse prédiction salida salidas hipótesis
    predicción saída saídas hipótese predição uscita ipotesi predizione вывод выход гипотеза перевод предсказание
    译文 机器译文 机器翻译 系统输出 系统译文 模型输出 输出 預測 预测 譯文 出力 システム出力 システム訳 機械翻訳 予測
    출력 번역 기계번역 예측 uitvoer voorspelling المخرجات الترجمة
""")
OTHER_SOURCES = words("""
    quelle quellen quelltext quellsatz ausgangstext ausgangssatz fuente origen fonte origem origine sorgente
    источник оригинал оригинала исходник исходный 原文 原句 源文 源文本 源句 源语句 原文本 入力文 原稿
    originaltext 源语言 原始文本 ソース 원문 원본 bron brontekst النص المصدر
    eingabe frage entrada pregunta pergunta domanda запрос вопрос 问题 質問 질문
""")


# Columns of tables with a row for each item and system, by any of these names.

ITEM = (
    *("item", "id", "item_id", "segment", "segment_id", "seg_id", "doc_id", "docid", "question_id", "prompt_id"),
    *("sample_id", "example_id", "instance_id", "task_id", "query_id", "sentence_id", "row_id", "custom_id", "idx"),
    *("item_no", "qid", "sid", "uid", "uuid", "guid", "image_id", "utt_id", "utterance_id", "index", "key"),
)
#: Those that do not say of what they are the id.
ITEM_ALONE = ("item", "id", "idx", "index", "key", "uid", "uuid", "guid")
SYSTEM = (
    *("system", "model", "engine", "system_name", "model_name", "engine_name", "system_id", "model_id"),
    *("llm", "llm_name", "checkpoint", "experiment", "translator", "mt_system", "provider", "agent"),
    *("modell", "modelo", "sistema", "modèle", "modello", "модель", "система", "模型", "系统", "モデル", "システム"),
)
#: Names of a column that may name systems, where its values are names.
PERHAPS_SYSTEM = (
    *("vendor", "method", "approach", "variant", "config", "configuration", "algorithm", "algo", "setup", "baseline"),
    *("name", "submission", "team", "methode", "anbieter", "méthode", "método", "metodo", "метод", "方法", "手法"),
)
TEXT = (
    *("text", "prediction", "hypothesis", "output", "candidate", "translation", "summary", "mt", "hyp"),
    *("answer", "response", "completion", "generation", "generated_text", "model_output", "model_answer"),
)
#: Of one system: each value is a run of it.
RUN = ("run", "seed", "run_id", "seed_id", "random_seed", "trial", "repeat", "repetition", "replicate")
RATER = ("rater", "annotator", "judge", "rater_id", "annotator_id")
DIMENSION = ("dimension", "aspect", "criterion")
METRIC = ("metric", "metric_name", "measure", "metrik", "métrique", "métrica", "metrica", "метрика", "指标", "指標")
VALUE = ("value", "grade", "rating", "score")
LANGUAGE_PAIRS = ("lp", "langs", "language_pair", "langpair", "lang_pair")


# Scores.

#: Words in the names of scores of which lower ones are better; with the others they are of right answers or the like.
LOWER = words("""
    wer cer mer ter hter tter error errors mse rmse mae distance brier loss nll ppl perplexity bpb bits
    surprisal err toxicity hallucination hallucinations latency cost metricx wrong incorrect
""")
#: Words in the names of scores of which higher ones are better, where no word says that lower ones are.
HIGHER = words("""
    acc accuracy ok correct correctness right exact match em pass passed success f f1 precision recall mcc auc
    ndcg mrr score quality rating grade judge preference win wins reward similarity relevance faithfulness
    fluency adequacy coherence helpfulness consistency bleu sacrebleu gleu chrf rouge meteor comet kiwi
    cometkiwi xcomet bleurt bertscore cosine includes choice answer graded esim
""")
#: Words that turn what a lower number says, before its word or behind it, as in "no errors" and "error free".
NONE_OF = words("no non not without")
FREE_OF = "free"
#: Words beside those of errors, which make it unclear what is counted: the errors, or what was done about them.
TURNED = words("""
    reduction reduced savings saved improvement detection correction avoidance efficiency
    acc accuracy f f1 precision recall mcc auc similarity correct correctness right
""")
#: Words beside those of good answers, of which less may be better.
IN_DOUBT = words("""
    time length tokens drop gap seconds ms attack jailbreak refusal refusals refused failure failures harm
    harmful bias risk hate violation violations missing std stderr stdev variance
""")
#: Words in the names of what an answer took, which differs between two that are the same.
TAKEN = words("time latency ttft duration seconds sec ms runtime cost costs price tokens")

# Grades.

#: One of these in a name, and its numbers are grades.
GRADES = words("""
    grade grades graded rating ratings rated human humans gold golden mos mqm da judgement judgements judgment
    judgments annotation annotations annotator annotators rater raters evaluator evaluators expert experts likert
    adequacy fluency coherence consistency relevance informativeness naturalness readability grammaticality
    bewertung bewertungen note noten urteil évaluation évaluations calificación valoración nota notas avaliação
    valutazione voto voti beoordeling cijfer оценка оценки оценок 评分 打分 评价 人工评分 人工打分 人工评价 专家评分
    評分 評価 人手評価 評定 평가 평점 تقييم
""")
#: One of these, and they may be grades, or what a program computed.
PERHAPS = words("""
    score scores quality value values point points mark marks overall preference satisfaction faithfulness
    helpfulness correctness
    punktzahl punkte qualität qualité puntuación calidad pontuação qualidade punteggio qualità балл баллы качество
    得分 分数 质量 点数 スコア 品質 점수 품질 درجة
""")
#: One of these, and they are none: a program computed them, or they are no judgement.
NEITHER = words("""
    bleu sacrebleu gleu chrf rouge meteor comet kiwi cometkiwi xcomet bleurt bertscore ter hter wer cer metricx esim
    cosine perplexity loss llm gpt auto automatic metric metrics predicted prediction pred model
    id ids index idx number length len tokens words count time date seconds year age
""")
RATERS = words("annotator annotators rater raters evaluator evaluators expert experts judge judges")
