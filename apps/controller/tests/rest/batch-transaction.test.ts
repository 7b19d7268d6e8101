import { newId } from '@vantage/kernel';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { codeOf, codesOf, operation as op, passTime, resultsOf } from '../../src/testing/batch.ts';
import { type OneAccount, startOneAccount } from '../../src/testing/one-account.ts';
import { createRestFixture, type RestFixture } from '../../src/testing/rest-fixture.ts';

const soon = { timeout: 60_000, interval: 5 };
const device = { Method: 'TCP', URL: 'a.example:1', ShortName: 'a' };

describe('a batch', () => {
  let one: OneAccount;
  let other: RestFixture;
  let duringCheck: (() => Promise<void>) | undefined;
  beforeAll(async () => {
    const checkNow = async () => {
      await duringCheck?.();
      return { kind: 'noAgent', message: 'No agent checks it.' } as const;
    };
    one = await startOneAccount({ checkNow });
    other = await createRestFixture({ beside: one.rest, checkNow });
  });
  afterAll(async () => {
    await other[Symbol.asyncDispose]();
    await one[Symbol.asyncDispose]();
  });

  const tagsNamed = async (name: string) => {
    const { kysely } = one.rest.db;
    return (await kysely.selectFrom('tags').select('tag_id').where('name', 'like', `${name}%`).execute())
      .length;
  };

  describe('with Atomic', () => {
    const atomic = (operations: readonly object[]) =>
      one.send('POST', '/batch', { Atomic: true, Operations: operations });

    it('is one transaction: later operations read what earlier ones wrote, others nothing before the end', async () => {
      const [name, key] = [newId(), newId().slice(0, 20)];
      const notices: unknown[] = [];
      await using _listening = await one.rest.db.subscribe('events', (notice) => void notices.push(notice));
      one.rest.recorded.length = 0;
      const reply = await atomic([
        op('POST', '/tags', { Name: name, ExternalKey: key }),
        op('GET', `/tags?ExternalKey=${key}`),
        op('POST', '/devices', { ...device, Tags: [name], ExternalKey: key }),
        op('POST', '/devices', { ...device, Tags: [name] }),
        op('GET', `/devices?Tag=${name}`),
        op('PUT', '/account', { Timezone: 'Europe/Berlin' }),
        op('GET', '/account'),
        op('GET', `/devices?ExternalKey=${key}`),
      ]);
      expect([reply.status, codesOf(reply)]).toEqual([200, [200, 200, 200, 200, 200, 200, 200, 200]]);
      expect(resultsOf(reply)[7]?.Body).toMatchObject([
        { StatusSince: expect.stringMatching(/\+0[12]:00$/) },
      ]);
      expect(resultsOf(reply)[1]?.Body).toEqual([expect.objectContaining({ Name: name })]);
      expect(resultsOf(reply)[4]?.Body).toHaveLength(2);
      expect(resultsOf(reply)[6]?.Body).toMatchObject({ Timezone: 'Europe/Berlin' });
      expect(one.rest.recorded.flatMap(({ changes }) => changes)).toHaveLength(4);
      await vi.waitFor(() => expect(notices.filter((notice) => notice !== undefined)).toHaveLength(1), soon);
      // The next request knows the new zone.
      expect((await one.send('GET', '/devices?Limit=1')).text).toContain('+02:00');
      await one.send('PUT', '/account', { Timezone: 'UTC' });
    });

    it('does nothing where an operation fails: 1005 with the results up to that one', async () => {
      const name = newId();
      const audit = await one.send('GET', '/audit?Limit=1');
      const reply = await atomic([
        op('POST', '/tags', { Name: name }),
        op('POST', '/tags', { Name: '' }),
        op('POST', '/tags', { Name: name }),
      ]);
      expect([reply.status, codeOf(reply.json), codesOf(reply)]).toEqual([400, 1005, [200, 1004]]);
      expect(reply.text).toContain('operation 2 (POST /tags) failed: Name');
      expect(await tagsNamed(name)).toBe(0);
      expect((await one.send('GET', '/audit?Limit=1')).text).toBe(audit.text);
    });

    it('refuses requests that wait for others', async () => {
      const id = await one.create('/devices', device);
      const reply = await atomic([op('POST', `/devices/${id}/check`)]);
      expect([codeOf(reply.json), codesOf(reply)]).toEqual([1005, [1004]]);
      expect(reply.text).toContain('send it separately or in a batch with');
    });

    it('is rolled back when it is not done within 20 seconds', async () => {
      const name = newId();
      // Many operations and great steps: the clock passes 20 s long before they can be done, on any machine.
      const many = Array.from({ length: 900 }, (_, i) => op('POST', '/tags', { Name: `${name} ${i}` }));
      const running = atomic(many);
      let done = false;
      void running.finally(() => {
        done = true;
      });
      while (!done) {
        // Its own connection is busy all the time, so the others say how fast the database is.
        for (let statement = 0; statement < 10; statement += 1) await tagsNamed(name);
        await one.rest.clock.advance(200);
      }
      const reply = await running;
      expect([codeOf(reply.json), reply.text]).toEqual([1005, expect.stringContaining('over 20 s')]);
      expect(await tagsNamed(name)).toBe(0);
    });
  });

  describe('with an Idempotency-Key', () => {
    const keyed = (rest: RestFixture, id: string, body: object) =>
      rest.send('POST', '/batch', { key: one.key, body, headers: { 'Idempotency-Key': id } });

    it.each([true, false])('is done once (Atomic: %s)', async (Atomic) => {
      const id = newId();
      const body = { Atomic, Operations: [op('POST', '/tags', { Name: id }), op('GET', '/tags?Limit=1')] };
      const made = await keyed(one.rest, id, body);
      const again = await keyed(other, id, body);
      expect([made.status, again.text]).toEqual([200, made.text]);
      expect(again.headers.get('idempotency-replayed')).toBe('true');
      expect(await tagsNamed(id)).toBe(1);
      const left = await one.rest.db.kysely
        .selectFrom('kept_answers')
        .selectAll()
        .where('part_of', 'is not', null)
        .execute();
      expect(left).toEqual([]);
    });

    it('goes on where a controller that was killed left it: what was done is not done again', async () => {
      const [id, deviceId] = [newId(), await one.create('/devices', device)];
      const body = {
        Operations: [
          op('POST', '/tags', { Name: id, ExternalKey: id }),
          op('POST', `/devices/${deviceId}/check`),
          op('POST', '/tags', { Name: `${id} again` }),
        ],
      };
      let never: () => void = () => {};
      let began = false;
      duringCheck = () =>
        new Promise<void>((resolve) => {
          began = true;
          never = resolve;
        });
      const lost = keyed(one.rest, id, body);
      await vi.waitFor(() => expect(began).toBe(true), soon);
      duringCheck = undefined;
      expect(await tagsNamed(id)).toBe(1);
      await passTime([one.rest, other], 301_000, 1_000);
      const again = await keyed(other, id, body);
      never();
      await lost;
      expect([again.status, codesOf(again)]).toEqual([200, [200, 1005, 200]]);
      expect(await tagsNamed(id)).toBe(2);
    });

    it('never shows a key of the level UR what a key of the level UW was answered', async () => {
      const id = newId();
      const body = { Operations: [op('POST', '/tags', { Name: id })] };
      await keyed(one.rest, id, body);
      const reply = await one.rest.send('POST', '/batch', {
        key: (await one.rest.key(one.accountNo, 'UR')).key,
        body,
        headers: { 'Idempotency-Key': id },
      });
      expect(codeOf(reply.json)).toBe(1005);
    });
  });
});
