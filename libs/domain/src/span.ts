/** A span of time: `fromUs` inclusive, `toUs` exclusive; microseconds since 1970. */
export interface Span {
  readonly fromUs: number;
  readonly toUs: number;
}

/** Joins spans that touch or overlap; the result is sorted and has no empty span. */
export function joinSpans(spans: readonly Span[]): Span[] {
  const joined: Span[] = [];
  for (const span of [...spans].sort((a, b) => a.fromUs - b.fromUs)) {
    if (span.toUs <= span.fromUs) continue;
    const last = joined.at(-1);
    if (last === undefined || span.fromUs > last.toUs) joined.push(span);
    else if (span.toUs > last.toUs) joined[joined.length - 1] = { fromUs: last.fromUs, toUs: span.toUs };
  }
  return joined;
}

/** The time that both lists cover, sorted. */
export function intersectSpans(a: readonly Span[], b: readonly Span[]): Span[] {
  const left = joinSpans(a);
  const right = joinSpans(b);
  const common: Span[] = [];
  let from = 0;
  for (const span of left) {
    while ((right[from]?.toUs ?? Number.POSITIVE_INFINITY) <= span.fromUs) from += 1;
    for (let i = from; i < right.length; i += 1) {
      const other = right[i];
      if (other === undefined || other.fromUs >= span.toUs) break;
      common.push({ fromUs: Math.max(span.fromUs, other.fromUs), toUs: Math.min(span.toUs, other.toUs) });
    }
  }
  return common;
}
