"""A small world with a search engine, and scripted agents in it: labelled runs to practise on.

The engine knows facts by city, topic and year. It answers a query with the pages whose words it
holds, so that a narrower query or another year brings other pages, and a reworded one the same.
Agents differ in how they go on when a page does not answer: by another year, another city, a
narrower question, a page to read, a job to wait for; or by the same question in other words, the
same call, the same failing tool. Every run is made from a seed; nothing is recorded from a person.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from agentlens.teach.world_words import EN, ZH
from agentlens.trace.corpus import Corpus
from agentlens.trace.labels import Label
from agentlens.trace.load import load
from agentlens.trace.model import Trace

__all__ = ["SCRIPTS", "World", "corpus", "record_of_script", "records", "run_of_script"]


@dataclass
class World:
    """What one agent sees: its words, its random numbers, and the rounds it has made.

    `rows` are its rounds in the plain format; `onset` is the first that went in circles.
    """

    rng: random.Random
    words: dict[str, Any]
    city: str
    topic: str
    year: int
    rows: list[dict[str, Any]] = field(default_factory=list)
    onset: int | None = None

    def call(self, tool: str, args: dict[str, Any], result: str, *, error: bool = False) -> None:
        """Add a round with one call, and what it took."""
        spent = {
            "seconds": round(self.rng.uniform(1.5, 9), 2),
            "tokens": self.rng.randint(400, 1600),
        }
        self.rows.append({
            "round": len(self.rows) + 1, "tool": tool, "args": args, "result": result,
            "error": error, **spent, "cost": round(spent["tokens"] * 4e-6, 6),
        })  # fmt: skip

    def search(self, *parts: str, page: object = None) -> None:
        """Search for some words; the page that answers depends on what is asked, not on how."""
        name = abs(hash_of((self.city, self.topic, page)))
        self.call(
            "web_search", {"query": self.words["join"].join(map(str, parts))},
            f"1. https://pages.example/{name % 10**6}\n   entry {name % 9973} of the register",
        )  # fmt: skip

    def read(self, page: object) -> None:
        """Read a page."""
        name = abs(hash_of((self.city, page)))
        self.call("read_page", {"url": f"https://pages.example/{name % 10**6}"},
                  f"Page {name % 9973}: a table of {name % 89} rows.")  # fmt: skip

    def answer(self, text: str = "The figure is in the page.") -> None:
        """Say the answer, without a call."""
        self.rows.append({"round": len(self.rows) + 1, "tool": None, "text": text})

    def spin(self, times: int, one: Callable[[int], None]) -> None:
        """Go in circles; its second round is the first without progress."""
        self.onset = len(self.rows) + 2
        for n in range(times):
            one(n)


def hash_of(value: object) -> int:
    """Return a number for a value that is the same in every process."""
    import zlib

    return zlib.crc32(repr(value).encode())


def _direct(w: World) -> None:
    w.search(w.city, w.topic, page=0)
    w.read(w.topic)
    w.answer()


def _years(w: World) -> None:
    for year in range(w.year, w.year + w.rng.randint(3, 6)):
        w.search(w.city, w.topic, str(year), page=year)
    w.answer()


def _cities(w: World) -> None:
    for city in w.rng.sample(w.words["city"], w.rng.randint(3, 5)):
        w.search(city, w.topic, page=city)
    w.answer()


def _narrow(w: World) -> None:
    parts = [w.city, w.topic]
    for word in w.rng.sample(w.words["more"], w.rng.randint(2, 4)):
        w.search(*parts, page=tuple(parts))
        parts.append(word)
    w.read(tuple(parts))
    w.answer()


def _job(w: World) -> None:
    w.call("start_job", {"task": w.topic}, "job 7 started")
    for part in range(w.rng.randint(3, 7)):
        w.call("job_status", {"job": 7}, f"running: {part * 14 + 9} %")
    w.call("job_status", {"job": 7}, "done")
    w.answer()


def _late(w: World) -> None:
    w.search(w.city, w.topic, page=0)
    for word in w.rng.sample(w.words["again"], w.rng.randint(1, 3)):
        w.search(w.city, w.topic, word, page=0)
    w.search(w.city, w.topic, w.rng.choice(w.words["more"]), page=1)
    w.read("found at last")
    w.answer()


def _mixed(w: World) -> None:
    for topic in w.rng.sample(w.words["topic"], w.rng.randint(3, 6)):
        w.search(w.city, topic, page=topic)
        if w.rng.random() < 0.5:
            w.read(topic)
    w.answer()


def _reword(w: World) -> None:
    if w.rng.random() < 0.5:
        w.read("a page beside the point")
    words = w.words["again"]
    w.spin(w.rng.randint(5, 14), lambda n: w.search(w.city, w.topic, words[n % 7], page=0))


def _same(w: World) -> None:
    w.search(w.rng.choice(w.words["city"]), w.topic, page=9)
    w.spin(w.rng.randint(4, 12), lambda _: w.search(w.city, w.topic, page=0))


def _shorter(w: World) -> None:
    words = w.rng.sample(w.words["again"], 4)
    pool = [w.city, w.topic, *words]
    w.spin(w.rng.randint(5, 10),
           lambda n: w.search(*w.rng.sample(pool, 3 + n % 3), page=0))  # fmt: skip


def _synonyms(w: World) -> None:
    words = w.rng.sample(w.words["same"], 7)
    w.spin(w.rng.randint(5, 7), lambda n: w.search(words[n % 7], page=0))


def _failing(w: World) -> None:
    w.search(w.city, w.topic, page=0)
    url = f"https://pages.example/{w.year}"
    args = [{"url": f"{url}?try={n}"} for n in range(9)]
    w.spin(w.rng.randint(4, 9), lambda n: w.call("read_page", args[n], "HTTP 503", error=True))


#: Each script: its label, its weight among the runs, and what it does.
SCRIPTS: dict[str, tuple[str, int, Callable[[World], None]]] = {
    "direct": ("good", 6, _direct),
    "mixed": ("good", 7, _mixed),
    "cities": ("good", 5, _cities),
    "job": ("good", 3, _job),
    "years": ("good", 2, _years),
    "narrow": ("good", 1, _narrow),
    "late": ("good", 1, _late),
    "reword": ("loop", 5, _reword),
    "same": ("loop", 2, _same),
    "shorter": ("loop", 2, _shorter),
    "synonyms": ("loop", 1, _synonyms),
    "failing": ("loop", 1, _failing),
}


def record_of_script(script: str, seed: int, lang: str = "en") -> dict[str, Any]:
    """Return one run of a script in the plain format: id, task, label, onset and ``trace``.

    Parameters
    ----------
    script
        One of `SCRIPTS`.
    seed
        The same seed makes the same run.
    lang
        ``en`` or ``zh``.
    """
    rng = random.Random(f"{script} {seed} {lang}")
    words = ZH if lang == "zh" else EN
    world = World(rng, words, rng.choice(words["city"]), rng.choice(words["topic"]),
                  rng.randint(2015, 2020))  # fmt: skip
    label, _, play = SCRIPTS[script]
    play(world)
    task = words["ask"].format(city=world.city, topic=world.topic)
    return {
        "id": f"{script}-{lang}-{seed}", "task": f"{task} #{seed % 10**6 // 2}", "label": label,
        "onset": world.onset, "trace": [{"role": "user", "text": task}, *world.rows],
    }  # fmt: skip


def run_of_script(script: str, seed: int, lang: str = "en") -> tuple[Trace, Label]:
    """Return one run of a script, read, and its label; see `record_of_script`."""
    return _read(record_of_script(script, seed, lang))


def _read(record: dict[str, Any]) -> tuple[Trace, Label]:
    about = {key: value for key, value in record.items() if key != "onset"}
    label = Label(record["label"], record["onset"], record["task"], None, "script")
    return load(about), label


def records(runs: int, seed: int) -> Iterator[dict[str, Any]]:
    """Yield runs of all scripts by their weights, as `record_of_script` makes them."""
    rng = random.Random(seed)
    names = list(SCRIPTS)
    weights = [weight for _, weight, _ in SCRIPTS.values()]
    for number in range(runs):
        script = rng.choices(names, weights)[0]
        yield record_of_script(script, seed * 10**6 + number, rng.choice(("en", "zh")))


def corpus(runs: int = 360, seed: int = 1) -> Corpus:
    """Return labelled runs of all scripts, in English and Chinese.

    Parameters
    ----------
    runs
        How many.
    seed
        The same seed makes the same runs.
    """
    made = [_read(record) for record in records(runs, seed)]
    return Corpus([trace for trace, _ in made], labels=[label for _, label in made])
