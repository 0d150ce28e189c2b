// Scores are pairs of integers and are compared as such: 5/6 is never 0.8333.

const SAFE = 2 ** 26; // below it a product of two is exact in a double

// Sign of a/b - c/d for whole numbers a, c >= 0 and b, d > 0.
export function compareFractions(a, b, c, d) {
  if (a < SAFE && b < SAFE && c < SAFE && d < SAFE) return Math.sign(a * d - c * b);
  const left = BigInt(a) * BigInt(d), right = BigInt(c) * BigInt(b);
  return left < right ? -1 : left > right ? 1 : 0;
}

// Distinct scores above zero, ascending, and for each score its rank among them (zero: rank 0).
export function rankScores(num, den) {
  const known = new Map();
  const pairs = [];
  const ids = new Int32Array(num.length);
  for (let i = 0; i < num.length; i++) {
    if (!(num[i] > 0)) { ids[i] = -1; continue; }
    const key = num[i] < SAFE && den[i] < SAFE ? num[i] * SAFE + den[i] : `${num[i]}/${den[i]}`;
    let id = known.get(key);
    if (id === undefined) { id = pairs.length; known.set(key, id); pairs.push([num[i], den[i]]); }
    ids[i] = id;
  }
  const sorted = pairs.map((_, i) => i)
    .sort((i, j) => compareFractions(pairs[i][0], pairs[i][1], pairs[j][0], pairs[j][1]));
  const levels = [];
  const rankOf = new Int32Array(pairs.length);
  for (const i of sorted) {
    const last = levels[levels.length - 1];
    if (!last || compareFractions(last[0], last[1], pairs[i][0], pairs[i][1]) !== 0) levels.push(reduce(pairs[i]));
    rankOf[i] = levels.length;
  }
  const rank = new Int32Array(num.length);
  for (let i = 0; i < num.length; i++) rank[i] = ids[i] < 0 ? 0 : rankOf[ids[i]];
  return { levels, rank };
}

function gcd(a, b) {
  while (b) [a, b] = [b, a % b];
  return a;
}

export function reduce([p, q]) {
  const g = gcd(p, q) || 1;
  return [p / g, q / g];
}

// Whether a score reaches a similarity. A cosine score is a square, so similarity is squared too.
export function reaches(score, similarity, measure, strict) {
  let [p, q] = similarity;
  let sign;
  if (measure === "cosine") {
    const left = BigInt(score[0]) * BigInt(q) ** 2n, right = BigInt(p) ** 2n * BigInt(score[1]);
    sign = left < right ? -1 : left > right ? 1 : 0;
  } else {
    sign = compareFractions(score[0], score[1], p, q);
  }
  return strict ? sign > 0 : sign >= 0;
}

// The lowest rank that reaches a similarity; one above the highest where none does.
export function cutRank(levels, similarity, measure, strict) {
  let low = 0, high = levels.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (reaches(levels[middle], similarity, measure, strict)) high = middle;
    else low = middle + 1;
  }
  return low + 1;
}

// A level as a number on the similarity axis.
export function levelValue([p, q], measure) {
  return measure === "cosine" ? Math.sqrt(p / q) : p / q;
}

// A similarity with the value of a level. A cosine level is a square and need not have a root: then
// the next millionth below, that reaches it (or above, that does not).
export function levelSimilarity(level, measure, above = false) {
  if (measure !== "cosine") return reduce(level);
  const [p, q] = level, root = [Math.round(Math.sqrt(p)), Math.round(Math.sqrt(q))];
  if (root[0] ** 2 === p && root[1] ** 2 === q) return root;
  const parts = Math.floor(Math.sqrt(p / q) * 1e6) + (above ? 1 : 0);
  return reduce([Math.max(1, parts), 1000000]);
}

export const hundredths = (count) => reduce([Math.min(100, Math.max(1, count)), 100]);

// 0.80 where that is exact, else three digits.
export function formatSimilarity([p, q]) {
  return 100 % q === 0 ? (p / q).toFixed(2) : (p / q).toFixed(3);
}

// A drag moves in hundredths, and snaps to a level within half of one: what is exact can be hit.
export function snapSimilarity(value, levels, measure) {
  let best = null, distance = 0.005 + 1e-9;
  for (const level of levels) {
    const away = Math.abs(levelValue(level, measure) - value);
    if (away <= distance) { best = level; distance = away; }
  }
  return best ? levelSimilarity(best, measure) : hundredths(Math.round(value * 100));
}
