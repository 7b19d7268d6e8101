import { expect, test } from 'vitest';
import { judgeAgents, judgeApi, judgeDisk } from './examine.ts';
import type { ControllerAnswer } from './query-controller.ts';

const answer = (text: string, status = 200): ControllerAnswer => ({ kind: 'answer', status, text, ms: 3.4 });
const none: ControllerAnswer = { kind: 'none', reason: 'connect ECONNREFUSED' };
const gib = 2 ** 30;

test.each([
  [undefined, 'ok'],
  [{ freeBytes: 40 * gib, totalBytes: 100 * gib }, 'ok'],
  [{ freeBytes: gib, totalBytes: 100 * gib }, 'warning'],
  [{ freeBytes: 1024, totalBytes: 100 * gib }, 'fault'],
])('a disk with %j is %s', (space, level) => {
  expect(judgeDisk('/data', space).level).toBe(level);
});

test('a running system that does not answer may be starting', () => {
  expect(judgeApi('https://a', answer('{}'), true)).toMatchObject({
    level: 'ok',
    text: 'https://a answers in 3 ms',
  });
  expect(judgeApi('https://a', none, true)).toMatchObject({
    level: 'fault',
    remedy: expect.stringContaining('starting'),
  });
  expect(judgeApi('https://a', none, false)).toMatchObject({ remedy: expect.stringContaining('npm start') });
  expect(judgeApi('https://a', answer('busy', 503), true).level).toBe('fault');
});

test('disconnected agents are named, except those that need not be connected', () => {
  const agent = (Name: string, State: string) => ({
    Name,
    Location: 'Oslo',
    State,
    LastSeen: '2026-01-01T00:00:00+00:00',
  });
  const judge = (...list: readonly object[]) => judgeAgents(answer(JSON.stringify(list)))[0];
  expect(judge(agent('a', 'Connected'), agent('b', 'Revoked'))).toMatchObject({
    level: 'ok',
    text: '1 of 1 are connected',
  });
  expect(judge(agent('a', 'Connected'), agent('b', 'Away'))).toMatchObject({
    level: 'warning',
    text: '1 of 2 are connected; b (Oslo) was last seen 2026-01-01T00:00:00+00:00',
  });
  expect(judge(agent('a', 'New'))).toMatchObject({ level: 'warning' });
  expect(judge(...Array.from({ length: 7 }, (_, i) => agent(`a${i}`, 'Away')))?.text).toMatch(/ and 2 more$/);
  expect(judgeAgents(answer('{"code":1001}', 400))).toEqual([]);
});

test('a list of agents that cannot be read is a fault', () => {
  expect(judgeAgents(none)).toMatchObject([{ level: 'fault', step: 'agents' }]);
  expect(judgeAgents(answer('{"code":1005}', 503))).toMatchObject([{ level: 'fault', step: 'agents' }]);
});
