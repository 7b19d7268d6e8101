import { propertyRuns } from '@vantage/kernel/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type FoldInput, lateAfterUs, type OnlineSpan, toObservations } from './observation.ts';

/** Times are whole ticks, so that the ends of spans and checks often fall together. */
const tickUs = 10_000_000;
const ticks = 30;
const tick = fc.integer({ min: 0, max: ticks });
/** Agents 11 and 12 stand at Location 1, 21 at 2. */
const agentNos = [11, 12, 21];
const agent = fc.constantFrom(...agentNos);
const locationOf = (agentNo: number) => Math.floor(agentNo / 10);

const spans = fc.array(
  fc.tuple(agent, tick, tick).map(
    ([agentNo, a, b]): OnlineSpan => ({
      agentNo,
      locationNo: locationOf(agentNo),
      fromUs: Math.min(a, b) * tickUs,
      toUs: Math.max(a, b) * tickUs,
    }),
  ),
  { maxLength: 5 },
);
const result = fc
  .record({
    start: tick,
    lasts: fc.integer({ min: 0, max: 3 }),
    delay: fc.constantFrom(0, lateAfterUs, lateAfterUs + 1),
    agentNo: agent,
    isBehindAnchor: fc.boolean(),
  })
  .map(
    ({ start, lasts, delay, agentNo, isBehindAnchor }): FoldInput => ({
      startUs: start * tickUs,
      endUs: (start + lasts) * tickUs,
      arrivedUs: (start + lasts) * tickUs + delay,
      agentNo,
      locationNo: locationOf(agentNo),
      code: 10,
      attempt: 0,
      retryId: null,
      revision: 1,
      text: '',
      isBehindAnchor,
    }),
  );

/** The agents online in each tick: every span paints its ticks. */
function paint(all: readonly OnlineSpan[]): readonly ReadonlySet<number>[] {
  const online = Array.from({ length: ticks + 5 }, () => new Set<number>());
  for (const { agentNo, fromUs, toUs } of all)
    for (let at = fromUs / tickUs; at < toUs / tickUs; at += 1) online[at]?.add(agentNo);
  return online;
}

/** The agents that a check is seen beside: online then; else those of the last minute in which anybody was. */
function activeAt(online: readonly ReadonlySet<number>[], at: number): ReadonlySet<number> {
  const last = online.slice(0, at + 1).findLastIndex((agents) => agents.size > 0);
  if (last === at) return online[at] ?? new Set();
  return new Set(online.slice(Math.max(0, last - 5), last + 1).flatMap((agents) => [...agents]));
}

test('each result is seen beside the Locations that were online at its start, and knows whether its agent was', () => {
  fc.assert(
    fc.property(spans, result, (all, one) => {
      const [got] = toObservations([one], all);
      const online = paint(all);
      const live = online[one.startUs / tickUs] ?? new Set();
      const active = activeAt(online, one.startUs / tickUs);
      const onlineLocationNos = [1, 2].filter((no) =>
        [...active].some((agentNo) => locationOf(agentNo) === no),
      );
      const isConnected = online[one.endUs / tickUs]?.has(one.agentNo) ?? false;
      expect(got).toEqual({
        ...one,
        onlineLocationNos,
        superseded:
          one.arrivedUs - one.endUs > lateAfterUs &&
          agentNos.some((no) => no !== one.agentNo && live.has(no)),
        oneOff: onlineLocationNos.includes(one.locationNo) && !active.has(one.agentNo),
        cutOff: one.isBehindAnchor || (all.length > 0 && !isConnected),
      });
    }),
    { numRuns: propertyRuns(2_000) },
  );
});
