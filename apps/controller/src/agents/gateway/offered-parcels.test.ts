import { createLog } from '@vantage/kernel';
import { createFakeClock } from '@vantage/kernel/testing';
import type { Db } from '@vantage/storage';
import { useDatabase } from '@vantage/testing/use-database';
import { expect, test, vi } from 'vitest';
import { recordController } from './controller-store.ts';
import { createParcelOffer, readOfferedParcels } from './offered-parcels.ts';

let db: Db;
useDatabase((opened) => {
  db = opened;
});

const soon = { timeout: 60_000, interval: 20 };
const parcel = (version: string) => ({ version, arch: 'amd64', sha256: 'of the file' });

test('commands know the signed packages of all gateways that run', async () => {
  const clock = createFakeClock(Date.now() * 1000);
  const ending = new AbortController();
  const offers = new Map<string, readonly ReturnType<typeof parcel>[] | undefined>([
    ['a', undefined],
    ['b', undefined],
  ]);
  const read = () => readOfferedParcels(db.kysely, clock.nowUs());
  const seen = (id: string) =>
    recordController(db.kysely, { id, startedUs: clock.nowUs(), nowUs: clock.nowUs() });
  await seen('a');
  await seen('b');
  expect(await read()).toEqual({ kind: 'unknown' });
  const running = [...offers.keys()].map((controllerId) =>
    createParcelOffer({
      kysely: db.kysely,
      controllerId,
      clock,
      log: createLog('test', 'silent'),
      signedParcels: async () => offers.get(controllerId),
    }).run(ending.signal),
  );
  const becomes = (wanted: unknown) =>
    vi.waitFor(async () => {
      await seen('a');
      await clock.advance(15_000);
      expect(await read()).toEqual(wanted);
    }, soon);
  await becomes({ kind: 'known', parcels: undefined });
  offers.set('a', [parcel('0.3.0')]);
  await becomes({ kind: 'known', parcels: [{ version: '0.3.0', arch: 'amd64' }] });
  offers.set('b', [parcel('0.4.0')]);
  await seen('b');
  await vi.waitFor(async () => {
    await seen('a');
    await seen('b');
    await clock.advance(15_000);
    expect(await read()).toMatchObject({ parcels: [{ version: '0.3.0' }, { version: '0.4.0' }] });
  }, soon);
  ending.abort();
  await Promise.all(running);
  await clock.advance(61_000);
  expect(await read()).toEqual({ kind: 'unknown' });
});
