import { expect, test } from 'vitest';
import { type HeadlineFacts, headlineOf, type Trouble } from './headline.ts';
import { countStates, type DeviceState } from './state.ts';

const online = { Online: true };
const offline = { Online: false };

/** A quiet account, but for what is given. */
function facts(given: {
  readonly states?: readonly DeviceState[];
  readonly locations?: HeadlineFacts['locations'];
  readonly alerts?: Partial<HeadlineFacts['alerts']>;
}): HeadlineFacts {
  return {
    counts: countStates(given.states ?? ['Up', 'Maint', 'Paused']),
    causes: 1,
    locations: given.locations ?? [online],
    alerts: { open: 0, acknowledged: 0, snoozed: 0, suppressed: 0, ...given.alerts },
  };
}

test('an account of which everything is Up, in maintenance or paused is quiet', () => {
  expect(headlineOf(facts({})).kind).toBe('quiet');
});

test.each<readonly [Trouble, Parameters<typeof facts>[0]]>([
  ['offline', { locations: [online, offline] }],
  ['Unknown', { states: ['Up', 'Unknown'] }],
  ['Partial', { states: ['Up', 'Partial'] }],
  ['Retrying', { states: ['Retrying'] }],
  ['open', { alerts: { open: 1 } }],
  ['handled', { alerts: { acknowledged: 1 } }],
  ['handled', { alerts: { snoozed: 1 } }],
  ['handled', { alerts: { suppressed: 1 } }],
])('one trouble of the kind %s, and nothing is called quiet: %j', (trouble, given) => {
  expect(headlineOf(facts(given))).toEqual({ kind: 'troubled', troubles: [[trouble, 1]] });
});

test('a device that is Down is named before all other troubles, and that nothing is observed before that', () => {
  const down = { states: ['Down', 'Unknown'], alerts: { open: 2 } } as const;
  expect(headlineOf(facts(down))).toEqual({ kind: 'down', devices: 1, causes: 1 });
  expect(headlineOf(facts({ ...down, locations: [offline, offline] }))).toEqual({ kind: 'unobserved' });
  expect(headlineOf(facts({ ...down, locations: [] })).kind).toBe('down');
});
