/**
 * A function of a text that remembers its answers in `known`. When `known` has `most` of them, all are forgotten and
 * computed again.
 */
export function remembered<Answer>(
  known: Map<string, { readonly answer: Answer }>,
  most: number,
  compute: (text: string) => Answer,
): (text: string) => Answer {
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found.answer;
    if (known.size >= most) known.clear();
    const answer = compute(text);
    known.set(text, { answer });
    return answer;
  };
}
