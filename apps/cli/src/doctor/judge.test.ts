import { expect, test } from 'vitest';
import type { Asked } from './ask.ts';
import { judgeAgents, judgeApi, judgeCertificate, judgeDisk, judgeReadiness } from './examine.ts';

const answer = (text: string, status = 200): Asked => ({ kind: 'answer', status, text, ms: 3.4 });
const none: Asked = { kind: 'none', reason: 'connect ECONNREFUSED' };
const gib = 2 ** 30;

test.each([
  [undefined, 'ok'],
  [{ freeBytes: 40 * gib, totalBytes: 100 * gib }, 'ok'],
  [{ freeBytes: gib, totalBytes: 100 * gib }, 'warning'],
  [{ freeBytes: 1024, totalBytes: 100 * gib }, 'fault'],
])('a disk with %j is %s', (space, level) => {
  expect(judgeDisk('/data', space).level).toBe(level);
});

test('what the controller says of itself is told line by line', () => {
  expect(judgeReadiness(answer('ready\n'))).toMatchObject([{ level: 'ok' }]);
  expect(judgeReadiness(answer('ready\nwarning: the clock is wrong\nwarning: the disk\n'))).toMatchObject([
    { level: 'warning', text: 'the clock is wrong' },
    { level: 'warning', text: 'the disk' },
  ]);
  expect(judgeReadiness(answer('not ready: the database does not answer\n', 503))).toMatchObject([
    { level: 'fault', text: 'not ready: the database does not answer' },
  ]);
  expect(judgeReadiness(none)).toEqual([]);
});

test('a system that runs and does not answer may be starting', () => {
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

test('agents that are away are named, those that nobody expects are not', () => {
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
  expect(judgeAgents(none)).toEqual([]);
});

test('a certificate that cannot be read is a fault', () => {
  expect(judgeCertificate('no certificate', 0)).toMatchObject({ level: 'fault', step: 'certificate' });
});
