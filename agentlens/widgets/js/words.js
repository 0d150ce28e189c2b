// Sentences come as templates: {name} is a value, {n|round|rounds} picks by number.

export function say(words, key, values = {}) {
  const template = words[key];
  if (template === undefined) return key;
  return template.replace(/\{(\w+)(?:\|([^|}]*)\|([^|}]*))?\}/g, (_, name, one, many) => {
    const value = values[name];
    if (one !== undefined) return value === 1 ? one : many;
    if (typeof value === "number") return grouped(value);
    return value === undefined || value === null ? "" : String(value);
  });
}

// 9,698: whole numbers are grouped by thousands, as in Python's f"{n:,}".
export function grouped(number) {
  return Number.isInteger(number) ? String(number).replace(/\B(?=(\d{3})+$)/g, ",") : String(number);
}

// As agentlens.breaker.words.duration: 21.5 s, 12 min, 3.4 h.
export function duration(seconds) {
  if (seconds < 120) return `${seconds.toFixed(1)} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}

export function shorten(text, limit = 80) {
  const line = text.split(/\s+/).filter(Boolean).join(" ");
  const letters = Array.from(line);
  return letters.length <= limit ? line : letters.slice(0, limit - 1).join("") + "…";
}

export function joinParts(words, parts) {
  return parts.filter(Boolean).join(words.comma || ", ");
}
