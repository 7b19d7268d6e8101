import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countRollout, rolloutOrder } from './rollout-view.ts';

const state = fc.constantFrom('Waiting', 'Started', 'Downloading', 'Restarting', 'Done', 'Failed', 'Stopped');
const rollout = fc.record({
  State: fc.constantFrom('Running', 'Done', 'Stopped'),
  Agents: fc.array(fc.record({ State: state, Connected: fc.boolean() })),
});

test('each agent of a rollout is counted once', () => {
  fc.assert(
    fc.property(rollout, (facts) => {
      const counts = countRollout(facts);
      expect(Object.values(counts).reduce((sum, each) => sum + each, 0)).toBe(facts.Agents.length);
      expect(counts.done).toBe(facts.Agents.filter(({ State }) => State === 'Done').length);
      expect(counts.away).toBe(
        facts.Agents.filter(({ State, Connected }) => State === 'Waiting' && !Connected).length,
      );
    }),
  );
});

test('failed agents are first, done ones last, and none is lost', () => {
  fc.assert(
    fc.property(rollout, ({ Agents }) => {
      const ordered = rolloutOrder(Agents);
      expect(new Set(ordered)).toEqual(new Set(Agents));
      const states = ordered.map(({ State }) => State);
      expect(states.lastIndexOf('Failed')).toBeLessThan(
        states.some((each) => each !== 'Failed')
          ? states.findIndex((each) => each !== 'Failed')
          : states.length,
      );
      const firstDone = states.indexOf('Done');
      if (firstDone >= 0) expect(states.slice(firstDone).every((each) => each === 'Done')).toBe(true);
    }),
  );
});
