import { newId } from '@vantage/kernel';
import type { Route } from '@vantage/rest-kit/route';
import { type Level, levels } from '@vantage/rest-kit/session';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Caller, type Callers, createCallers } from '../../src/testing/callers.ts';
import { type RequestMaker, requestMaker } from '../../src/testing/good-requests.ts';
import { createRestFixture, type RestFixture, triedWell } from '../../src/testing/rest-fixture.ts';
import { createSampleAccount, type SampleAccount } from '../../src/testing/sample-account.ts';

/**
 * Requests about the whole account. A caller who is limited to tags sends all others, also those of routes that come
 * later, unless they are named here.
 */
const ofAccount = [
  /^\w+ \/(contacts|hooks|pages|reports|secrets|installation|sign-in|quarantine)\b/,
  /^GET \/account\/limits$/,
  /^(POST|PUT|DELETE) \/(account|locations|agents)\b/,
  /^(POST|PUT|DELETE) \/[mn]schedules(\/\{\w+\})?$/,
  /^POST \/tags$/,
  /^(PUT|DELETE) \/tags\/\{tag_id\}$/,
];

/** Ids of things that belong to devices, keys or people: a caller who is limited to other tags does not find them. */
const ofDevices = /\{(device|tag|check|outage|alert|maintenance|key|user|change|mark)_id\}/;

/** Routes for the operator's account only. */
const isOperators = /^\/installation\/settings/;

const nameOf = ({ method, path }: Route) => `${method} ${path}`;
const mayUse = (level: Level, needed: Route['level']) =>
  needed === 'none' || levels.indexOf(level) >= levels.indexOf(needed);

/** The code of each kind of caller. */
function expectedCodes(route: Route): Readonly<Record<string, number>> {
  const hasIds = route.path.includes('{');
  const isOpen = route.level === 'none';
  const limited = ofAccount.some((each) => each.test(nameOf(route))) ? 1002 : 200;
  const codes: Record<string, number> = {
    'no key': isOpen ? 200 : 1001,
    'an unknown key': 1001,
    'a key without its password': 1001,
    'another account': isOperators.test(route.path) ? 1002 : hasIds ? 1003 : 200,
    'an unknown id': hasIds ? 1003 : 200,
    'UA of other tags': limited === 200 && ofDevices.test(route.path) ? 1003 : limited,
    'a session without its CSRF token': isOpen || route.method === 'GET' ? 200 : 1002,
  };
  for (const level of levels) {
    const may = mayUse(level, route.level);
    codes[level] = codes[`session of ${level}`] = may ? 200 : 1002;
    codes[`${level} of tags`] = codes[`session of ${level} of tags`] = may ? limited : 1002;
  }
  // The sample device is of another Method.
  if (route.path.endsWith('/push/rotate'))
    for (const [name, code] of Object.entries(codes)) if (code === 200) codes[name] = 1005;
  return codes;
}

describe('every route', () => {
  let rest: RestFixture;
  let mine: SampleAccount;
  let callers: Callers;
  let make: RequestMaker;

  beforeAll(async () => {
    rest = await createRestFixture({
      checkNow: async () => ({ kind: 'done', checkId: mine.ids['check_id'] ?? '' }),
      runTrial: triedWell,
    });
    const account = await rest.account('mine');
    const { key } = await rest.key(account.accountNo, 'UW');
    mine = await createSampleAccount(rest, account, key);
    callers = await createCallers(rest, account, { key, mine });
    make = requestMaker(rest, { ...account, key, mine, tags: callers.tags });
  });
  afterAll(() => rest[Symbol.asyncDispose]());

  let requests = 0;
  /** Each request has an address of its own: wrong keys of one address are refused as too many. */
  const sendAs = async (route: Route, caller: Caller, isGood: boolean) => {
    requests += 1;
    const { path, body } = await make(route, caller, isGood);
    const headers = { ...caller.headers, 'X-Forwarded-For': `192.0.2.${requests % 250}` };
    return rest.send(route.method, path, { ...body, headers });
  };
  const code = (reply: { readonly json: unknown }) =>
    z.object({ code: z.int() }).safeParse(reply.json).data?.code ?? 200;

  it('stands in the table once, and there are at least the twenty of the contract', () => {
    const names = rest.routes.map(nameOf);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThanOrEqual(20);
  });

  it('answers each kind of caller with the code expected', async () => {
    const expected: Record<string, object> = {};
    const found: Record<string, object> = {};
    // The routes of sessions: session-routes.test.ts.
    const order = rest.routes
      .filter(({ tag }) => tag !== 'Sessions')
      .sort((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'));
    for (const route of order) {
      const asked = Object.entries(callers.all).map(async ([name, caller]) => {
        const reply = await sendAs(route, caller, expectedCodes(route)[name] === 200);
        return [name, code(reply)] as const;
      });
      found[nameOf(route)] = Object.fromEntries(await Promise.all(asked));
      expected[nameOf(route)] = expectedCodes(route);
    }
    expect(found).toEqual(expected);
  });

  it('gives a foreign id and an unknown one the same bytes', async () => {
    const foreign = callers.all['another account'];
    const limited = callers.all['UA of other tags'];
    const unknown = Object.fromEntries(Object.keys(mine.ids).map((name) => [name, newId()]));
    const none = Object.fromEntries(Object.keys(mine.ids).map((name) => [name, 'no-id']));
    for (const route of rest.routes.filter(({ path }) => path.includes('{')))
      for (const caller of [
        foreign,
        ...(expectedCodes(route)['UA of other tags'] === 1003 ? [limited] : []),
      ]) {
        if (caller === undefined) throw new Error('a caller is missing');
        const ask = async (ids: Readonly<Record<string, string>>) => {
          const { text, headers } = await sendAs(route, { ...caller, ids }, false);
          return [nameOf(route), text, Object.keys(Object.fromEntries(headers))];
        };
        const asked = await ask(mine.ids);
        expect(await ask(unknown)).toEqual(asked);
        expect(await ask(none)).toEqual(asked);
      }
  });
});
