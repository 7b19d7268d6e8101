import { newId } from '@vantage/kernel';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { type Rest, startRest } from '../api/testing/rest.ts';

let rest: Rest;
beforeAll(async () => {
  rest = await startRest();
});
afterAll(() => rest[Symbol.asyncDispose]());

const shape = z.object({ Results: z.array(z.object({ Status: z.int(), Body: z.unknown() })) });
/** An account with two devices and two tags. */
async function createAccount() {
  const { accountNo } = await rest.account(newId());
  const { key } = await rest.key(accountNo, 'UW');
  const make = async (path: string, body: object) => {
    const { json } = await rest.send('POST', path, { key, body });
    return Object.values(z.record(z.string(), z.string()).parse(json))[0] ?? '';
  };
  const device = { Method: 'TCP', URL: 'a.example:1', ShortName: 'a' };
  return {
    key,
    ids: {
      D1: await make('/devices', device),
      D2: await make('/devices', { ...device, ShortName: 'b' }),
      T1: await make('/tags', { Name: 't1' }),
      T2: await make('/tags', { Name: 't2' }),
    },
  };
}
type Account = Awaited<ReturnType<typeof createAccount>>;

const name = fc.constantFrom('a', 'b', '', 'x y');
const deviceId = fc.constantFrom('D1', 'D2', 'unknown');
const tagId = fc.constantFrom('T1', 'T2', 'unknown');
const of = (method: string, path: fc.Arbitrary<string>, body: fc.Arbitrary<object | undefined>) =>
  fc.record({ method: fc.constant(method), path, body });
const none = fc.constant(undefined);
const operation = fc.oneof(
  of('POST', fc.constant('/tags'), fc.record({ Name: name, ExternalKey: name }, { requiredKeys: ['Name'] })),
  of(
    'POST',
    fc.constant('/devices'),
    fc.record({
      Method: fc.constantFrom('TCP', 'HTTP'),
      URL: fc.constantFrom('a.example:1', 'http://a.example/'),
      ShortName: fc.constantFrom('c', 'not good'),
      Tags: fc.constantFrom([], ['t1'], ['nowhere']),
    }),
  ),
  of(
    'PUT',
    deviceId.map((id) => `/devices/${id}`),
    fc.record({ Retries: fc.constantFrom(2, 3, 99), FullName: name }),
  ),
  of(
    'PUT',
    deviceId.map((id) => `/devices/${id}?WithConfig=Y`),
    fc.record({ Tags: fc.constantFrom([], ['t1', 't2']) }),
  ),
  of(
    'PUT',
    tagId.map((id) => `/tags/${id}`),
    fc.record({ Name: name }),
  ),
  of(
    'PUT',
    fc.tuple(tagId, deviceId).map(([tag, id]) => `/tags/${tag}/devices/${id}`),
    none,
  ),
  of(
    'DELETE',
    fc.tuple(tagId, deviceId).map(([tag, id]) => `/tags/${tag}/devices/${id}`),
    none,
  ),
  of(
    'DELETE',
    deviceId.map((id) => `/devices/${id}`),
    none,
  ),
  of(
    'DELETE',
    tagId.map((id) => `/tags/${id}`),
    none,
  ),
  of('PUT', fc.constant('/account'), fc.record({ Timezone: fc.constantFrom('UTC', 'Asia/Tokyo', 'Mars') })),
  of(
    'GET',
    deviceId.map((id) => `/devices/${id}`),
    none,
  ),
  of(
    'GET',
    fc.constantFrom('/devices', '/tags', '/devices?Limit=x', '/nowhere', '/audit', '/events', '/locations'),
    none,
  ),
);

it('does any sequence as single requests do, byte for byte, but for the ids', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { minLength: 1, maxLength: 12 }), async (sequence) => {
      const [alone, together] = [await createAccount(), await createAccount()];
      const sent = ({ ids }: Account) =>
        sequence.map(({ method, path, body }) => ({
          Method: method,
          Path: path.replaceAll(
            /(?<=\/)(D[12]|T[12])\b/g,
            (id) => z.record(z.string(), z.string()).parse(ids)[id] ?? '',
          ),
          ...(body === undefined ? {} : { Body: body }),
        }));
      const single: { Status: number; Body: unknown }[] = [];
      for (const { Method, Path, Body } of sent(alone)) {
        const { status, json } = await rest.send(Method, Path, {
          key: alone.key,
          ...(Body && { body: Body }),
        });
        single.push({ Status: status, Body: json });
      }
      const { json } = await rest.send('POST', '/batch', {
        key: together.key,
        body: { Operations: sent(together) },
      });
      expect(withoutIds(shape.parse(json).Results)).toEqual(withoutIds(single));
      for (const path of ['/devices', '/tags', '/account', '/audit', '/events']) {
        const [before, after] = [alone, together].map(({ key }) => rest.send('GET', path, { key }));
        expect(withoutIds((await after)?.json)).toEqual(withoutIds((await before)?.json));
      }
    }),
    { numRuns: 25, endOnFailure: true },
  );
});

/** The JSON text with each id replaced by when it first came. */
function withoutIds(value: unknown): string {
  const seen = new Map<string, string>();
  return JSON.stringify(value).replaceAll(/[0-9a-f]{48}/g, (id) => {
    const name = seen.get(id) ?? `id ${seen.size}`;
    seen.set(id, name);
    return name;
  });
}
