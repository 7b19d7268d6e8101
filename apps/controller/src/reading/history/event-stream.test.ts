import { newId } from '@vantage/kernel';
import { type Db, publish } from '@vantage/storage';
import { createFixtures } from '@vantage/testing/fixtures';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRestFixture, type RestFixture } from '../../testing/rest-fixture.ts';
import { type EventReader, openEvents as open } from './testing/event-reader.ts';

describe('the stream of events', () => {
  let rest: RestFixture;
  let account: { accountNo: number; locationNo: number };
  let key: string;
  let keyNo: number;
  const readers: EventReader[] = [];
  beforeEach(async () => {
    rest = await createRestFixture();
    account = await rest.account('one');
    ({ key, keyNo } = await rest.key(account.accountNo, 'UR'));
  });
  afterEach(async () => {
    for (const reader of readers.splice(0)) reader.leave();
    await rest[Symbol.asyncDispose]();
  });

  /** Turns the clock on until something holds; the test's own time limit is the bound. */
  const until = async (holds: () => boolean) => {
    while (!holds()) {
      await rest.clock.advance(100);
      await new Promise(setImmediate);
    }
  };
  const record = async (
    messages: readonly string[],
    db: Db['kysely'] = rest.db.kysely,
    no = account.accountNo,
  ) => {
    const at = { account_no: no, at_us: rest.clock.nowUs(), recorded_us: rest.clock.nowUs() };
    for (const message of messages)
      await db
        .insertInto('events')
        .values({ ...at, event_id: newId(), type: 'Up', status: 'Up', message })
        .execute();
  };
  const follow = async (headers: Record<string, string> = {}, own = key) => {
    const reader = await open(`${rest.baseUrl}/events?stream`, {
      'Service-API-Key': own,
      ...headers,
    });
    readers.push(reader);
    await until(() => reader.text.startsWith('retry: '));
    return reader;
  };

  it('sends each new event of the account once, in order, to every reader', async () => {
    await record(['before']);
    const [a, b] = [await follow(), await follow()];
    expect(a.type).toBe('text/event-stream; charset=utf-8');
    const other = await rest.account('other');
    const messages = Array.from({ length: 180 }, (_, i) => `event ${i}`);
    await record(messages.slice(0, 60));
    await record(['not yours'], rest.db.kysely, other.accountNo);
    await until(() => a.events().length >= 60);
    await record(messages.slice(60));
    await until(() => a.events().length >= 180 && b.events().length >= 180);
    const heartbeats = () => a.text.split('\n\n').filter((block) => block === ':').length;
    const before = heartbeats();
    await until(() => heartbeats() > before);
    for (const reader of [a, b]) {
      expect(reader.events().map(({ Message }) => Message)).toEqual(messages);
      expect(reader.events().every(({ id, event_id }) => id === event_id)).toBe(true);
    }
  });

  it('sends a caller who is limited to tags the events of the own devices and of Locations only', async () => {
    const { accountNo, locationNo } = account;
    const rows = createFixtures(rest.db.kysely);
    const [own, foreign] = [await rows.device(accountNo, []), await rows.device(accountNo, [])];
    const { tag_no } = await rest.db.kysely
      .insertInto('tags')
      .values({ tag_id: newId(), account_no: accountNo, name: 'mine' })
      .returning('tag_no')
      .executeTakeFirstOrThrow();
    await rest.db.kysely.insertInto('device_tags').values({ tag_no, device_no: own }).execute();
    await sql`update api_keys set tag_nos = array[${tag_no}::int] where key_no = ${keyNo}`.execute(
      rest.db.kysely,
    );
    const reader = await follow();
    const at = { account_no: accountNo, at_us: rest.clock.nowUs(), recorded_us: rest.clock.nowUs() };
    const about = { ...at, type: 'Up', status: 'Up' } as const;
    await rest.db.kysely
      .insertInto('events')
      .values([
        { ...about, event_id: newId(), message: 'theirs', device_no: foreign },
        { ...about, event_id: newId(), message: 'own', device_no: own },
        { ...about, event_id: newId(), message: 'of the installation' },
        { ...about, event_id: newId(), message: 'of a Location', location_no: locationNo },
      ])
      .execute();
    await until(() => reader.events().length >= 2);
    expect(reader.events().map(({ Message }) => Message)).toEqual(['own', 'of a Location']);
  });

  it('is given 16 times to a key; one that is left makes room, and requests of the key are served beside', async () => {
    const all: EventReader[] = [];
    for (let n = 0; n < 16; n += 1) all.push(await follow());
    const ask = () => rest.send('GET', '/events?stream', { key });
    const refused = await ask();
    expect([refused.status, refused.json]).toMatchObject([429, { code: 1006 }]);
    expect((await rest.send('GET', '/events', { key })).status).toBe(200);
    const other = await rest.key(account.accountNo, 'UR');
    await follow({}, other.key);
    all[0]?.leave();
    const again = async () => {
      const reader = await open(`${rest.baseUrl}/events?stream`, { 'Service-API-Key': key });
      readers.push(reader);
      return reader.type;
    };
    await expect.poll(again, { timeout: 60_000 }).toBe('text/event-stream; charset=utf-8');
  });

  it('goes on after the event that the reader has', async () => {
    const first = await follow();
    await record(['1', '2', '3']);
    await until(() => first.events().length === 3);
    first.leave();
    await record(['4']);
    const again = await follow({ 'Last-Event-ID': first.events()[1]?.id ?? '' });
    await until(() => again.events().length === 2);
    await record(['5']);
    await until(() => again.events().length === 3);
    expect(again.events().map(({ Message }) => Message)).toEqual(['3', '4', '5']);
    const other = await rest.account('other');
    const { key: foreign } = await rest.key(other.accountNo, 'UR');
    const refused = async (id: string, own: string) =>
      (await rest.send('GET', '/events?stream', { key: own, headers: { 'Last-Event-ID': id } })).text;
    expect(await refused(first.events()[1]?.id ?? '', foreign)).toBe(await refused(newId(), key));
    expect(await refused(newId(), key)).toContain('"code":1003');
  });

  it('goes on after an event that was deleted with its device', async () => {
    const deviceNo = await createFixtures(rest.db.kysely).device(account.accountNo, []);
    const first = await follow();
    const at = { account_no: account.accountNo, at_us: rest.clock.nowUs(), recorded_us: rest.clock.nowUs() };
    const about = { ...at, device_no: deviceNo, type: 'Up', status: 'Up', message: 'of the device' };
    await rest.db.kysely
      .insertInto('events')
      .values({ ...about, event_id: newId() })
      .execute();
    await until(() => first.events().length === 1);
    first.leave();
    await rest.db.kysely.deleteFrom('devices').where('device_no', '=', deviceNo).execute();
    await record(['after']);
    const again = await follow({ 'Last-Event-ID': first.events()[0]?.id ?? '' });
    await until(() => again.events().length === 1);
    expect(again.events().map(({ Message }) => Message)).toEqual(['after']);
  });

  it('says where it stands before its first event, and goes on there', async () => {
    const place = (reader: EventReader) => /^id: (\S+)$/m.exec(reader.text)?.[1] ?? '';
    const first = await follow();
    expect(first.text).toMatch(/^retry: 2000\n: .*\nid: [0-9a-f]{48}\n\n$/);
    first.leave();
    await record(['while nobody listened']);
    const again = await follow({ 'Last-Event-ID': place(first) });
    await until(() => again.events().length === 1);
    expect(again.events().map(({ Message }) => Message)).toEqual(['while nobody listened']);
    const ahead = place(again).replace(/^0{32}0/, `${'0'.repeat(32)}1`);
    const refused = await rest.send('GET', '/events?stream', { key, headers: { 'Last-Event-ID': ahead } });
    expect(refused.json).toMatchObject({ code: 1003 });
  });

  it('sends a line every 15 seconds also while others than its events come without end', async () => {
    const reader = await open(`${rest.baseUrl}/events?stream&Type=Down`, { 'Service-API-Key': key });
    readers.push(reader);
    await until(() => reader.text.startsWith('retry: '));
    const beats = () => reader.text.split('\n\n').filter((block) => block === ':').length;
    const beganMs = rest.clock.monoMs();
    while (beats() < 3) {
      await record(['of another type']);
      await rest.clock.advance(1_000);
      await new Promise(setImmediate);
      if (rest.clock.monoMs() - beganMs > 600_000) break;
    }
    expect(beats()).toBe(3);
    expect(reader.events()).toEqual([]);
  });

  it('keeps to the order of the events, though an earlier one is committed later', async () => {
    const reader = await follow();
    const committed = Promise.withResolvers<void>();
    const written = Promise.withResolvers<void>();
    const slow = rest.db.kysely.transaction().execute(async (trx) => {
      await record(['first'], trx);
      written.resolve();
      await committed.promise;
    });
    await written.promise;
    await record(['second']);
    await rest.clock.advance(3_000); // a writer is waited for, though not for ever
    expect(reader.events()).toEqual([]);
    committed.resolve();
    await slow;
    await until(() => reader.events().length === 2);
    expect(reader.events().map(({ Message }) => Message)).toEqual(['first', 'second']);
  });

  it('is complete and in order while many write at once and some of it is rolled back', async () => {
    const reader = await follow();
    const write = async (writer: number) => {
      for (let i = 0; i < 25; i += 1)
        await rest.db.kysely
          .transaction()
          .execute(async (trx) => {
            await record([`${writer}/${i}/a`], trx);
            for (let turn = 0; turn < (writer * i) % 7; turn += 1) await new Promise(setImmediate);
            await record([`${writer}/${i}/b`], trx);
            if (i % 5 === 4) throw new RangeError('rolled back');
          })
          .catch((error: unknown) => expect(error).toBeInstanceOf(RangeError));
    };
    await Promise.all([1, 2, 3, 4].map(write));
    const rows = await rest.db.kysely.selectFrom('events').select('event_id').orderBy('event_no').execute();
    expect(rows).toHaveLength(4 * 20 * 2);
    await until(() => reader.events().length >= rows.length);
    expect(reader.events().map(({ id }) => id)).toEqual(rows.map(({ event_id }) => event_id));
  });

  it.each([true, false])(
    'ends within 5 seconds when its key is revoked (with a notice: %s)',
    async (isNotified) => {
      const reader = await follow();
      await rest.db.kysely
        .updateTable('api_keys')
        .set({ revoked_at: new Date() })
        .where('key_no', '=', keyNo)
        .execute();
      if (isNotified) await publish(rest.db.kysely, 'revoked', { agent_nos: [], key_nos: [keyNo] });
      await until(() => reader.ended);
      await record(['after']);
      expect(reader.events()).toEqual([]);
      expect(reader.broken).toBe(false);
    },
  );

  it("shows times in the account's zone of that moment", async () => {
    const reader = await follow();
    const { key: writer } = await rest.key(account.accountNo, 'UW');
    await rest.send('PUT', '/account', { key: writer, body: { Timezone: 'Asia/Kathmandu' } });
    for (let count = 1; !reader.events().at(-1)?.Timestamp.endsWith('+05:45'); count += 1) {
      await record(['x']);
      await until(() => reader.events().length === count);
      await rest.clock.advance(1_000);
    }
    expect(reader.events()[0]?.Timestamp).toMatch(/\+0[05]:/);
  });

  it('ends cleanly when the API ends', async () => {
    const reader = await follow();
    await rest.api[Symbol.asyncDispose]();
    await until(() => reader.ended);
    expect(reader.broken).toBe(false);
  });
});
