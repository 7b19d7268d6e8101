import { expect, test } from 'vitest';
import { actionOf, Fault, messageOf } from './fault.ts';

test('a Fault names the next action; anything else is tried again', () => {
  expect(actionOf(new Fault('drop', 'bad-record', 'no start'))).toBe('drop');
  expect(actionOf(new Error('socket'))).toBe('retry');
  expect(actionOf('text')).toBe('retry');
});

test('the cause is kept and the message is one line for people', () => {
  const cause = new Error('ECONNREFUSED');
  const fault = new Fault('stop', 'no-database', 'the database does not answer', {
    cause,
    data: { host: 'x' },
  });
  expect(fault.cause).toBe(cause);
  expect(messageOf(fault)).toBe('the database does not answer');
  expect(fault.data).toEqual({ host: 'x' });
});

test.each([
  [new Error('plain'), 'plain'],
  [
    new AggregateError([new Error('refused by ::1'), new Error('refused by 127.0.0.1')]),
    'refused by ::1; refused by 127.0.0.1',
  ],
  [new TypeError(), 'TypeError'],
  ['text', 'text'],
  [Object.assign(Object.create(null), { message: 'of another process' }), 'of another process'],
  [Object.create(null), '[Object: null prototype] {}'],
])('the message of %s is not empty', (error, message) => {
  expect(messageOf(error)).toBe(message);
});
