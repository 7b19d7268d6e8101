import fc from 'fast-check';
import { expect, test } from 'vitest';
import { notifiedOf } from './notified.ts';

type Notification = Parameters<typeof notifiedOf>[0][number];
const at = (minute: number) => new Date(minute * 60_000).toISOString();
const message = (
  Name: string,
  State: Notification['State'],
  Kind = 'device.down',
  minute = 1,
): Notification => ({
  Name,
  Kind,
  State,
  At: at(minute),
  Attempts: [{ At: at(minute), Answer: '' }],
});

test('a contact that got one message was notified, whatever became of the others', () => {
  const all = [
    message('NOC', 'Failed'),
    message('NOC', 'Delivered', 'device.down', 7),
    message('Jana', 'Pending'),
    message('Channel', 'Failed'),
    message('Ada', 'Delivered', 'acknowledged'),
    message('Bob', 'Delivered', 'device.up'),
  ];
  expect(notifiedOf(all)).toEqual({
    delivered: ['NOC'],
    firstAt: at(7),
    waiting: ['Jana'],
    failed: ['Channel'],
  });
});

test('no contact is named twice', () => {
  const states = fc.constantFrom<Notification['State']>(
    'Pending',
    'Delivered',
    'Failed',
    'Withdrawn',
    'Shadow',
  );
  const messages = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), states), { maxLength: 12 });
  fc.assert(
    fc.property(messages, (given) => {
      const { delivered, waiting, failed } = notifiedOf(given.map(([name, state]) => message(name, state)));
      const names = [...delivered, ...waiting, ...failed];
      expect(names.length).toBe(new Set(names).size);
      const told = given
        .filter(([, state]) => state !== 'Withdrawn' && state !== 'Shadow')
        .map(([name]) => name);
      expect(new Set(names)).toEqual(new Set(told));
    }),
  );
});
