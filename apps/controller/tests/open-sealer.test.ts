import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createLog } from '@vantage/kernel';
import type { Db } from '@vantage/storage';
import { openSealer } from '@vantage/storage/secrets/open-sealer';
import { createSealer } from '@vantage/storage/secrets/seal';
import { openContact, sealContact } from '@vantage/storage/secrets/sealed-contact';
import { createFixtures, type Fixtures } from '@vantage/testing/fixtures';
import { useDatabase } from '@vantage/testing/use-database';
import { beforeEach, expect, test } from 'vitest';
import { sealedAuthorities } from '../src/agents/enrol/authorities.ts';
import { sealedRows as sealedCatalog } from '../src/catalog/secrets/reseal-store.ts';

const log = createLog('secret check test', 'silent');
let db: Db;
let rows: Fixtures;
let folder: string;
let file: string;
useDatabase((opened) => {
  db = opened;
  rows = createFixtures(db.kysely);
});

beforeEach(async () => {
  for (const table of ['device_locations', 'devices', 'secrets', 'contacts', 'sealing_key_proof'] as const)
    await db.kysely.deleteFrom(table).execute();
  folder = mkdtempSync(path.join(tmpdir(), 'vantage-check-'));
  file = path.join(folder, 'secret.key');
  return () => rmSync(folder, { recursive: true });
});

/** One pair of keys in 256 has the same key byte, and no file may hold such a pair. */
function newKey(beside = randomBytes(32)): Buffer {
  const key = randomBytes(32);
  return createSealer(beside).seal('', '')[0] === createSealer(key).seal('', '')[0] ? newKey(beside) : key;
}
const write = (...keys: readonly Uint8Array[]) =>
  writeFileSync(file, keys.map((key) => Buffer.from(key).toString('base64')).join('\n'));
const sealedRows = { ...sealedCatalog, ...sealedAuthorities };
const open = (keyLost = false) => openSealer({ kysely: db.kysely, sealedRows, file, keyLost, log });

/** A device and a secret sealed by the key of the file; `shown` is what the API shows of the device. */
async function keep(
  shown: { url: string; options: Record<string, unknown> },
  clear: { url: string; options: Record<string, string> },
) {
  const sealer = await open();
  const accountNo = await rows.account();
  const locationNo = await rows.location(accountNo);
  const deviceNo = await rows.device(accountNo, [locationNo]);
  const { device_id: deviceId } = await db.kysely
    .selectFrom('devices')
    .select('device_id')
    .where('device_no', '=', deviceNo)
    .executeTakeFirstOrThrow();
  await db.kysely
    .updateTable('devices')
    .set({
      url: shown.url,
      options: JSON.stringify(shown.options),
      sealed: sealer.seal(clear, `device:${deviceId}`),
    })
    .where('device_no', '=', deviceNo)
    .execute();
  const secretId = `secret of ${accountNo}`;
  await db.kysely
    .insertInto('secrets')
    .values({
      account_no: accountNo,
      name: 'S',
      secret_id: secretId,
      sealed: sealer.seal('hunter2', `secret:${secretId}`),
    })
    .execute();
  const device = () =>
    db.kysely
      .selectFrom('devices')
      .select(['sealed', 'warnings'])
      .where('device_no', '=', deviceNo)
      .executeTakeFirstOrThrow();
  const secret = () =>
    db.kysely
      .selectFrom('secrets')
      .select('sealed')
      .where('secret_id', '=', secretId)
      .executeTakeFirstOrThrow();
  return { deviceId, secretId, device, secret };
}

const open1 = { url: 'http://a.example/', options: { Method: 'GET' } };
const hidden = { url: 'http://u:***@a.example/', options: {} };
const hiddenClear = { url: 'http://u:hunter2@a.example/', options: {} };

test('the first controller makes the key, the next ones with it agree', async () => {
  await Promise.all([open(), open()]);
  expect(existsSync(file)).toBe(true);
  await open();
});

test('a controller with another key does not start on the same database, and its Fault names the remedy', async () => {
  await open();
  write(newKey());
  await expect(open()).rejects.toMatchObject({
    data: expect.anything(),
    message: expect.stringMatching(
      /does not hold the key that sealed this database.*VANTAGE_SECRET_KEY_FILE.*VANTAGE_SECRET_KEY_LOST=yes/s,
    ),
  });
});

test('of two controllers that begin with different keys one goes on', async () => {
  const both = await Promise.allSettled(
    [file, path.join(folder, 'other.key')].map((each) =>
      openSealer({ kysely: db.kysely, sealedRows, file: each, keyLost: false, log }),
    ),
  );
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
});

test('a missing key file is not made anew where something is sealed', async () => {
  await keep(open1, open1);
  rmSync(file);
  await expect(open()).rejects.toThrow(/is missing.*put that file back/s);
  expect(existsSync(file)).toBe(false);
});

test('in a database without a check value the sealed values decide', async () => {
  await keep(open1, open1);
  await db.kysely.deleteFrom('sealing_key_proof').execute();
  const right = readFileSync(file);
  write(newKey());
  await expect(open()).rejects.toThrow(/does not hold the key/);
  writeFileSync(file, right);
  await open();
  write(newKey());
  await expect(open()).rejects.toThrow(/does not hold the key/);
});

test('a key is changed by putting the new one first: all is sealed anew, and the old one can go', async () => {
  const kept = await keep(hidden, hiddenClear);
  const old = Buffer.from(readFileSync(file, 'utf8').trim(), 'base64');
  const fresh = newKey(old);
  write(fresh, old);
  await open();
  write(fresh);
  await open();
  const sealer = createSealer(fresh);
  expect(sealer.open((await kept.device()).sealed, `device:${kept.deviceId}`)).toEqual(hiddenClear);
  expect(sealer.open((await kept.secret()).sealed, `secret:${kept.secretId}`)).toBe('hunter2');
  write(old);
  await expect(open()).rejects.toThrow(/does not hold the key/);
});

test('with a lost key devices without secrets go on, and the others have a warning that names the remedy', async () => {
  const plain = await keep(open1, open1);
  const needy = await keep(hidden, hiddenClear);
  rmSync(file);
  const sealer = await open(true);
  expect(sealer.open((await plain.device()).sealed, `device:${plain.deviceId}`)).toEqual(open1);
  expect((await plain.device()).warnings).toEqual([]);
  expect(() => sealer.open(Buffer.alloc(40), 'device:x')).toThrow();
  const { sealed, warnings } = await needy.device();
  expect(() => sealer.open(sealed, `device:${needy.deviceId}`)).toThrow(/key file/);
  expect(warnings).toEqual([expect.stringMatching(/lost with the key.*send URL and Options again/)]);
  // Next time the new key is the right one.
  await open();
});

/** A contact sealed by the key of the file; its id is its type. */
async function keepContact(type: 'email' | 'webhook' | 'slack', clear: Parameters<typeof sealContact>[2]) {
  const sealed = sealContact(await open(), type, clear);
  const row = { contact_id: type, account_no: await rows.account(), name: type, type };
  await db.kysely
    .insertInto('contacts')
    .values({ ...row, address: clear.address, sealed })
    .execute();
  return async () =>
    (
      await db.kysely
        .selectFrom('contacts')
        .select('sealed')
        .where('contact_id', '=', type)
        .executeTakeFirstOrThrow()
    ).sealed;
}

const mail = { address: 'noc@example.org', secret: null, previousSecret: null };
const hook = { address: 'https://h.example/', secret: 'whsec_new', previousSecret: 'whsec_old' };

test('a change of the key keeps the addresses and secrets of contacts', async () => {
  const kept = await keepContact('webhook', hook);
  const old = Buffer.from(readFileSync(file, 'utf8').trim(), 'base64');
  const fresh = newKey(old);
  write(fresh, old);
  await open();
  expect(openContact(createSealer(fresh), 'webhook', await kept())).toEqual(hook);
});

test('with a lost key contacts that hide nothing go on, and the others need their address or secret again', async () => {
  const plain = await keepContact('email', mail);
  const needy = await keepContact('webhook', hook);
  const masked = await keepContact('slack', { ...mail, address: 'https://hooks.slack.com/services/T/B/x' });
  rmSync(file);
  const sealer = await open(true);
  expect(openContact(sealer, 'email', await plain())).toEqual(mail);
  for (const [id, kept] of [
    ['webhook', await needy()],
    ['slack', await masked()],
  ] as const)
    expect(() => openContact(sealer, id, kept)).toThrow(/key file/);
});
