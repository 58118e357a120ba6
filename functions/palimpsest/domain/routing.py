"""The router: whether a question profits from being asked in several ways.

A question that names what it looks for is found as it is. One that asks who, when or why, for what
is like something else or belongs to it, or for a summary, often shares few words with what answers
it: such words are its signals. Words are compared whole ("show" holds no "how"), in NFKC and
without case; in scripts without spaces a phrase is looked for anywhere. A word that is an everyday
word in another of these languages (German "was", French "comment") is none.
"""

import re
import unicodedata
from collections.abc import Mapping

_WORD = re.compile(r"[^\W_]+")

_WORDS: Mapping[str, str] = {
    "interrogative": """
        who whom whose what when where why how which
        wer wem wen wann warum wieso weshalb wie wo woher wohin welche welcher welches
        qui quoi quand où pourquoi quel quelle quels quelles
        quién quiénes qué cuándo dónde cómo cuál cuáles
        кто кого что когда где куда откуда почему зачем как какой какая какое какие
        ماذا متى أين لماذا كيف
        누가 누구 무엇 언제 어디 어떻게 왜
    """,
    "time": """
        yesterday today tonight tomorrow last recent recently lately before after since until ago
        earlier week weeks month months year years weekend
        gestern heute morgen kürzlich neulich vorher nachher seit woche monat jahr
        hier aujourd demain récemment avant après depuis semaine mois année
        ayer hoy mañana recientemente antes después semana mes año
        вчера сегодня завтра недавно раньше после неделя неделе неделю месяц месяце год году
        أمس اليوم غدا مؤخرا قبل بعد
        어제 오늘 내일 최근
    """,
    "similarity": """
        similar similarly like alike connections connection associated linked comparable resembling
        ähnlich ähnliche ähnlichen similaire similaires similares parecido parecidos
        похож похожие похожий похожее مشابه مماثل 비슷한
    """,
    "relation": """
        related relation relations relationship relationships about regarding involving concerning
        connected between
        bezüglich zusammenhang zusammenhängen concernant relatif respecto relacionado relacionados
        связан связаны связанные بخصوص متعلق 관련
    """,
    "abstraction": """
        overall generally usually typically overview summary summarize summarise pattern patterns
        trend trends theme themes tendency habit habits lesson lessons
        überblick zusammenfassung überhaupt meistens résumé généralement habituellement
        resumen generalmente обычно обзор итог عادة ملخص 요약
    """,
}
_PHRASES: Mapping[str, str] = {
    "interrogative": """
        谁 誰 什么 什麼 何时 何時 什么时候 哪里 哪裡 哪儿 哪个 哪些 为什么 為什麼 怎么 怎麼 怎样
        如何 多少 だれ なに 何が 何を いつ どこ なぜ どうして どの どれ どんな どうやって
        ใคร อะไร เมื่อไหร่ ที่ไหน ทำไม อย่างไร
    """,
    "time": """
        昨天 今天 明天 最近 上周 上週 上个月 去年 今年 之前 以前 之后 以后
        昨日 今日 明日 先週 先月 来週 この前 เมื่อวาน วันนี้ สัปดาห์
    """,
    "similarity": "类似 類似 相似 似た คล้าย",
    "relation": "关于 關於 有关 有關 相关 關係 关系 について に関する 関連 เกี่ยวกับ",
    "abstraction": "总结 總結 概述 通常 一般 规律 まとめ 要約 傾向 สรุป",
}
_KIND_OF: Mapping[str, str] = {
    word: kind for kind, words in _WORDS.items() for word in words.split()
}


def signals(query: str) -> list[str]:
    """The signals of a question, each once, as `kind:word`: first the words in their order, then
    the phrases of scripts without spaces. None: it is searched as it is.
    """
    plain = unicodedata.normalize("NFKC", query).casefold()
    words = [word for word in _WORD.findall(plain) if word in _KIND_OF]
    phrases = [
        f"{kind}:{phrase}"
        for kind, several in _PHRASES.items()
        for phrase in several.split()
        if phrase in plain
    ]
    return list(dict.fromkeys([*(f"{_KIND_OF[word]}:{word}" for word in words), *phrases]))
