// Frames that Python sent ahead: every position of a slider, asked for when it is first reached, so
// that moving it needs no answer. They hold as long as Python says that nothing else has changed.

export function frameKey(scene, values) {
  return JSON.stringify([scene, Object.keys(values).sort().map((name) => [name, values[name]])]);
}

export function makeAhead(model) {
  const kept = new Map();
  const asked = new Set();
  let epoch = -1;

  function renew(now) {
    if (now === epoch) return;
    epoch = now;
    kept.clear();
    asked.clear();
  }

  // The frames of one slider, the other values being what they are.
  function ask(scene, name, values) {
    const { [name]: _, ...rest } = values;
    const mark = frameKey(`${scene}/${name}`, rest);
    if (asked.has(mark)) return;
    asked.add(mark);
    model.send({ type: "ahead", scene, name, values });
  }

  function hear(message) {
    if (!message || message.type !== "frames" || message.epoch !== epoch) return;
    for (const frame of message.frames) kept.set(frameKey(message.scene, frame.values), frame);
  }

  model.on("msg:custom", hear);
  return {
    ask,
    renew,
    get: (scene, values) => kept.get(frameKey(scene, values)),
    stop: () => model.off("msg:custom", hear),
  };
}
