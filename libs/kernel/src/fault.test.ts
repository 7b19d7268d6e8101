import { expect, test } from 'vitest';
import { actionOf, Fault, messageOf } from './fault.ts';

test('a fault says what to do next; anything else is tried again', () => {
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
