import fc from 'fast-check';
import { expect, test } from 'vitest';
import { measured } from '../testing/measurements.ts';
import { createUplinkFixture } from '../testing/uplink-fixture.ts';

test('in any order of events a verdict comes within 20 s, a dead uplink never makes an error, and a working one never hides an error', async () => {
  const happening = fc.record({
    afterMs: fc.integer({ min: 1, max: 8000 }),
    what: fc.oneof(
      fc.record({ kind: fc.constant('error' as const), deviceNo: fc.integer({ min: 1, max: 6 }) }),
      fc.record({ kind: fc.constant('fine' as const), deviceNo: fc.integer({ min: 1, max: 6 }) }),
      fc.record({ kind: fc.constant('cut' as const) }),
      fc.record({ kind: fc.constant('removed' as const), deviceNo: fc.integer({ min: 1, max: 6 }) }),
    ),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(happening, { maxLength: 12 }), fc.boolean(), async (happenings, isAlive) => {
      const { clock, uplink, judge, state } = createUplinkFixture({ isConnected: true, replies: isAlive });
      const verdicts: { code?: number }[] = [];
      for (const { afterMs, what } of happenings) {
        await clock.advance(afterMs);
        if (what.kind === 'error') verdicts.push(judge(what.deviceNo, measured(2)));
        else if (what.kind === 'fine') {
          // Behind a dead uplink nothing beyond is fine.
          if (isAlive) await uplink.confirm(what.deviceNo, measured(1));
        } else if (what.kind === 'cut') {
          // Of a living way only the stream may end; alone and cut off, an error is a 10 by the rule (cases above).
          if (isAlive) continue;
          state.isConnected = false;
          uplink.disconnected();
        } else uplink.prune((deviceNo) => deviceNo !== what.deviceNo);
      }
      await clock.advance(20_000);
      expect(verdicts.map(({ code }) => code)).toEqual(verdicts.map(() => (isAlive ? 2 : 10)));
      expect(uplink.unconfirmedFromMs).toBeUndefined();
    }),
    { numRuns: 150 },
  );
});
