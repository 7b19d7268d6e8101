import { expect, test } from 'vitest';
import { decisionDifferences, decisionsOf } from './decisions.ts';

const contacts = { hook: 'h', mail: 'm' };
const alert = (
  ShortName: string | null,
  Reason: string | null,
  messages: readonly (readonly string[])[],
) => ({
  alert_id: 'a',
  Kind: 'device.down',
  ShortName,
  Location: 'A',
  Reason,
  Notifications: messages.map(([contact_id = '', Kind = '', State = '']) => ({ contact_id, Kind, State })),
});
const sent = [
  ['m', 'device.down', 'Delivered'],
  ['h', 'device.down', 'Delivered'],
  ['h', 'device.up', 'Pending'],
];

test('decisions differ by device, kind, reason and messages, whatever became of the messages', () => {
  const alerts = [alert('web', null, sent), alert('dev', 'its master is Down', []), alert('web', null, [])];
  const decisions = decisionsOf(alerts, contacts);
  expect(decisions).toEqual({
    web: ['device.down: hook device.down, hook device.up, mail device.down', 'device.down: no message'],
    dev: ['device.down, its master is Down: no message'],
  });
  const inShadow = sent.map(([contact = '', kind = '']) => [contact, kind, 'Shadow']).toReversed();
  const recorded = decisionsOf([alert(null, null, inShadow)], contacts);
  expect(recorded['A']).toEqual(['device.down: hook device.up, hook device.down, mail device.down']);
  expect(decisionDifferences(decisions, decisions)).toEqual([]);
});

test('each device about which something else was decided is named, also where nothing was', () => {
  expect(
    decisionDifferences({ a: ['x'], b: ['x', 'y'], c: ['x'] }, { a: ['x'], b: ['y', 'x'], d: ['z'] }),
  ).toEqual([
    'b: decided x | y; in shadow y | x',
    'c: decided x; in shadow nothing',
    'd: decided nothing; in shadow z',
  ]);
});
