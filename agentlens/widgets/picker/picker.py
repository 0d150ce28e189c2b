"""The picker: which setting, over many runs, seen with what each one costs."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import ipywidgets as widgets

from agentlens.breaker.policy import Policy, as_policy
from agentlens.breaker.words import language
from agentlens.errors import TraceError
from agentlens.thresholds.corpus_surface import CorpusSurface, corpus_surface
from agentlens.thresholds.promise import promised
from agentlens.trace.corpus import Corpus
from agentlens.trace.labels import Label
from agentlens.widgets.escape import safe
from agentlens.widgets.exports import guard_code, host_config
from agentlens.widgets.picker.payload import columns_of, picker_payload, setting_of
from agentlens.widgets.picker.still import PICKER_WORDS, picker_html, picker_text
from agentlens.widgets.picker.view import PickerView

if TYPE_CHECKING:
    from agentlens.widgets.lens.lens import Lens

__all__ = ["Picker"]


class Picker(widgets.VBox):  # type: ignore[misc]
    """Every setting of a policy over many runs, a crosshair to choose one, and what it costs.

    Parameters
    ----------
    corpus
        Labelled runs; a `Corpus`, or whatever `agentlens.load_many` takes. Its traces are read
        once, one at a time; only what counts is kept.
    policy
        Where the crosshair starts; the default policy where none is given.
    lang
        ``en`` or ``zh``.
    value, prevalence
        What a good run is worth, in rounds, and the share of loops in production.
    max_false_stops, confidence
        Of the guaranteed choice.

    Attributes
    ----------
    policy
        The policy with the setting under the crosshair; settable.
    surface
        The exact surface: `agentlens.surface` of the corpus.
    corpus
        The runs with their present labels.
    lens
        The Lens on the run that was opened last, or None.
    """

    def __init__(
        self, corpus: Any, policy: Policy | str | None = None, *, lang: str = "en",
        value: float = 20.0, prevalence: float = 0.05, max_false_stops: float = 0.05,
        confidence: float = 0.9,
    ) -> None:  # fmt: skip
        language(lang)
        if not isinstance(corpus, Corpus):
            from agentlens.trace.load import load_many

            corpus = load_many(corpus)
        self.corpus: Corpus = corpus
        self.lang = lang
        self.lens: Lens | None = None
        self.surface: CorpusSurface = corpus_surface(corpus, as_policy(policy))
        self.default = Policy()
        self._marks = [profile.mark for profile in self.surface.profiles]
        self.view = PickerView(
            words=dict(PICKER_WORDS[lang]), value=float(value), prevalence=float(prevalence),
            alpha=float(max_false_stops), delta=float(confidence),
        )  # fmt: skip
        self.message = widgets.HTML()
        self._show(keep=False)
        super().__init__([self.view, self.message], layout={"width": "100%"})
        self.view.observe(lambda _: self._moved(), "cell")
        self.view.observe(lambda _: self._promise(), ["alpha", "delta"])
        self.view.observe(lambda change: self._opened(change["new"]), "opened")
        self.view.on_msg(self._told)

    def _show(self, *, keep: bool) -> None:
        self._columns = columns_of(self.surface)
        payload = picker_payload(self.surface, self.default)
        with self.view.hold_sync():
            self.view.payload = payload
            if not keep:
                self.view.cell = payload["start"]
        self._start = None if keep else (list(self.view.cell), self.surface.policy)
        self._promise()

    @property
    def policy(self) -> Policy:
        """The policy with the setting under the crosshair."""
        column, threshold = self.view.cell
        if self._start is not None and self._start[0] == [column, threshold]:
            return self._start[1]  # as it was given, not the end of its plateau
        similarity = setting_of(self.surface, self._columns[column])
        return self.surface.policy.with_(similarity=similarity, threshold=threshold)

    @policy.setter
    def policy(self, policy: Policy | str) -> None:
        made = as_policy(policy)
        kind = {"similarity": 1, "threshold": 1}
        if made.with_(**kind) == self.surface.policy.with_(**kind):
            self.surface = CorpusSurface(made, self.surface.profiles, self.surface._states)
        else:
            self.surface = corpus_surface(self.corpus.with_labels(self._marks), made)
        self._show(keep=False)

    def label(self, run: int, label: str) -> None:
        """Label a run by hand: ``good``, ``loop`` or ``unknown``; everything is counted anew.

        Parameters
        ----------
        run
            Its place in the corpus, from 0 on.
        label
            What it is.

        Raises
        ------
        IndexError
            If there is no such run.
        ValueError
            If there is no such label.
        """
        old = self._marks[run]
        onset = old.onset if label == "loop" else None
        self._marks[run] = Label(label, onset, old.task, old.solved, "hand")
        self.corpus = self.corpus.with_labels(self._marks)
        self.surface = self.surface.relabelled(self._marks)
        self._show(keep=True)

    def save_labels(self, path: str | os.PathLike[str]) -> None:
        """Write the present labels to a CSV file that `Corpus.with_labels` takes.

        Parameters
        ----------
        path
            The file.

        Raises
        ------
        OSError
            If it cannot be written.
        """
        self.corpus.save_labels(path)

    def to_toml(self, path: str | None = None) -> str:
        """Return the policy as a policy file, and write it where a path is given.

        Parameters
        ----------
        path
            As for `Policy.to_toml`.
        """
        return self.policy.to_toml(path)

    def guard_code(self) -> str:
        """Return Python that runs this policy live."""
        return guard_code(self.policy)

    def config(self, host: str) -> str:
        """Return the setting as an agent's own configuration; see `host_config`.

        Parameters
        ----------
        host
            Name of the agent.

        Raises
        ------
        PolicyError
            If there is no such host, or its configuration cannot say it.
        """
        return host_config(self.policy, host)

    def show(self, run: int) -> Lens:
        """Open the Lens on a run, below the picker.

        Parameters
        ----------
        run
            Its place in the corpus, from 0 on.
        """
        from agentlens.widgets.lens.lens import Lens

        lens = Lens(self.corpus[run], self.policy, lang=self.lang)
        if self.lens is not None:
            self.lens.close()
        self.lens, self.message.value = lens, ""
        self.children = (self.view, self.message, lens)
        return lens

    def _moved(self) -> None:
        column, threshold = self.view.cell
        if not 0 <= column < len(self._columns) or threshold < 1:
            return
        self._promise()
        if self.lens is not None:
            self.lens.policy = self.policy

    def _promise(self) -> None:
        threshold = self.view.cell[1] if self.view.cell else self.surface.policy.threshold
        self.view.promise = promised(
            self.surface, max(1, threshold), self.view.alpha, self.view.delta, self.lang
        )

    def _opened(self, run: int) -> None:
        if not 0 <= run < len(self._marks):
            return
        try:
            self.show(run)
        except (TraceError, OSError, IndexError) as error:
            self.message.value = f'<span role="status">{safe(error)}</span>'
        self.view.opened = -1  # so that the same run can be opened again

    def _told(self, _widget: Any, message: Any, _buffers: Any) -> None:
        if not isinstance(message, Mapping) or message.get("type") != "label":
            return
        run, label = message.get("run"), message.get("label")
        if isinstance(run, int) and 0 <= run < len(self._marks) and isinstance(label, str):
            try:
                self.label(run, label)
            except ValueError as error:
                self.message.value = f'<span role="status">{safe(error)}</span>'

    def close(self) -> None:
        """Close the picker and the Lens."""
        if self.lens is not None:
            self.lens.close()
        for one in (self.view, self.message):
            one.close()
        super().close()

    def __repr__(self) -> str:
        return picker_text(self.view.payload, self.view.cell, self.lang)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        bundle = dict(super()._repr_mimebundle_(**kwargs) or {})
        page = picker_html(self.view.payload, self.view.cell, self.lang)
        return {**bundle, "text/plain": repr(self), "text/html": page}
