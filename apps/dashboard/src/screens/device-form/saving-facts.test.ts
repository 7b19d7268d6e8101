import { expect, test } from 'vitest';
import { newDeviceDraft } from './device-draft.ts';
import { decisionOf, lackOf, loadOf } from './saving-facts.ts';

const draft = newDeviceDraft('192.0.2.1');

test.each([
  [{}, ['local'], 1],
  [{ intervalS: 5 }, ['local'], 12],
  [{ intervalS: 300, locations: ['Oslo', 'Rome'] }, ['Oslo', 'Rome'], 0.2],
  [{ locations: [] }, [], 0],
  [{ isEnabled: false }, ['local'], 0],
])('with %j: Locations %j check it %s times a minute', (change, locations, perMinute) => {
  expect(loadOf({ ...draft, ...change }, ['local'])).toEqual({ perMinute, locations });
});

test.each([
  // An interval, three Timeouts, two delays.
  [{}, { attempts: 3, withinS: 60 + 3 * 30 + 2 }],
  [
    { attempts: '1', timeout: '5', intervalS: 20 },
    { attempts: 1, withinS: 25 },
  ],
  [
    { attempts: '2', timeout: '10', retryDelay: '15' },
    { attempts: 2, withinS: 60 + 20 + 15 },
  ],
  [{ attempts: 'many' }, undefined],
  [{ attempts: '0' }, undefined],
])('with %j it is Down after %j', (change, decision) => {
  expect(decisionOf({ ...draft, ...change })).toEqual(decision);
});

test.each([
  [{ contacts: 0, schedules: 0 }, 'contact'],
  [{ contacts: 2, schedules: 0 }, 'schedule'],
  [{ contacts: undefined, schedules: 0 }, 'schedule'],
  [{ contacts: 2, schedules: 1 }, 'choice'],
])('with %j nobody is notified for lack of a %s', (account, lack) => {
  expect(lackOf(account)).toBe(lack);
});
