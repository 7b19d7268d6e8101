import { expect, test } from 'vitest';
import { readCall } from './read-call.ts';

const token = '0123456789abcdef0123456789abcdef';

test.each([
  [token, { kind: 'success', runId: '' }],
  [`${token}/start`, { kind: 'start' }],
  [`${token}/fail`, { kind: 'fail' }],
  [`${token}/log`, { kind: 'log' }],
  [`${token}/0`, { kind: 'exit', exitStatus: 0 }],
  [`${token}/255`, { kind: 'exit', exitStatus: 255 }],
])('%s is read', (rest, expected) => {
  expect(readCall(rest, new URLSearchParams())).toEqual({
    kind: 'call',
    call: { token, runId: '', ...expected },
  });
});

test('rid names the run', () => {
  const query = new URLSearchParams('rid=1b0e2a4c-5f0d-4f6e-8a57-5a5b0f1d7c11');
  expect(readCall(`${token}/start`, query)).toMatchObject({
    call: { runId: '1b0e2a4c-5f0d-4f6e-8a57-5a5b0f1d7c11' },
  });
});

test.each(['', 'x', `${token}0`, token.toUpperCase(), `${token}/start/x`])('%j has no token', (rest) => {
  expect(readCall(rest, new URLSearchParams())).toEqual({ kind: 'unknown' });
});

test.each([
  [`${token}/256`, '', 'exit status from 0 to 255'],
  [`${token}/stop`, '', 'exit status from 0 to 255'],
  [`${token}/-1`, '', 'exit status from 0 to 255'],
  [`${token}/`, '', 'exit status from 0 to 255'],
  [token, 'rid=a b', 'rid must have'],
  [token, `rid=${'a'.repeat(65)}`, 'rid must have'],
])('%s with %j is malformed', (rest, query, message) => {
  expect(readCall(rest, new URLSearchParams(query))).toEqual({
    kind: 'malformed',
    message: expect.stringContaining(message),
  });
});
