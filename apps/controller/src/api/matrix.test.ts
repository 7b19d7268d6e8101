import { newId } from '@vantage/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Route } from '../http/route.ts';
import { createFixtures } from '../testing/fixtures.ts';
import { type Rest, startRest } from './testing/rest.ts';
import {
  createSampleAccount,
  type SampleAccount,
  sampleContact,
  sampleMschedule,
} from './testing/sample-account.ts';

/** What a handler of the route accepts. */
const bodies: Readonly<Record<string, object>> = {
  'POST /devices': { Method: 'TCP', URL: 'example.org:80', ShortName: 'new' },
  'POST /batch': { Operations: [{ Method: 'GET', Path: '/tags' }] },
  'POST /tags': { Name: 'new' },
  'POST /contacts': sampleContact,
  'POST /mschedules': sampleMschedule,
  'POST /nschedules': { Name: 'new', Steps: [] },
  'PUT /tags/{tag_id}': { Name: 'other' },
  'PUT /account': {},
  'PUT /alerts/{alert_id}/snooze': { Duration: '01:00' },
  'PUT /alerts/acknowledge': { Filter: {} },
  'PUT /alerts/snooze': { Filter: {}, Duration: '01:00' },
  'PUT /agents/{agent_id}': { Name: 'other' },
  'PUT /agents/{agent_id}/upgrade': { Version: '0.3.0' },
};

describe('every route', () => {
  let rest: Rest;
  let mine: SampleAccount;
  let place: { readonly accountNo: number; readonly locationNo: number };
  const keys: Record<'UW' | 'UO' | 'UR' | 'withBasic' | 'foreign', string> = {
    UW: '',
    UO: '',
    UR: '',
    withBasic: '',
    foreign: '',
  };
  let addresses = 0;

  beforeAll(async () => {
    rest = await startRest({ checkNow: async () => ({ kind: 'done', checkId: mine.ids['check_id'] ?? '' }) });
    const account = await rest.account('mine');
    const other = await rest.account('other');
    keys.UW = (await rest.key(account.accountNo, 'UW')).key;
    keys.UO = (await rest.key(account.accountNo, 'UO')).key;
    keys.UR = (await rest.key(account.accountNo, 'UR')).key;
    keys.withBasic = (await rest.key(account.accountNo, 'UW', { user: 'u', password: 'p' })).key;
    keys.foreign = (await rest.key(other.accountNo, 'UW')).key;
    place = account;
    mine = await createSampleAccount(rest, account, keys.UW);
  });
  afterAll(() => rest[Symbol.asyncDispose]());

  const call = (route: Route, key: string | undefined, ids: Readonly<Record<string, string>>, query = '') => {
    const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? newId());
    addresses += 1;
    const name = `${route.method} ${route.path}`;
    const fresh = { Name: `new-${addresses}` };
    const unique: Readonly<Record<string, object>> = {
      'POST /secrets': { ...fresh, Value: 'v' },
      'POST /locations': fresh,
      'POST /agents/invitations': { Location: 'local' },
    };
    const sent = unique[name] ?? bodies[name];
    // Names are unique, so each request has its own.
    const body = sent !== undefined && 'Name' in sent ? { ...sent, Name: newId() } : sent;
    return rest.send(route.method, `${path}${query}`, {
      ...(key === undefined ? {} : { key }),
      ...(body === undefined ? {} : { body }),
      headers: { 'X-Forwarded-For': `192.0.2.${addresses % 250}` },
    });
  };
  const code = (reply: { readonly json: unknown }) =>
    z.object({ code: z.int() }).safeParse(reply.json).data?.code ?? 200;

  it('stands in the table once, and there are at least the twenty of the contract', () => {
    const names = rest.routes.map(({ method, path }) => `${method} ${path}`);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThanOrEqual(20);
  });

  it('answers each kind of caller with the code expected', async () => {
    const expected: Record<string, readonly number[]> = {};
    const found: Record<string, readonly number[]> = {};
    // The routes of sessions: sessions.test.ts.
    const order = rest.routes
      .filter(({ tag }) => tag !== 'Sessions')
      .sort((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'));
    for (const route of order) {
      const name = `${route.method} ${route.path}`;
      const hasIds = route.path.includes('{');
      const open = route.level === 'none';
      expected[name] = [
        open ? 200 : 1001, // no key
        1001, // unknown key
        open ? 200 : 1001, // several keys: see below
        1001, // Basic missing
        hasIds ? 1003 : 200, // foreign account
        hasIds ? 1003 : 200, // unknown id
        route.level === 'UW' || route.level === 'UO' ? 1002 : 200, // UR
        route.level === 'UW' ? 1002 : 200, // UO
        200, // UW
      ];
      found[name] = [
        code(await call(route, undefined, mine.ids)),
        code(await call(route, 'nobody', mine.ids)),
        code(await call(route, undefined, mine.ids, '?api_key=')) === 1001 ? (open ? 200 : 1001) : 0,
        code(await call(route, keys.withBasic, mine.ids)),
        code(await call(route, keys.foreign, mine.ids)),
        code(await call(route, keys.UW, {})),
        code(await call(route, keys.UR, mine.ids)),
        code(await call(route, keys.UO, route.level === 'UO' ? await fresh(route) : mine.ids)),
        code(await call(route, keys.UW, await fresh(route))),
      ];
    }
    expect(found).toEqual(expected);
  });

  it('gives a foreign id and an unknown one the same bytes', async () => {
    for (const route of rest.routes.filter(({ path }) => path.includes('{'))) {
      const foreign = await call(route, keys.foreign, mine.ids);
      const unknown = await call(route, keys.foreign, {});
      const noId = await call(
        route,
        keys.foreign,
        Object.fromEntries(Object.keys(mine.ids).map((name) => [name, 'no-id'])),
      );
      expect(foreign.text).toBe(unknown.text);
      expect(noId.text).toBe(unknown.text);
      expect(Object.keys(Object.fromEntries(foreign.headers))).toEqual(
        Object.keys(Object.fromEntries(unknown.headers)),
      );
    }
  });

  /** What is deleted is made for that. */
  async function fresh(route: Route): Promise<Readonly<Record<string, string>>> {
    if (route.method !== 'DELETE') return mine.ids;
    await rest.db.kysely.deleteFrom('secrets').where('name', '=', 'to-go').execute();
    const agent_id = newId();
    await createFixtures(rest.db.kysely).agent(place, { agent_id });
    const send = async (path: string, body: object) =>
      z.record(z.string(), z.string()).parse((await rest.send('POST', path, { key: keys.UW, body })).json);
    return {
      ...mine.ids,
      agent_id,
      ...(await send('/tags', { Name: `to go ${newId()}` })),
      ...(await send('/contacts', { ...sampleContact, Name: newId() })),
      ...(await send('/mschedules', { ...sampleMschedule, Name: newId() })),
      ...(await send('/nschedules', { Name: `to go ${newId()}`, Steps: [] })),
      ...(await send('/locations', { Name: `to go ${newId()}` })),
      ...(await send('/secrets', { Name: 'to-go', Value: 'v' })),
      ...(await send('/devices', { Method: 'TCP', URL: 'example.org:80', ShortName: 'to-go' })),
    };
  }
});
