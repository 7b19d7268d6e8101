/**
 * A function of a text that caches its answers in `known`. When `known` has `maxKnown` of them, it forgets them all and
 * starts again.
 */
export function remembered<Answer>(
  known: Map<string, { readonly answer: Answer }>,
  maxKnown: number,
  compute: (text: string) => Answer,
): (text: string) => Answer {
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found.answer;
    if (known.size >= maxKnown) known.clear();
    const answer = compute(text);
    known.set(text, { answer });
    return answer;
  };
}
