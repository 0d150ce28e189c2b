"""Floor 4, which setting: one run exactly, many runs at once, and what may be promised of them.

- One run: `surface` has the trip for every similarity and threshold, `steps` helps it.
- Many runs: `profile` keeps of each what no threshold touches, `records` finds the steps of all at
  once, `states` what happens between two, `totals` the counts; `corpus_surface` puts them together.
- Measures: `evaluate` and `metrics`, with `intervals` and `resample`; `compare` sets two policies
  side by side, `shadow` enforcing beside what happened, `readiness` and `shift` say if it may.
- A setting: `choose`, with `guarantee`, `paths`, `promise` and `weigh`; `baseline` is the plain
  step count.
- At scale: `scan` and `sweep` over folders, on `engines`: one process, many, or a Dask cluster.
"""
