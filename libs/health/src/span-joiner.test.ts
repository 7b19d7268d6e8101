import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSpanJoiner } from './span-joiner.ts';
import type { ShownSpan } from './timeline.ts';

const statuses = ['Up', 'Down', 'Maint', 'Unknown'] as const;
const joinShort = (spans: readonly ShownSpan[], resolutionUs: number) => {
  const joiner = createSpanJoiner(resolutionUs);
  joiner.add(spans);
  return joiner.drawn;
};
/** Stretches without holes, neighbours of different status. */
const timelines = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 100 }), fc.constantFrom(...statuses)), { maxLength: 60 })
  .map((parts) => {
    const spans: ShownSpan[] = [];
    for (const [length, status] of parts) {
      const fromUs = spans.at(-1)?.toUs ?? 1_000;
      if (spans.at(-1)?.status !== status) spans.push({ fromUs, toUs: fromUs + length, status });
    }
    return spans;
  });
/** The worst status that holds at a microsecond of a stretch, the slow way. */
const worstOf = (spans: readonly ShownSpan[], fromUs: number, toUs: number) =>
  (['Down', 'Unknown', 'Maint', 'Up'] as const).find((status) =>
    spans.some((span) => span.status === status && span.fromUs < toUs && span.toUs > fromUs),
  );

test('short stretches are joined under the worst status; nothing is lost, and long ones stay', () => {
  fc.assert(
    fc.property(timelines, fc.integer({ min: 1, max: 150 }), (spans, resolution) => {
      const drawn = joinShort(spans, resolution);
      expect(drawn[0]?.fromUs).toBe(spans[0]?.fromUs);
      expect(drawn.at(-1)?.toUs).toBe(spans.at(-1)?.toUs);
      const edges = new Set(spans.flatMap(({ fromUs, toUs }) => [fromUs, toUs]));
      for (const [at, one] of drawn.entries()) {
        expect(one.fromUs).toBe(drawn[at - 1]?.toUs ?? one.fromUs);
        expect(edges.has(one.fromUs) && edges.has(one.toUs)).toBe(true);
        expect(one.status).toBe(worstOf(spans, one.fromUs, one.toUs));
        const within = spans.filter(({ fromUs, toUs }) => fromUs >= one.fromUs && toUs <= one.toUs);
        expect(one.isMixed).toBe(within.length > 1);
        // Two neighbours are never both short: they would have been joined, unless one of them is as it was.
        const next = drawn[at + 1];
        const isShort = (span: typeof one) => span.toUs - span.fromUs < resolution;
        if (next !== undefined) expect(isShort(one) && isShort(next)).toBe(false);
      }
      for (const span of spans)
        if (span.toUs - span.fromUs >= resolution) expect(drawn).toContainEqual({ ...span, isMixed: false });
      const period = (spans.at(-1)?.toUs ?? 0) - (spans[0]?.fromUs ?? 0);
      expect(drawn.length).toBeLessThanOrEqual(2 * Math.ceil(period / resolution) + 1);
    }),
    { numRuns: 500 },
  );
});

test('spans that come in parts, cut anywhere, are joined as those that come at once', () => {
  fc.assert(
    fc.property(
      timelines,
      fc.integer({ min: 1, max: 150 }),
      fc.array(fc.integer({ min: 1_000, max: 5_000 }), { maxLength: 5 }),
      (spans, resolution, at) => {
        const edges = [0, ...at.sort((a, b) => a - b), Number.MAX_SAFE_INTEGER];
        const joiner = createSpanJoiner(resolution);
        for (const [i, fromUs] of edges.slice(0, -1).entries())
          joiner.add(
            spans
              .map((span) => ({
                ...span,
                fromUs: Math.max(span.fromUs, fromUs),
                toUs: Math.min(span.toUs, edges[i + 1] ?? fromUs),
              }))
              .filter((span) => span.toUs > span.fromUs),
          );
        expect(joiner.drawn).toEqual(joinShort(spans, resolution));
      },
    ),
  );
});
