import { createLog } from '@vantage/kernel';
import { createTestDatabase } from '@vantage/testing/database';
import { withClient } from '@vantage/testing/postgres-url';
import { expect, test } from 'vitest';
import { createDb } from '../index.ts';
import { requireSupportedServer } from './require-server.ts';

const log = createLog('test', 'silent');

test('a server that answers and is new enough is accepted', async () => {
  await using database = await createTestDatabase();
  const db = await createDb({ connection: { url: database.url }, log });
  await expect(requireSupportedServer(db.kysely)).resolves.toBeUndefined();
  await db.close();
});

test('the error for an unreachable server names the setting to check', async () => {
  const db = await createDb({ connection: { url: 'postgres://u@127.0.0.1:1/x' }, log });
  await expect(requireSupportedServer(db.kysely)).rejects.toThrow(
    /cannot be reached: .*ECONNREFUSED.*VANTAGE_DATABASE_URL/,
  );
  await db.close();
});

test('a server that is not up yet is waited for, less and less often, until the start is ended', async () => {
  const db = await createDb({ connection: { url: 'postgres://u@127.0.0.1:1/x' }, log });
  const ending = new AbortController();
  const waits: number[] = [];
  const said: string[] = [];
  const sleep = async (ms: number) => {
    waits.push(ms);
    if (waits.length === 7) ending.abort(new Error('a signal'));
  };
  const waiting = {
    clock: { sleep },
    ending: ending.signal,
    log,
    onWait: (text: string) => void said.push(text),
  };
  await expect(requireSupportedServer(db.kysely, waiting)).rejects.toThrow('ECONNREFUSED');
  expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000]);
  expect(said).toEqual([expect.stringMatching(/ECONNREFUSED.*VANTAGE_DATABASE_URL.*waiting for it$/)]);
  await db.close();
});

test('a server that refuses the login is not waited for', async () => {
  await using database = await createTestDatabase();
  const wrong = database.url.replace(/^(postgres(?:ql)?:\/\/)[^@/]*@/, '$1nobody_here@');
  const db = await createDb({ connection: { url: wrong }, log });
  const waiting = {
    clock: { sleep: async () => {} },
    ending: new AbortController().signal,
    log,
    onWait: () => {},
  };
  await expect(requireSupportedServer(db.kysely, waiting)).rejects.toThrow(/nobody_here/);
  await db.close();
});

test('a server without a free connection is waited for, which is said once, until it has one', async () => {
  await using database = await createTestDatabase();
  await withClient(database.url, async (client) => {
    const { rows } = await client.query<{ name: string }>('select current_database() as name');
    const allow = (most: number) => client.query(`alter database ${rows[0]?.name} connection limit ${most}`);
    const said: string[] = [];
    let sleeps = 0;
    const sleep = async () => {
      sleeps += 1;
      if (sleeps === 3) await allow(-1);
    };
    const { signal } = new AbortController();
    const waiting = { clock: { sleep }, ending: signal, log, onWait: (text: string) => void said.push(text) };
    await allow(0);
    const db = await createDb({ connection: { url: database.url }, log });
    await requireSupportedServer(db.kysely, waiting);
    await db.close();
    expect(sleeps).toBe(3);
    expect(said).toEqual([
      expect.stringMatching(/cannot be reached: too many connections.*; waiting for it$/),
    ]);
    await allow(0);
    const ended = await createDb({ connection: { url: database.url }, log });
    await expect(
      requireSupportedServer(ended.kysely, { ...waiting, ending: AbortSignal.abort() }),
    ).rejects.toThrow(/too many connections/);
    await ended.close();
  });
});
