import { checkId } from '@vantage/domain';
import { newId } from '@vantage/kernel';
import { propertyRuns } from '@vantage/kernel/testing';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import type { Reply } from '../../src/testing/http-client.ts';
import { createRestFixture, type RestFixture } from '../../src/testing/rest-fixture.ts';
import { addChecks, createSampleAccount, type SampleAccount } from '../../src/testing/sample-account.ts';

const insertsAtOnce = 50;
const secondUs = 1_000_000;
let rest: RestFixture;
let account: { accountNo: number; locationNo: number };
let key: string;
let sample: SampleAccount;
let startUs: number;

beforeAll(async () => {
  rest = await createRestFixture();
  account = await rest.account('one');
  ({ key } = await rest.key(account.accountNo, 'UW'));
  sample = await createSampleAccount(rest, account, key);
  startUs = rest.clock.nowUs() - 3_600 * secondUs;
});

afterAll(() => rest[Symbol.asyncDispose]());

/** Changes between two pages. */
type Act = 'create' | 'update' | 'delete' | 'nothing';
/** A row at a moment, in microseconds after the begin: few moments, so that many rows share one. */
const moment = fc.nat(20);
const scenario = fc.record({
  limit: fc.integer({ min: 1, max: 9 }),
  first: fc.array(moment, { minLength: 1, maxLength: 40 }),
  acts: fc.array(fc.constantFrom<Act>('create', 'update', 'delete', 'nothing'), { maxLength: 8 }),
  /** Where the rows are that are inserted meanwhile. */
  meanwhile: fc.array(moment, { minLength: 1, maxLength: 10 }),
});

const deviceId = z.object({ device_id: z.string() });

async function createDevice(): Promise<string> {
  const body = { Method: 'TCP', URL: 'a.example:1', ShortName: 'other' };
  return deviceId.parse((await rest.send('POST', '/devices', { key, body })).json).device_id;
}

/** Writes one event of this device; returns its id. */
async function insertEvent(device: string, at: number): Promise<string> {
  const id = newId();
  await sql`
    insert into events (event_id, account_no, device_no, at_us, type, status, message, recorded_us)
    select ${id}, account_no, device_no, ${startUs + at}::bigint, 'Up', 'Up', 'm', 1 from devices where device_id = ${device}`.execute(
    rest.db.kysely,
  );
  return id;
}

let nextAgentNo = 1_000;
/** Writes one check of the sample device, by an agent of its own; returns its id. */
async function insertCheck(at: number): Promise<string> {
  nextAgentNo += 1;
  const who = { ...account, deviceNo: sample.deviceNo, agentNo: nextAgentNo };
  await addChecks(rest, who, [startUs + at]);
  return checkId({ deviceNo: who.deviceNo, startUs: startUs + at, agentNo: who.agentNo });
}

/** Follows the links of a list; `meanwhile` runs beside the request for each page. Returns all ids in their order. */
async function readAll(
  path: string,
  idName: 'event_id' | 'check_id',
  meanwhile: () => Promise<unknown>,
): Promise<string[]> {
  const ids: string[] = [];
  const rows = z.array(z.object({ [idName]: z.string() }));
  for (let at: string | undefined = path; at !== undefined; ) {
    const [reply]: [Reply, unknown] = await Promise.all([rest.send('GET', at, { key }), meanwhile()]);
    ids.push(...rows.parse(reply.json).map((row) => row[idName] ?? ''));
    at = /^<\/v1\.1(.*)>; rel="next"$/.exec(reply.headers.get('link') ?? '')?.[1];
  }
  return ids;
}

/** Inserts rows at once; each call begins at another place of `moments`. */
function inserter(moments: readonly number[], insert: (at: number) => Promise<unknown>) {
  let left = 3;
  return async () => {
    if (left === 0) return;
    left -= 1;
    const at = (i: number) => moments[i % moments.length] ?? 0;
    await Promise.all(Array.from({ length: insertsAtOnce }, (_, i) => insert(at(i + left))));
  };
}

test('each event that stands at the first page comes exactly once, whatever is inserted, changed and deleted meanwhile', async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async ({ limit, first, acts, meanwhile }) => {
      await rest.db.kysely.deleteFrom('events').execute();
      const lasting = await createDevice();
      const others = [await createDevice(), await createDevice()];
      const all = [lasting, ...others];
      const owner = new Map<string, string>();
      for (const [i, at] of first.entries()) {
        const device = all[i % all.length] ?? lasting;
        owner.set(await insertEvent(device, at), device);
      }
      const pending = [...acts];
      const deleted = new Set<string>();
      const insert = inserter(meanwhile, (at) => insertEvent(lasting, at));
      const seen = await readAll(`/events?Limit=${limit}`, 'event_id', async () => {
        const inserting = insert();
        switch (pending.shift()) {
          case 'create':
            await createDevice();
            break;
          case 'update':
            await rest.send('PUT', `/devices/${lasting}`, { key, body: { FullName: newId() } });
            break;
          case 'delete': {
            const device = others.pop();
            if (device === undefined) break;
            deleted.add(device);
            await rest.send('DELETE', `/devices/${device}`, { key });
            break;
          }
          case 'nothing':
          case undefined:
            break;
        }
        await inserting;
      });
      expect(new Set(seen).size).toBe(seen.length);
      const missed = [...owner].filter(([id, device]) => !deleted.has(device) && !seen.includes(id));
      expect(missed).toEqual([]);
    }),
    { numRuns: propertyRuns(6) },
  );
});

test('each check that stands at the first page comes exactly once, whatever is inserted meanwhile', async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async ({ limit, first, meanwhile }) => {
      await rest.db.kysely.deleteFrom('check_rows').execute();
      const standing: string[] = [];
      for (const at of first) standing.push(await insertCheck(at));
      const path = `/devices/${sample.ids['device_id']}/checks?Limit=${limit}`;
      const seen = await readAll(path, 'check_id', inserter(meanwhile, insertCheck));
      expect(new Set(seen).size).toBe(seen.length);
      expect(standing.filter((id) => !seen.includes(id))).toEqual([]);
      // Newest first: start, then agent.
      const places = seen.map((id) => id.slice(16));
      expect(places).toEqual([...places].sort().reverse());
    }),
    { numRuns: propertyRuns(6) },
  );
});
