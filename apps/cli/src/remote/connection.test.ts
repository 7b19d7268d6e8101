import { expect, test } from 'vitest';
import { refusalOf } from './connection.ts';

const fault = (field: string) => ({ field, message: 'must be digits only', reason: 'bad_value' });

test('a refusal is said once, and faults that its sentence leaves out have a line each', () => {
  const one = { code: 1004, message: 'Limit must be digits only.', errors: [fault('Limit')] };
  expect(refusalOf(400, one).message).toBe('Limit must be digits only.');
  const message = 'A is wrong. B is wrong. C is wrong. There is 1 more fault; see errors.';
  const many = { code: 1004, message, errors: [fault('D')] };
  expect(refusalOf(400, many).message).toBe(`${message}\nD must be digits only.`);
  expect(refusalOf(502, '<html>').message).toContain('status 502');
});
