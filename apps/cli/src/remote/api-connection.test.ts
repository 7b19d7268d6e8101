import { expect, test } from 'vitest';
import { apiFault } from './api-connection.ts';

const fault = (field: string) => ({ field, message: 'must be digits only', reason: 'bad_value' });

test('the message of an error is printed once, and each fault that it leaves out has a line', () => {
  const single = { code: 1004, message: 'Limit must be digits only.', errors: [fault('Limit')] };
  expect(apiFault(400, single).message).toBe('Limit must be digits only.');
  const message = 'A is wrong. B is wrong. C is wrong. There is 1 more fault; see errors.';
  const many = { code: 1004, message, errors: [fault('D')] };
  expect(apiFault(400, many).message).toBe(`${message}\nD must be digits only.`);
  expect(apiFault(502, '<html>').message).toContain('status 502');
});
