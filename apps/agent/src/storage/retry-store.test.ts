import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { create } from '@bufbuild/protobuf';
import { type CheckResult, CheckResultSchema } from '@vantage/proto';
import { afterAll, expect, test } from 'vitest';
import { type AssignedRules, openRetryStore } from './retry-store.ts';

const root = mkdtempSync(path.join(tmpdir(), 'vantage-chains-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let folders = 0;

const rules = { retries: 2, retryDelayMs: 5000, timeoutMs: 1000, retriesLocally: true, graceMs: 5000 };

function createFixture(folder = mkdtempSync(path.join(root, `${folders++}-`))) {
  const assigned = new Map<number, AssignedRules>(
    [1, 2, 3].map((deviceNo) => [deviceNo, { revision: 1, rules }]),
  );
  const faults: string[] = [];
  const open = () =>
    openRetryStore({
      folder,
      rulesOf: (deviceNo) => assigned.get(deviceNo),
      onFault: (text) => faults.push(text),
    });
  return { folder, assigned, faults, open };
}

function result(deviceNo: number, resultCode: number, attempt = 0, retryId = '', revision = 1): CheckResult {
  return create(CheckResultSchema, {
    deviceNo,
    resultCode,
    attempt,
    retryId,
    revision,
    startUs: 1_000_000n,
  });
}

test('a restart continues an open retry, and remembers that all retries failed', async () => {
  const { open } = createFixture();
  const before = await open();
  before.add(result(1, 2, 0, 'c1'));
  before.add(result(2, 2, 0, 'c2'));
  before.add(result(2, 2, 1, 'c2'));
  before.add(result(2, 2, 2, 'c2'));
  before.add(result(3, 2, 0, 'c3'));
  before.add(result(3, 1, 1, 'c3'));
  await before.written();
  const after = await open();
  expect(after.of(1, 0).state).toMatchObject({ kind: 'open', attempt: 1, retryId: 'c1' });
  expect(after.of(2, 0).state).toEqual({ kind: 'exhausted' });
  expect(after.of(3, 0).state).toEqual({ kind: 'none' });
});

test('results that are still in the outbox are applied again and change nothing', async () => {
  const { open } = createFixture();
  const before = await open();
  const results = [result(1, 2, 0, 'c1'), result(1, 2, 1, 'c1'), result(1, 2, 2, 'c1'), result(1, 2)];
  for (const each of results) before.add(each);
  await before.written();
  const after = await open();
  for (const each of results) after.add(each);
  expect(after.of(1, 0).state).toEqual({ kind: 'exhausted' });
});

test('a device that was removed, or has another target, has no retry sequence', async () => {
  const { open, assigned } = createFixture();
  const chains = await open();
  chains.add(result(1, 2, 0, 'c1'));
  chains.add(result(2, 2, 0, 'c2'));
  chains.add(result(9, 2, 0, 'c9'));
  assigned.delete(1);
  assigned.set(2, { revision: 2, rules });
  chains.prune();
  assigned.set(1, { revision: 1, rules });
  for (const deviceNo of [1, 2, 9]) expect(chains.of(deviceNo, 0).state).toEqual({ kind: 'none' });
  chains.add(result(2, 2, 0, 'old', 1));
  expect(chains.of(2, 0).state).toEqual({ kind: 'none' });
});

test('good results write nothing', async () => {
  const { open, folder } = createFixture();
  const chains = await open();
  chains.add(result(1, 1));
  await chains.written();
  expect(() => readFileSync(path.join(folder, 'chains.bin'))).toThrow('ENOENT');
});

test('in place of a damaged file the previous one is read; a disk that refuses is reported once', async () => {
  const { open, folder, faults } = createFixture();
  const chains = await open();
  chains.add(result(1, 2, 0, 'c1'));
  await chains.written();
  chains.add(result(2, 2, 0, 'c2'));
  await chains.written();
  const file = path.join(folder, 'chains.bin');
  const bytes = readFileSync(file);
  bytes[bytes.length - 3] = 0;
  writeFileSync(file, bytes);
  const after = await open();
  expect(after.of(1, 0).state.kind).toBe('open');
  rmSync(folder, { recursive: true });
  after.add(result(3, 2, 0, 'c3'));
  await after.written();
  await after.written();
  expect(faults.length).toBe(1);
});
