/** The known name that the writer most likely meant: letter case and a few letters may differ. Pure. */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  if (name === '') return undefined;
  const sent = name.slice(0, 100).toLowerCase();
  const maxEdits = Math.min(4, Math.max(1, Math.ceil(sent.length / 3)));
  let best: { readonly known: string; readonly score: number } | undefined;
  for (const candidate of known) {
    const score = distance(sent, candidate.toLowerCase());
    if (score <= maxEdits && (best === undefined || score < best.score)) best = { known: candidate, score };
  }
  return best?.known;
}

/** The Levenshtein distance. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replace = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replace, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
