import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { makeCertificate } from '@vantage/probes/testing';
import { beforeEach, expect, test } from 'vitest';
import type { Asked } from './ask.ts';
import { judgeCertificate, judgeFiles } from './certificate.ts';
import { examineDatabase } from './database.ts';
import { judgeAgents, judgeApi, judgeDisk } from './examine.ts';
import { examineKeyFile } from './key-file.ts';
import { judgeReadiness } from './readiness.ts';

const answer = (text: string, status = 200): Asked => ({ kind: 'answer', status, text, ms: 3.4 });
const none: Asked = { kind: 'none', reason: 'connect ECONNREFUSED' };
const gib = 2 ** 30;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'vantage-judge-'));
  return () => rmSync(folder, { recursive: true });
});

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
  const found = 'fault: the key file is missing\n  Put it back.\nwarning: no backup\n  Make one.\n';
  const [key, backup] = [
    { level: 'fault', text: 'the key file is missing', remedy: 'Put it back.' },
    { level: 'warning', text: 'no backup', remedy: 'Make one.' },
  ];
  expect(judgeReadiness(answer(`ready\n${found}`))).toMatchObject([key, backup]);
  expect(judgeReadiness(answer(`not ready: the database does not answer\n${found}`, 503))).toMatchObject([
    { level: 'fault', text: 'not ready: the database does not answer' },
    key,
    backup,
  ]);
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
});

test('a database that was copied is named', async () => {
  const from = 'postgres://vantage@db.example/vantage';
  const moved = { from, to: 'embedded', name: 'the embedded database', copyId: 'a' };
  writeFileSync(path.join(folder, 'database-moved.json'), JSON.stringify(moved));
  expect(await examineDatabase(folder, { VANTAGE_DATABASE_URL: from })).toMatchObject([
    { level: 'warning', step: 'database', text: expect.stringContaining('the embedded database is used') },
  ]);
  // The settings name another database meanwhile, here none.
  expect(await examineDatabase(folder, {})).toEqual([]);
});

test('a step without an answer is a fault', () => {
  expect(judgeReadiness(none)).toMatchObject([{ level: 'fault', step: 'readiness' }]);
  expect(judgeAgents(none)).toMatchObject([{ level: 'fault', step: 'agents' }]);
  expect(judgeAgents(answer('{"code":1005}', 503))).toMatchObject([{ level: 'fault', step: 'agents' }]);
});

test('a certificate that cannot be read is a fault', () => {
  expect(judgeCertificate('no certificate', 0)).toMatchObject({ level: 'fault', step: 'certificate' });
});

test('the files of VANTAGE_TLS_CERT are judged: one pair, readable, valid', () => {
  const [certFile, keyFile] = [path.join(folder, 'cert.pem'), path.join(folder, 'key.pem')];
  const judge = () => judgeFiles({ certFile, keyFile }, Date.now());
  expect(judge()).toMatchObject({ level: 'fault', text: expect.stringContaining(certFile) });
  const [one, other] = [makeCertificate({ names: ['a'], toDays: 90 }), makeCertificate({ names: ['a'] })];
  writeFileSync(certFile, one.cert);
  writeFileSync(keyFile, other.key);
  expect(judge()).toMatchObject({ level: 'fault', text: expect.stringContaining('the key is not the one') });
  writeFileSync(keyFile, one.key);
  expect(judge()).toMatchObject({ level: 'ok' });
});

test.each([
  [undefined, 'fault', 'is missing'],
  ['no key', 'fault', 'holds no key'],
  ['', 'fault', 'holds no key'],
  [`${randomBytes(32).toString('base64')}\n${randomBytes(32).toString('base64')}\n`, 'ok', 'secret.key'],
])('a key file with %j is %s', (text, level, words) => {
  const file = path.join(folder, 'secret.key');
  if (text !== undefined) writeFileSync(file, text);
  expect(examineKeyFile(folder, {})).toMatchObject({ level, text: expect.stringContaining(words) });
  expect(examineKeyFile('/nowhere', { VANTAGE_SECRET_KEY_FILE: file })).toMatchObject({ level });
});
