import { newId } from '@vantage/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Route } from '../http/route.ts';
import { type Level, levels } from '../http/session.ts';
import { createFixtures } from '../testing/fixtures.ts';
import { type Rest, startRest, triedWell } from './testing/rest.ts';
import {
  addMaintenance,
  addUser,
  createSampleAccount,
  type SampleAccount,
  sampleContact,
  sampleHook,
  sampleMschedule,
  samplePage,
} from './testing/sample-account.ts';

/** A body that each route accepts. */
const bodies: Readonly<Record<string, object>> = {
  'POST /devices': { Method: 'TCP', URL: 'example.org:80', ShortName: 'new' },
  'POST /batch': { Operations: [{ Method: 'GET', Path: '/tags' }] },
  'POST /devices/change': { Filter: {}, Maintenance: null },
  'POST /tags': { Name: 'new' },
  'POST /keys': { Name: 'new', Level: 'UR' },
  'POST /contacts': sampleContact,
  'POST /hooks': sampleHook,
  'POST /mschedules': sampleMschedule,
  'POST /nschedules/preview': { Steps: [] },
  'POST /checks/trial': { Method: 'TCP', URL: 'example.org:9' },
  'POST /mschedules/preview': { Start: '2026-01-04T02:30', Duration: '02:00' },
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
  const keys: Record<Level | 'withBasic' | 'foreign', string> = {
    UA: '',
    UW: '',
    UO: '',
    UR: '',
    withBasic: '',
    foreign: '',
  };
  /** The headers of a session of each key. */
  const sessions: Record<Level, Readonly<Record<string, string>>> = { UA: {}, UW: {}, UO: {}, UR: {} };
  let addresses = 0;

  beforeAll(async () => {
    rest = await startRest({
      checkNow: async () => ({ kind: 'done', checkId: mine.ids['check_id'] ?? '' }),
      runTrial: triedWell,
    });
    const account = await rest.account('mine');
    const other = await rest.account('other');
    const { key: otherKey } = await rest.key(other.accountNo, 'UW');
    const reader = { Name: 'Reader', Type: 'email', Address: 'r@example.org', ExternalKey: 'reader' };
    await rest.send('POST', '/contacts', { key: otherKey, body: reader });
    for (const level of levels) {
      const { key } = await rest.key(account.accountNo, level);
      keys[level] = key;
      const reply = await rest.send('POST', '/session', { body: { Key: key } });
      const { CsrfToken } = z.object({ CsrfToken: z.string() }).parse(reply.json);
      const cookie = reply.headers.get('Set-Cookie')?.split(';')[0] ?? '';
      sessions[level] = { Cookie: cookie, 'X-CSRF-Token': CsrfToken };
    }
    keys.withBasic = (await rest.key(account.accountNo, 'UA', { user: 'u', password: 'p' })).key;
    keys.foreign = (await rest.key(other.accountNo, 'UA')).key;
    place = account;
    mine = await createSampleAccount(rest, account, keys.UW);
  });
  afterAll(() => rest[Symbol.asyncDispose]());

  type Headers = Readonly<Record<string, string>>;
  type Ids = Readonly<Record<string, string>>;
  const callAs = (route: Route, sender: Headers, ids: Ids, query = '') => {
    const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? newId());
    addresses += 1;
    const name = `${route.method} ${route.path}`;
    const fresh = { Name: `new-${addresses}` };
    const unique: Readonly<Record<string, object>> = {
      'POST /secrets': { ...fresh, Value: 'v' },
      'POST /locations': fresh,
      'POST /reports': { ...fresh, Contacts: ['key:reader'] },
      'POST /pages': { ...fresh, Path: fresh.Name },
      'POST /users': { ...fresh, Email: `p${addresses}@example.org`, Level: 'UR' },
      'POST /agents/invitations': { Location: 'local' },
    };
    const sent = unique[name] ?? bodies[name];
    // Names are unique, so each request has its own.
    const body = sent !== undefined && 'Name' in sent ? { ...sent, Name: newId() } : sent;
    return rest.send(route.method, `${path}${query}`, {
      ...(body === undefined ? {} : { body }),
      headers: { ...sender, 'X-Forwarded-For': `192.0.2.${addresses % 250}` },
    });
  };
  const call = (route: Route, key: string | undefined, ids: Ids, query = '') =>
    callAs(route, key === undefined ? {} : { 'Service-API-Key': key }, ids, query);
  const code = (reply: { readonly json: unknown }) =>
    z.object({ code: z.int() }).safeParse(reply.json).data?.code ?? 200;

  it('stands in the table once, and there are at least the twenty of the contract', () => {
    const names = rest.routes.map(({ method, path }) => `${method} ${path}`);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThanOrEqual(20);
  });

  it('answers each kind of caller with the code expected', async () => {
    const expected: Record<string, readonly number[]> = {};
    const found: Record<string, number[]> = {};
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
        ...levels.map((level) => (mayUse(level, route.level) ? 200 : 1002)), // a key of each level
        ...levels.map((level) => (mayUse(level, route.level) ? 200 : 1002)), // a session of each
        open || route.method === 'GET' ? 200 : 1002, // a session without its CSRF token
      ];
      found[name] = [
        code(await call(route, undefined, mine.ids)),
        code(await call(route, 'nobody', mine.ids)),
        code(await call(route, undefined, mine.ids, '?api_key=')) === 1001 ? (open ? 200 : 1001) : 0,
        code(await call(route, keys.withBasic, mine.ids)),
        code(await call(route, keys.foreign, mine.ids)),
        code(await call(route, keys.UA, {})),
      ];
      for (const level of levels)
        found[name].push(code(await call(route, keys[level], await idsFor(route, level))));
      for (const level of levels)
        found[name].push(code(await callAs(route, sessions[level], await idsFor(route, level))));
      const { Cookie = '' } = sessions.UA;
      found[name].push(code(await callAs(route, { Cookie }, mine.ids)));
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

  const mayUse = (level: Level, needed: Route['level']) =>
    needed === 'none' || levels.indexOf(level) >= levels.indexOf(needed);
  /** The ids that a caller of this level sends: what is deleted is made for that. */
  const idsFor = async (route: Route, level: Level) => (mayUse(level, route.level) ? fresh(route) : mine.ids);

  /** Objects to delete are created for each request. */
  async function fresh(route: Route): Promise<Readonly<Record<string, string>>> {
    if (route.method !== 'DELETE') return mine.ids;
    await rest.db.kysely.deleteFrom('secrets').where('name', '=', 'to-go').execute();
    const agent_id = newId();
    const { keyId: key_id } = await rest.key(place.accountNo, 'UR');
    await createFixtures(rest.db.kysely).agent(place, { agent_id });
    const send = async (path: string, body: object) =>
      z.record(z.string(), z.string()).parse((await rest.send('POST', path, { key: keys.UW, body })).json);
    return {
      ...mine.ids,
      agent_id,
      key_id,
      user_id: await addUser(rest, place.accountNo),
      maintenance_id: await addMaintenance(rest, mine.deviceNo),
      ...(await send('/tags', { Name: `to go ${newId()}` })),
      ...(await send('/contacts', { ...sampleContact, Name: newId() })),
      ...(await send('/mschedules', { ...sampleMschedule, Name: newId() })),
      ...(await send('/hooks', { ...sampleHook, Name: newId() })),
      ...(await send('/reports', { Name: `to go ${newId()}`, Contacts: ['key:reader'] })),
      ...(await send('/pages', { ...samplePage, Name: newId(), Path: `to-go-${newId().slice(0, 20)}` })),
      ...(await send('/nschedules', { Name: `to go ${newId()}`, Steps: [] })),
      ...(await send('/locations', { Name: `to go ${newId()}` })),
      ...(await send('/secrets', { Name: 'to-go', Value: 'v' })),
      ...(await send('/devices', { Method: 'TCP', URL: 'example.org:80', ShortName: 'to-go' })),
    };
  }
});
