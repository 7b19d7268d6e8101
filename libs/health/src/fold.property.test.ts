import type { BaseStatus } from '@vantage/domain';
import { propertyRuns } from '@vantage/kernel/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type BaseInterval, fold } from './fold.ts';
import { newState } from './fold-state.ts';
import { toObservations } from './observation.ts';
import { foldInBatches } from './testing/batches.ts';
import { histories } from './testing/histories.ts';
import { baseBySecond, countSeconds, type ResultHistory } from './testing/oracle.ts';
import { outages, timeline } from './timeline.ts';
import { uptime } from './uptime.ts';

const second = 1_000_000;
/** A longer search for rare cases, on request. */
const runs = propertyRuns(500);

function foldHistory(history: ResultHistory, results = history.results) {
  const seed = newState(history.created * second);
  return fold(seed, toObservations(results, history.spans), history.settings);
}

function bySecond(intervals: readonly BaseInterval[], seconds: number): BaseStatus[] {
  return Array.from({ length: seconds }, (_, s) => {
    return intervals.findLast((interval) => Math.floor(interval.fromUs / second) <= s)?.status ?? 'Unknown';
  });
}

test('the fold has the same status as the oracle for every second', () => {
  fc.assert(
    fc.property(histories, (history) => {
      expect(bySecond(foldHistory(history).intervals, history.seconds)).toEqual(baseBySecond(history));
    }),
    { numRuns: runs },
  );
});

test('order and repetition of the input change nothing', () => {
  const shuffled = histories.chain((history) =>
    fc.tuple(
      fc.constant(history),
      fc.shuffledSubarray([...history.results, ...history.results], {
        minLength: history.results.length * 2,
      }),
    ),
  );
  fc.assert(
    fc.property(shuffled, ([history, results]) => {
      expect(foldHistory(history, results)).toEqual(foldHistory(history));
    }),
    { numRuns: runs },
  );
});

test('batches that arrive in any order, folded from checkpoints, end in the same history with all its events', () => {
  const arrivals = histories.chain((history) =>
    fc.tuple(
      fc.constant(history),
      fc.shuffledSubarray(toObservations(history.results, history.spans), {
        minLength: history.results.length,
      }),
      fc.integer({ min: 1, max: 6 }),
    ),
  );
  fc.assert(
    fc.property(arrivals, ([history, order, size]) => {
      const whole = foldHistory(history);
      const pieces = foldInBatches(history.created * second, order, size, history.settings);
      expect(pieces.state).toEqual(whole.state);
      expect(pieces.intervals).toEqual(whole.intervals);
      const types = [
        ...pieces.events.map(({ type }) => type),
        ...pieces.statuses.map(({ status }) => status),
      ];
      expect(types).toEqual(expect.arrayContaining(whole.events.map(({ type }) => type)));
    }),
    { numRuns: runs },
  );
});

test('a fold from any checkpoint over all results has the same end, and repeats nothing before the checkpoint', () => {
  fc.assert(
    fc.property(histories, (history) => {
      const observations = toObservations(history.results, history.spans);
      const whole = foldHistory(history);
      for (const [i, checkpoint] of whole.checkpoints.entries()) {
        const again = fold(checkpoint, observations, history.settings);
        expect(again.state).toEqual(whole.state);
        expect(again.checkpoints).toEqual(whole.checkpoints.slice(i + 1));
      }
    }),
    { numRuns: runs },
  );
});

test('uptime counts the seconds that the oracle counts, and the parts are the period', () => {
  const asked = fc.tuple(histories, fc.integer({ min: 0, max: 200 }), fc.integer({ min: 0, max: 200 }));
  fc.assert(
    fc.property(asked, ([history, from, lasts]) => {
      const { intervals } = foldHistory(history);
      const facts = { ...history, createdUs: history.created * second, intervals };
      const period = { fromUs: from * second, toUs: (from + lasts) * second };
      const got = uptime(facts, period);
      const count = countSeconds(history, baseBySecond(history), from, from + lasts);
      expect(got.UpSeconds).toBe(count.Up);
      expect(got.DownSeconds).toBe(count.Down);
      expect(got.MaintenanceSeconds).toBe(count.Maint);
      expect(got.UnknownSeconds).toBe(count.Unknown);
      if (count.Down > 0) expect(got.Outages).toBeGreaterThan(0);
      const isDownShown = timeline(facts, period).some((span) => span.status === 'Down');
      expect(got.Outages > 0).toBe(isDownShown);
    }),
    { numRuns: runs },
  );
});

test('parts add up to the period to the second wherever the boundaries fall', () => {
  const crooked = fc.tuple(histories, fc.nat(150 * second), fc.nat(200 * second), fc.nat(second));
  fc.assert(
    fc.property(crooked, ([history, fromUs, lastsUs, shift]) => {
      const { intervals } = foldHistory(history);
      const moved = history.coverage.map((s) => ({ fromUs: s.fromUs + shift, toUs: s.toUs + shift }));
      const facts = { ...history, createdUs: history.created * second + shift, intervals, coverage: moved };
      const period = { fromUs, toUs: fromUs + lastsUs };
      const u = uptime(facts, period);
      const sum = u.UpSeconds + u.DownSeconds + u.MaintenanceSeconds + u.UnknownSeconds;
      expect(sum).toBe(Math.floor(period.toUs / second) - Math.floor(period.fromUs / second));
      const spans = timeline(facts, period);
      for (const [i, span] of spans.entries()) expect(span.status).not.toBe(spans[i + 1]?.status);
    }),
    { numRuns: runs },
  );
});

test('the seconds of excluded outages are taken from Down, and nothing else changes', () => {
  const asked = fc.tuple(histories, fc.nat(200 * second), fc.nat(200 * second), fc.nat());
  fc.assert(
    fc.property(asked, ([history, fromUs, lastsUs, bits]) => {
      const { intervals } = foldHistory(history);
      const facts = { ...history, createdUs: history.created * second, intervals };
      const period = { fromUs, toUs: fromUs + lastsUs };
      const excluded = outages(intervals).filter((_, n) => ((bits >> (n % 30)) & 1) === 1);
      const plain = uptime(facts, period);
      const got = uptime({ ...facts, excluded }, period);
      // The oracle asks for each excluded outage alone.
      const alone = excluded.map((span) => {
        const within = { fromUs: Math.max(span.fromUs, fromUs), toUs: Math.min(span.toUs, period.toUs) };
        return within.toUs <= within.fromUs ? undefined : uptime(facts, within);
      });
      const seconds = alone.reduce((sum, one) => sum + (one?.DownSeconds ?? 0), 0);
      const count = alone.filter((one) => (one?.Outages ?? 0) > 0).length;
      expect(got).toEqual({
        ...plain,
        DownSeconds: plain.DownSeconds - seconds,
        ExcludedSeconds: seconds,
        Outages: plain.Outages - count,
        ExcludedOutages: count,
      });
    }),
    { numRuns: runs },
  );
});

test('outages match the events: each begins with a Down after an Up, and ends with the next Up', () => {
  fc.assert(
    fc.property(histories, (history) => {
      const { intervals, events } = foldHistory(history);
      const statusEvents = events.filter(({ type }) => type === 'Up' || type === 'Down');
      const begins = statusEvents.filter(
        ({ type }, i) => type === 'Down' && statusEvents[i - 1]?.type !== 'Down',
      );
      expect(outages(intervals).map(({ fromUs }) => fromUs)).toEqual(begins.map(({ sinceUs }) => sinceUs));
    }),
    { numRuns: runs },
  );
});

test('at most one outage is open, and only while the device is Down or unseen after Down', () => {
  fc.assert(
    fc.property(histories, (history) => {
      const folded = foldHistory(history);
      const open = outages(folded.intervals).filter((outage) => outage.toUs === Number.POSITIVE_INFINITY);
      expect(open.length).toBeLessThanOrEqual(1);
      const { status, before } = folded.state;
      expect(open.length === 1).toBe(status === 'Down' || before === 'Down');
    }),
    { numRuns: runs },
  );
});

test('each second of an outage that uptime counts is a Down second, or Maintenance or Unknown for a reason; never Up', () => {
  const asked = fc.tuple(histories, fc.nat(300 * second), fc.nat(300 * second));
  fc.assert(
    fc.property(asked, ([history, fromUs, lastsUs]) => {
      const { intervals } = foldHistory(history);
      const facts = { ...history, createdUs: history.created * second, intervals };
      const period = { fromUs, toUs: fromUs + lastsUs };
      for (const outage of outages(intervals)) {
        const within = {
          fromUs: Math.max(outage.fromUs, period.fromUs),
          toUs: Math.min(outage.toUs, period.toUs),
        };
        if (within.toUs <= within.fromUs) continue;
        const of = (more: Partial<typeof facts>) => uptime({ ...facts, ...more }, within);
        const all = Math.floor(within.toUs / second) - Math.floor(within.fromUs / second);
        const counted = of({});
        expect(counted.UpSeconds).toBe(0);
        expect(counted.DownSeconds + counted.MaintenanceSeconds + counted.UnknownSeconds).toBe(all);
        // Take the reasons away (no coverage, maintenance, results that say nothing), and all of it is Down.
        const certain = intervals.map(
          (one) => ({ ...one, status: one.status === 'Up' ? one.status : 'Down' }) as const,
        );
        expect(of({ coverage: [within], maintenance: [], intervals: certain }).DownSeconds).toBe(all);
        if (counted.Outages === 0) expect(counted.DownSeconds).toBe(0);
      }
    }),
    { numRuns: runs },
  );
});
