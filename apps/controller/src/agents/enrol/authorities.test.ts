import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createLog } from '@vantage/kernel';
import { createFakeClock, type FakeClock } from '@vantage/kernel/testing';
import type { Db } from '@vantage/storage';
import { reseal } from '@vantage/storage/secrets/reseal';
import { createSealer } from '@vantage/storage/secrets/seal';
import { useDatabase } from '@vantage/testing/use-database';
import { beforeEach, expect, test } from 'vitest';
import { sealedRows } from '../../catalog/secrets/reseal-store.ts';
import { ensureCertificates } from '../../server/server-certificate.ts';
import { openAuthorities, readAuthorities, sealedAuthorities } from './authorities.ts';

const log = createLog('test', 'silent');
const startUs = Date.now() * 1000;
const day = 86_400_000;
const key = new Uint8Array(32);
const otherKey = new Uint8Array(32).fill(7);
const sealer = createSealer(key);
let db: Db;
let dir: string;
let clock: FakeClock;

useDatabase((opened) => {
  db = opened;
});

beforeEach(async () => {
  await db.kysely.deleteFrom('authorities').execute();
  dir = mkdtempSync(path.join(tmpdir(), 'vantage-authorities-'));
  clock = createFakeClock(startUs);
  return () => rmSync(dir, { recursive: true });
});

/** The start of a controller whose folder is `folder`. */
async function start(folder = dir, by = sealer) {
  const authorities = await openAuthorities({ kysely: db.kysely, sealer: by, dir: folder, clock, log });
  await ensureCertificates({ dir: folder, names: ['localhost'], authorities, clock, log });
  return authorities;
}
const stored = () => readAuthorities(db.kysely);

test('several controllers that start at once on an empty database have one authority, and none has its key on disk', async () => {
  const folders = [1, 2, 3, 4].map((n) => path.join(dir, String(n)));
  const all = await Promise.all(folders.map((folder) => start(folder)));
  expect(await stored()).toHaveLength(1);
  expect(new Set(all.map(({ signing }) => signing.key)).size).toBe(1);
  const [row] = await stored();
  expect(Buffer.from(row?.sealed ?? []).toString('latin1')).not.toContain('PRIVATE KEY');
  for (const folder of folders) expect(() => readFileSync(path.join(folder, 'ca.key'))).toThrow(/ENOENT/);
});

test('a later start finds the same authority, also when the copy in the folder is gone or damaged', async () => {
  const first = await start();
  rmSync(path.join(dir, 'ca.pem'));
  expect(await start()).toEqual(first);
  writeFileSync(path.join(dir, 'ca.pem'), 'damaged');
  expect(await start()).toEqual(first);
  expect(readFileSync(path.join(dir, 'ca.pem'), 'utf8')).toBe(first.trusted.join(''));
});

test('an authority that ends is replaced in time: agents trust both for months before the new one signs', async () => {
  const first = await start();
  clock.stepWall((3650 - 179) * day);
  const both = await start();
  expect(both.trusted).toHaveLength(2);
  expect(both.signing).toEqual(first.signing);
  clock.stepWall(90 * day);
  const next = await start();
  expect(new Set(next.trusted)).toEqual(new Set(both.trusted));
  expect(next.signing.cert).not.toBe(first.signing.cert);
  clock.stepWall(100 * day);
  expect((await start()).trusted).toEqual([next.signing.cert]);
});

test('an authority that ended while everything stood still is replaced at the next start, and the new one signs at once', async () => {
  const first = await start();
  // The very moment of its end.
  clock.stepWall(Date.parse(new X509Certificate(first.signing.cert).validTo) - clock.nowUs() / 1000);
  const next = await start();
  expect(next.signing.cert).not.toBe(first.signing.cert);
  expect(next.trusted).toEqual([next.signing.cert]);
  const { validFromDate, validToDate } = new X509Certificate(next.signing.cert);
  const nowMs = clock.nowUs() / 1000;
  expect([validFromDate.getTime() < nowMs, validToDate.getTime() > nowMs]).toEqual([true, true]);
  expect(await start()).toEqual(next);
});

test('a new sealing key seals the authorities anew; after the loss of a key a new authority signs', async () => {
  const first = await start();
  const both = createSealer(otherKey, [key]);
  await reseal(db.kysely, both, {
    ...sealedRows,
    ...sealedAuthorities,
  });
  const other = createSealer(otherKey);
  expect(await start(dir, other)).toEqual(first);
  const lost = await start(dir, createSealer(new Uint8Array(32).fill(9)));
  expect(lost.signing.cert).not.toBe(first.signing.cert);
  expect(lost.trusted).toEqual([lost.signing.cert, first.signing.cert]);
});
