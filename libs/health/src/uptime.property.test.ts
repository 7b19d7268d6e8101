import type { Span } from '@vantage/domain';
import { propertyRuns } from '@vantage/kernel/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { outages, type UptimeFacts } from './timeline.ts';
import { addUptimes, uptime, uptimeOfPart } from './uptime.ts';

const s = 1_000_000;
const [beginUs, endUs] = [20 * s, 120 * s];
const moment = fc.integer({ min: 0, max: 140 * 4 }).map((quarter) => (quarter * s) / 4);
const span = fc
  .tuple(moment, moment)
  .map(([a, b]): Span => ({ fromUs: Math.min(a, b), toUs: Math.max(a, b) + 1 }));
const intervals = fc
  .uniqueArray(fc.tuple(moment, fc.constantFrom('Up', 'Down', 'Unknown')), {
    maxLength: 40,
    selector: ([fromUs]) => fromUs,
    size: 'max',
  })
  .map((all) => all.map(([fromUs, status]) => ({ fromUs, status })));
const facts = fc.record({
  createdUs: moment,
  intervals,
  coverage: fc.array(span, { maxLength: 6 }),
  maintenance: fc.array(span, { maxLength: 4 }),
  leftOut: fc.array(fc.nat(), { maxLength: 4 }),
});

/** The facts that touch a part, as they are read for it: the first interval is the one that contains its begin. */
function touching({ intervals: all, ...facts }: UptimeFacts, { fromUs, toUs }: Span): UptimeFacts {
  const first = Math.max(-1, ...all.map((one) => one.fromUs).filter((us) => us <= fromUs));
  const inside = (spans: readonly Span[] = []) =>
    spans.filter((one) => one.toUs > fromUs && one.fromUs < toUs);
  return {
    ...facts,
    intervals: all.filter((one) => one.fromUs >= first && one.fromUs < toUs),
    coverage: inside(facts.coverage),
    maintenance: inside(facts.maintenance),
    excluded: inside(facts.excluded),
  };
}

test('the uptimes of the parts of a period, cut at any seconds, add up to that of the whole', () => {
  fc.assert(
    fc.property(facts, fc.array(fc.integer({ min: 20, max: 120 }), { maxLength: 8 }), (given, cuts) => {
      const all = outages(given.intervals);
      const excluded = given.leftOut.flatMap((n) => all[n % Math.max(1, all.length)] ?? []);
      const known = { ...given, excluded };
      const edges = [beginUs, ...cuts.map((second) => second * s).sort((a, b) => a - b), endUs];
      let before: ReturnType<typeof uptimeOfPart> | undefined;
      for (const [i, fromUs] of edges.slice(0, -1).entries()) {
        const part = { fromUs, toUs: edges[i + 1] ?? fromUs };
        const next = uptimeOfPart(touching(known, part), part, before?.part);
        before = {
          ...next,
          uptime: before === undefined ? next.uptime : addUptimes(before.uptime, next.uptime),
        };
      }
      const whole = { fromUs: beginUs, toUs: endUs };
      expect(before?.uptime).toEqual(uptime(touching(known, whole), whole));
    }),
    { numRuns: propertyRuns(500) },
  );
});
