import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createLog, systemClock } from '@vantage/kernel';
import { createDial, specOf } from '@vantage/probes';
import { listen } from '@vantage/probes/testing';
import { afterAll, expect, test } from 'vitest';
import { loadPolicy } from '../policy/policy-file.ts';
import { createCheckRunner } from '../schedule/check-runner.ts';
import { assignment } from '../testing/measurements.ts';
import { createLocalSecrets, readLocalSecrets } from './local-secrets-file.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'vantage-secrets-'));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;

function fileOf(text: string, mode = 0o600): string {
  const file = path.join(folder, String(files++));
  writeFileSync(file, text);
  chmodSync(file, mode);
  return file;
}

const reference = (name: string) => ['$', '{local:', name, '}'].join('');

function known(file: string): Record<string, string> {
  const result = readLocalSecrets(file);
  if (!result.ok) throw new Error(result.problem);
  return Object.fromEntries([...result.secrets].map(([name, value]) => [name, value.reveal()]));
}

test('the agent reads names and texts from a file of mode 0600 and never shows the texts', () => {
  expect(known(fileOf('{"mail.a-b_1":"s3cret"}', 0o400))).toEqual({ 'mail.a-b_1': 's3cret' });
  const result = readLocalSecrets(fileOf('{"mail":"s3cret"}'));
  if (!result.ok) throw new Error(result.problem);
  expect(JSON.stringify([...result.secrets])).toBe('[["mail","***"]]');
});

test.each([
  ['others may read', () => fileOf('{}', 0o604), 'mode is 0604: chmod 600'],
  ['the group may read', () => fileOf('{}', 0o640), 'mode is 0640'],
  ['may be run', () => fileOf('{}', 0o700), 'mode is 0700'],
  ['is a folder', () => folder, 'must be a regular file'],
  ['is a pipe', pipe, 'must be a regular file'],
  ['is not there', () => path.join(folder, 'none'), 'cannot be read'],
  ['is no JSON', () => fileOf('{"mail":"s3cret"'), 'must contain a JSON object'],
  ['is a list', () => fileOf('["s3cret"]'), 'must contain a JSON object'],
  ['holds a number', () => fileOf('{"mail":42424242}'), 'must contain a JSON object'],
  ['has a name that cannot be referred to', () => fileOf('{"a b":"s3cret"}'), 'must contain a JSON object'],
  ['has a value too short to be hidden', () => fileOf('{"a":"pw"}'), 'at least 3 characters'],
])('a file that %s is refused without quoting its content', (_what, make, problem) => {
  const result = readLocalSecrets(make());
  expect(result).toEqual({ ok: false, problem: expect.stringContaining(problem) });
  expect(JSON.stringify(result)).not.toMatch(/s3cret|4242|"pw"/);
});

test('a change is applied; an invalid file leaves the values and is reported once', () => {
  const file = fileOf('{"mail":"first"}');
  const faults: string[] = [];
  const changes: number[] = [];
  const secrets = createLocalSecrets({
    file,
    onFault: (problem) => void faults.push(problem),
    onChange: (count) => void changes.push(count),
  });
  const first = secrets.current;
  secrets.refresh();
  expect(secrets.current).toBe(first);
  writeFileSync(file, '{"mail":"second one"}');
  secrets.refresh();
  expect(secrets.current.get('mail')?.reveal()).toBe('second one');
  expect(changes).toEqual([1]);
  chmodSync(file, 0o644);
  secrets.refresh();
  secrets.refresh();
  expect(secrets.current.get('mail')?.reveal()).toBe('second one');
  expect(faults).toHaveLength(1);
});

test('a check sends the value and shows only its mask; an unknown name gives ResultCode 10 until the file has it', async () => {
  const heard: string[] = [];
  await using server = await listen((socket) => {
    socket.on('data', (data) => {
      heard.push(data.toString());
      socket.end('no s3cret-value here\n');
    });
  });
  const file = fileOf('{"other":"something"}');
  const log = createLog('test', 'silent');
  const secrets = createLocalSecrets({ file, onFault: (text) => log.error(text), onChange: () => {} });
  const policy = loadPolicy(undefined);
  if (!policy.ok) throw new Error('no policy');
  const check = createCheckRunner({
    clock: systemClock,
    dial: createDial(),
    policy: policy.policy,
    random: Math.random,
    localSecrets: () => secrets.current,
  });
  const options = { Steps: [{ Send: reference('mail'), Expect: 'welcome' }] };
  const device = assignment(1, {
    spec: specOf({ method: 'TCP', url: server.target, timeoutMs: 2000, options }),
  });
  const { signal } = new AbortController();
  const unknown = await check(device, signal);
  expect(unknown).toMatchObject({ code: 10, text: expect.stringContaining(`${reference('mail')} in Steps`) });
  expect(unknown.text).toContain('VANTAGE_AGENT_SECRETS_FILE');
  writeFileSync(file, '{"mail":"s3cret-value"}');
  secrets.refresh();
  const failed = await check(device, signal);
  expect(heard.join('')).toContain('s3cret-value');
  expect(failed.code).not.toBe(1);
  expect(JSON.stringify(failed)).toContain('***');
  expect(JSON.stringify(failed)).not.toContain('s3cret-value');
});

function pipe(): string {
  const file = path.join(folder, String(files++));
  execFileSync('mkfifo', ['-m', '600', file]);
  return file;
}
