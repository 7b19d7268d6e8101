import { newId } from '@vantage/kernel';
import { propertyRuns } from '@vantage/kernel/testing';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { passTime } from '../../src/testing/batch.ts';
import type { Reply } from '../../src/testing/http-client.ts';
import { createRestFixture, type RestFixture } from '../../src/testing/rest-fixture.ts';

const soon = { timeout: 60_000, interval: 10 };
const dayMs = 24 * 60 * 60_000;

describe('the header Idempotency-Key', () => {
  let first: RestFixture;
  let second: RestFixture;
  let accountNo: number;
  let key: string;
  let checks: { readonly answer: (kind: 'done' | 'nobody') => void }[] = [];

  beforeAll(async () => {
    const checkNow = () =>
      new Promise<{ kind: 'noAgent'; message: string }>((resolve) => {
        checks.push({ answer: () => resolve({ kind: 'noAgent', message: 'No agent checks it.' }) });
      });
    first = await createRestFixture({ checkNow });
    second = await createRestFixture({ beside: first, checkNow });
    ({ accountNo } = await first.account('one'));
  });
  afterAll(async () => {
    await second[Symbol.asyncDispose]();
    await first[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    ({ key } = await first.key(accountNo, 'UW'));
    checks = [];
  });
  afterEach(() => {
    for (const { answer } of checks) answer('nobody');
  });

  const post = (
    rest: RestFixture,
    path: string,
    body: unknown,
    headers: Readonly<Record<string, string>> = {},
  ) => rest.send('POST', path, { key, body, headers });
  const once = (rest: RestFixture, path: string, body: unknown, idempotencyKey: string): Promise<Reply> =>
    post(rest, path, body, { 'Idempotency-Key': idempotencyKey });
  const codeOf = ({ json }: Reply) => z.object({ code: z.int() }).safeParse(json).data?.code ?? 200;
  const replayed = ({ headers }: Reply) => headers.get('idempotency-replayed');
  const tagsNamed = async (name: string) =>
    (await first.db.kysely.selectFrom('tags').select('tag_id').where('name', 'like', `${name}%`).execute())
      .length;

  const pass = (ms: number) => passTime([first, second], ms);

  it('gives a repetition the first answer, at every controller, and says so in a header', async () => {
    const id = newId();
    const body = { Name: id, ExternalKey: id };
    const made = await once(first, '/tags', body, id);
    expect([made.status, replayed(made)]).toEqual([200, null]);
    for (const rest of [first, second]) {
      const again = await once(rest, '/tags', { ExternalKey: id, Name: id }, id);
      expect([again.status, again.text, replayed(again)]).toEqual([200, made.text, 'true']);
    }
    expect(await tagsNamed(id)).toBe(1);
  });

  it('keeps warnings and forms: an answer that is read as CSV is the same answer', async () => {
    const id = newId();
    const body = { Method: 'TCP', URL: '192.168.0.1:1', ShortName: 'a', Locations: ['local', `l${id}`] };
    await post(first, '/locations', { Name: `l${id}` });
    const made = await once(first, '/devices', body, id);
    const again = await once(second, '/devices?fmt=csv', body, id);
    expect(made.headers.get('vantage-warning')).not.toBe(null);
    expect(again.headers.get('vantage-warning')).toBe(made.headers.get('vantage-warning'));
    const [device] = z.array(z.string()).parse(Object.values(z.looseObject({}).parse(made.json)));
    expect(again.text).toBe(`device_id,PushURL\r\n${device},\r\n`);
  });

  it('is 1005 with another body, query or level of the key, and another request on another path', async () => {
    const id = newId();
    await once(first, '/tags', { Name: id }, id);
    expect(codeOf(await once(second, '/tags', { Name: 'other' }, id))).toBe(1005);
    expect(codeOf(await once(second, '/locations', { Name: id }, id))).toBe(200);
    expect(await tagsNamed('other')).toBe(0);
    const account = await first.account(id);
    const foreign = await first.key(account.accountNo, 'UW');
    const theirs = await first.send('POST', '/tags', {
      key: foreign.key,
      body: { Name: id },
      headers: { 'Idempotency-Key': id },
    });
    expect([theirs.status, replayed(theirs)]).toEqual([200, null]);
  });

  it('keeps good answers only: what failed is done when it is repeated', async () => {
    const id = newId();
    expect(codeOf(await once(first, '/tags', { Name: '' }, id))).toBe(1004);
    const made = await once(first, '/tags', { Name: id }, id);
    expect([made.status, replayed(made)]).toEqual([200, null]);
  });

  it.each(['', ' ', 'a\tb', 'é', 'x'.repeat(129)])('of the form %j is 1004', async (wrong) => {
    const reply = await once(first, '/tags', { Name: 'never' }, wrong);
    expect([codeOf(reply), reply.text]).toEqual([1004, expect.stringContaining('1 to 128 printable')]);
    expect(await tagsNamed('never')).toBe(0);
  });

  it('means nothing on verbs that can be repeated anyway', async () => {
    const { json } = await post(first, '/tags', { Name: 'verbs' });
    const path = `/tags/${z.object({ tag_id: z.string() }).parse(json).tag_id}`;
    const put = (name: string) =>
      first.send('PUT', path, { key, body: { Name: name }, headers: { 'Idempotency-Key': 'verbs' } });
    expect((await put('one')).json).toMatchObject({ Name: 'one' });
    expect((await put('two')).json).toMatchObject({ Name: 'two' });
  });

  it('is remembered for 24 hours', async () => {
    const id = newId();
    const made = await once(first, '/tags', { Name: id }, id);
    await first.clock.advance(dayMs - 1000);
    expect(replayed(await once(first, '/tags', { Name: id }, id))).toBe('true');
    await first.clock.advance(1001);
    await first.db.kysely.deleteFrom('tags').where('name', '=', id).execute();
    const later = await once(first, '/tags', { Name: id }, id);
    expect([later.status, replayed(later), later.text === made.text]).toEqual([200, null, false]);
  });

  it('is kept sealed', async () => {
    const id = newId();
    const { text } = await once(first, '/tags', { Name: id }, id);
    const { rows } = await sql<{ row: string }>`
      select encode(sealed, 'escape') || encode(request, 'escape') as row from kept_answers`.execute(
      first.db.kysely,
    );
    const [tag = ''] = z.array(z.string()).parse(Object.values(z.looseObject({}).parse(JSON.parse(text))));
    expect(rows.length).toBeGreaterThan(0);
    for (const { row } of rows) for (const secret of [id, tag]) expect(row).not.toContain(secret);
  });

  it('lets the oldest of 10,000 answers of an account go', async () => {
    const [oldest, id] = [newId(), newId()];
    await first.db.kysely.deleteFrom('kept_answers').execute();
    await once(first, '/tags', { Name: oldest }, oldest);
    for (let from = 1; from < 10_000; from += 1_111)
      await sql`insert into kept_answers (account_no, request, content, size, created_us)
        select ${accountNo}, int4send(n), '', 0, ${first.clock.nowUs()}
        from generate_series(${from}::int, ${from + 1_110}::int) n`.execute(first.db.kysely);
    expect(replayed(await once(first, '/tags', { Name: oldest }, oldest))).toBe('true');
    await once(first, '/tags', { Name: id }, id);
    expect(replayed(await once(first, '/tags', { Name: id }, id))).toBe('true');
    expect(replayed(await once(first, '/tags', { Name: oldest }, oldest))).toBe(null);
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from kept_answers where account_no = ${accountNo}`.execute(
      first.db.kysely,
    );
    expect(rows).toEqual([{ count: 10_000 }]);
  });

  it('is stored with the change or not at all: a connection that ends before the commit leaves neither', async () => {
    const id = newId();
    await sql`create or replace function end_session() returns trigger language plpgsql as $$
      begin perform pg_terminate_backend(pg_backend_pid()); return null; end $$`.execute(first.db.kysely);
    await sql`create constraint trigger dies after insert on kept_answers deferrable initially deferred
      for each row execute function end_session()`.execute(first.db.kysely);
    expect((await once(first, '/tags', { Name: id }, id)).status).toBe(503);
    await sql`drop trigger dies on kept_answers`.execute(first.db.kysely);
    expect(await tagsNamed(id)).toBe(0);
    const made = await once(second, '/tags', { Name: id }, id);
    expect([made.status, replayed(made)]).toEqual([200, null]);
    expect(await tagsNamed(id)).toBe(1);
  });

  describe('of a request that waits for others', () => {
    let path: string;
    beforeEach(async () => {
      const { json } = await post(first, '/devices', { Method: 'TCP', URL: 'a:1', ShortName: 'a' });
      path = `/devices/${z.object({ device_id: z.string() }).parse(json).device_id}/check`;
    });

    it('holds a repetition at another controller for 10 seconds, then answers 1005', async () => {
      const running = once(first, path, undefined, path);
      await vi.waitFor(() => expect(checks).toHaveLength(1), soon);
      let waited: Reply | undefined;
      const repeated = once(second, path, undefined, path).then((reply) => {
        waited = reply;
      });
      await pass(9_000);
      expect(waited).toBe(undefined);
      await vi.waitFor(async () => {
        await pass(100);
        expect(waited).not.toBe(undefined);
      }, soon);
      await repeated;
      expect(waited && codeOf(waited)).toBe(1005);
      expect(waited?.text).toContain('still runs');
      expect(checks).toHaveLength(1);
      checks[0]?.answer('nobody');
      expect((await running).status).toBe(400);
    });

    it('is free for another attempt when the request failed, or when its controller never came back', async () => {
      const failing = once(first, path, undefined, path);
      await vi.waitFor(() => expect(checks).toHaveLength(1), soon);
      checks[0]?.answer('nobody');
      expect((await failing).status).toBe(400);
      // A controller that was killed leaves its lease behind.
      void once(first, path, undefined, path).catch(() => {});
      await vi.waitFor(() => expect(checks).toHaveLength(2), soon);
      await second.clock.advance(301_000);
      const again = once(second, path, undefined, path);
      await vi.waitFor(() => expect(checks).toHaveLength(3), soon);
      for (const { answer } of checks) answer('nobody');
      await again;
    });
  });

  it('agrees with a simple model for any requests of parallel clients at two controllers', async () => {
    const request = fc.record({
      rest: fc.constantFrom(0, 1),
      idempotencyKey: fc.constantFrom('a', 'b', 'c'),
      name: fc.constantFrom('x', 'y'),
      good: fc.boolean(),
    });
    let round = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(request, { minLength: 2, maxLength: 10 }), async (requests) => {
        round += 1;
        const prefix = `${newId()}-${round}`;
        let done = false;
        const replies = Promise.all(
          requests.map(async (sent) => {
            const name = `${prefix}-${sent.name}-${sent.idempotencyKey}`;
            const body = sent.good ? { Name: name } : { Name: name, Nonsense: 1 };
            const rest = sent.rest === 0 ? first : second;
            return { ...sent, reply: await once(rest, '/tags', body, `${prefix}-${sent.idempotencyKey}`) };
          }),
        ).finally(() => {
          done = true;
        });
        // Those that wait for another controller sleep on the fake clock.
        while (!done) await passTime([first, second], 1, 1);
        const answers = await replies;
        for (const [, ofKey] of Map.groupBy(answers, ({ idempotencyKey }) => idempotencyKey)) {
          const made = ofKey.filter(({ reply }) => reply.status === 200);
          const wanted = ofKey.filter(({ good }) => good);
          // Exactly one good request of a key is done; its equals get the same bytes, the others 1005.
          expect(made.filter(({ reply }) => replayed(reply) === null)).toHaveLength(
            wanted.length === 0 ? 0 : 1,
          );
          expect(new Set(made.map(({ reply }) => reply.text)).size).toBe(wanted.length === 0 ? 0 : 1);
          const [winner] = made;
          for (const { good, name, reply } of ofKey)
            expect([good, name, codeOf(reply)]).toEqual([
              good,
              name,
              good && name === winner?.name
                ? 200
                : expect.toSatisfy((code) => code === 1005 || (!good && code === 1004)),
            ]);
        }
        const kept = new Set(answers.flatMap(({ reply }) => (reply.status === 200 ? [reply.text] : [])));
        expect(await tagsNamed(prefix)).toBe(kept.size);
      }),
      { numRuns: propertyRuns(15) },
    );
  });
});
