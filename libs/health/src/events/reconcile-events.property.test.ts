import { isInconclusive } from '@vantage/domain';
import { propertyRuns } from '@vantage/kernel/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fold } from '../fold.ts';
import { announcedStatus, newState } from '../fold-state.ts';
import type { FoldEvent } from '../fold-step.ts';
import { comparePoints, type Observation, toObservations } from '../observation.ts';
import { foldInBatches } from '../testing/batches.ts';
import { histories } from '../testing/histories.ts';
import type { ResultHistory } from '../testing/oracle.ts';

const second = 1_000_000;
const runs = propertyRuns(500);

const observationsOf = (history: ResultHistory) => toObservations(history.results, history.spans);
const foldHistory = (history: ResultHistory, seen: readonly Observation[] = observationsOf(history)) =>
  fold(newState(history.created * second), seen, history.settings);
const isStatus = ({ type, status }: FoldEvent) => type === status;

test('no two events of a device in a row say the same status, and none has the cause and type of another', () => {
  fc.assert(
    fc.property(histories, (history) => {
      const { events } = foldHistory(history);
      const statuses = events.filter(isStatus).map(({ status }) => status);
      for (const [i, status] of statuses.entries()) expect(status).not.toBe(statuses[i + 1]);
      const keys = events.map(({ type, cause }) => `${type}/${cause.startUs}/${cause.agentNo}`);
      expect(new Set(keys).size).toBe(keys.length);
    }),
    { numRuns: runs },
  );
});

test('where no agent is cut off, each change of status has exactly one event', () => {
  fc.assert(
    fc.property(histories, (history) => {
      const folded = foldHistory(
        history,
        observationsOf(history).map((seen) => ({ ...seen, cutOff: false })),
      );
      const [, ...changes] = folded.intervals;
      expect(
        folded.events.filter(isStatus).map(({ status, sinceUs }) => ({ status, fromUs: sinceUs })),
      ).toEqual(changes.map(({ status, fromUs }) => ({ status, fromUs })));
    }),
    { numRuns: runs },
  );
});

test('Up and Down always have the last event; an Unknown without an event comes from cut off agents only', () => {
  fc.assert(
    fc.property(histories, (history) => {
      const observations = observationsOf(history);
      const folded = foldHistory(history, observations);
      const statusEvents = folded.events.filter(isStatus);
      for (const point of folded.checkpoints) {
        const { at } = point;
        if (at === null) continue;
        const last = statusEvents.findLast(({ cause }) => comparePoints(cause, at) <= 0);
        if (point.status !== 'Unknown') expect(last?.status).toBe(point.status);
        else if (last !== undefined && last.status !== 'Unknown') {
          expect(point.announced).toBe(false);
          const cause = observations.find((seen) => comparePoints(seen, at) === 0);
          if (cause === undefined || !isInconclusive(cause.code)) continue;
          // An inconclusive result while another online Location has a real answer confirms nothing.
          const confirms = cause.onlineLocationNos.every((no) => point.inconclusiveLocationNos.includes(no));
          if (confirms) expect(cause.cutOff).toBe(true);
        }
      }
    }),
    { numRuns: runs },
  );
});

const arrivals = histories.chain((history) =>
  fc.tuple(
    fc.constant(history),
    fc.shuffledSubarray(observationsOf(history), { minLength: history.results.length }),
    fc.integer({ min: 1, max: 6 }),
  ),
);

test('results in any order record no status twice in a row, and the last one recorded is the status of the device', () => {
  fc.assert(
    fc.property(arrivals, ([history, order, size]) => {
      const stored = foldInBatches(history.created * second, order, size, history.settings);
      const { state, statuses, events } = stored;
      const names = events
        .filter(isStatus)
        .map(({ type, cause }) => `${type}/${cause.startUs}/${cause.agentNo}`);
      expect(new Set(names).size).toBe(names.length);
      for (const [i, { status }] of statuses.entries()) expect(status).not.toBe(statuses[i + 1]?.status);
      const now = announcedStatus(state);
      if (statuses.length > 0 && now !== null) expect(statuses.at(-1)?.status).toBe(now);
    }),
    { numRuns: runs },
  );
});

test('results in their order record exactly the events of the fold, without a correction', () => {
  fc.assert(
    fc.property(histories, fc.integer({ min: 1, max: 6 }), (history, size) => {
      const live = observationsOf(history).sort((a, b) => a.startUs - b.startUs || a.agentNo - b.agentNo);
      const stored = foldInBatches(history.created * second, live, size, history.settings);
      expect(stored.events).toEqual(foldHistory(history).events);
      expect(stored.corrections).toBe(0);
    }),
    { numRuns: runs },
  );
});
