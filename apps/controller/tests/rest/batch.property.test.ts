import { newId } from '@vantage/kernel';
import { propertyRuns } from '@vantage/kernel/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { createRestFixture, type RestFixture } from '../../src/testing/rest-fixture.ts';

let rest: RestFixture;
beforeAll(async () => {
  rest = await createRestFixture();
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
const createdDevice = of(
  'POST',
  fc.constant('/devices'),
  fc.record(
    {
      Method: fc.constant('PING'),
      URL: fc.constantFrom('b.example', '192.0.2.7'),
      ShortName: fc.constantFrom('e', 'f'),
      ExternalKey: fc.constantFrom('k1', 'k2', 'k3', null),
      device_master_id: fc.constantFrom('key:k1', 'key:k2', null),
      Frequency: fc.constantFrom(1, 10),
    },
    { requiredKeys: ['Method', 'URL', 'ShortName'] },
  ),
);
const ifMatched = fc
  .tuple(
    deviceId,
    fc.constantFrom('PUT', 'DELETE'),
    fc.constantFrom('*', '*', '"0.0"'),
    fc.record({ Severity: fc.constantFrom('info', 'critical'), ExternalKey: fc.constantFrom('k1', null) }),
  )
  .map(([id, method, ifMatch, body]) => ({ method, path: `/devices/${id}`, body, ifMatch }));
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
  createdDevice,
  ifMatched,
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

type Sequence = readonly (typeof operation extends fc.Arbitrary<infer O> ? O : never)[];

/** The operations of a batch for the devices and tags of this account. */
function operationsOf(sequence: Sequence, { ids }: Account) {
  const named = z.record(z.string(), z.string()).parse(ids);
  return sequence.map((each) => ({
    Method: each.method,
    Path: each.path.replaceAll(/(?<=\/)(D[12]|T[12])\b/g, (id) => named[id] ?? ''),
    ...(each.body === undefined ? {} : { Body: each.body }),
    ...('ifMatch' in each ? { IfMatch: each.ifMatch } : {}),
  }));
}

/** Sends each operation by itself, or those up to the first that fails. */
async function sendEach(sequence: Sequence, account: Account, untilFailure: boolean) {
  const results: { Status: number; Body: unknown }[] = [];
  for (const { Method, Path, Body, IfMatch } of operationsOf(sequence, account)) {
    const { status, json } = await rest.send(Method, Path, {
      key: account.key,
      ...(Body && { body: Body }),
      ...(IfMatch === undefined ? {} : { headers: { 'If-Match': IfMatch } }),
    });
    results.push({ Status: status, Body: json });
    if (untilFailure && status !== 200) break;
  }
  return results;
}

const sendTogether = (sequence: Sequence, account: Account, Atomic: boolean) =>
  rest.send('POST', '/batch', {
    key: account.key,
    body: { Atomic, Operations: operationsOf(sequence, account) },
  });

/** All that both accounts show is the same. */
async function expectSame(one: Account, other: Account): Promise<void> {
  for (const path of ['/devices', '/tags', '/account', '/audit', '/events?Limit=100', '/states']) {
    const [before, after] = [one, other].map(({ key }) => rest.send('GET', path, { key }));
    expect(withoutIds((await after)?.json)).toEqual(withoutIds((await before)?.json));
  }
}

it('does any sequence as single requests do, byte for byte, but for the ids', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { minLength: 1, maxLength: 12 }), async (sequence) => {
      const [alone, together] = [await createAccount(), await createAccount()];
      const single = await sendEach(sequence, alone, false);
      const { json } = await sendTogether(sequence, together, false);
      expect(withoutIds(shape.parse(json).Results)).toEqual(withoutIds(single));
      await expectSame(alone, together);
    }),
    { numRuns: propertyRuns(12), endOnFailure: true },
  );
});

it('with Atomic does them so, too, or nothing where one fails', async () => {
  const devices = fc.array(fc.oneof({ weight: 3, arbitrary: createdDevice }, ifMatched, operation), {
    minLength: 1,
    maxLength: 12,
  });
  let wholes = 0;
  await fc.assert(
    fc.asyncProperty(devices, async (sequence) => {
      const [alone, together, untouched] = [
        await createAccount(),
        await createAccount(),
        await createAccount(),
      ];
      const single = await sendEach(sequence, alone, true);
      const { json } = await sendTogether(sequence, together, true);
      expect(withoutIds(shape.parse(json).Results)).toEqual(withoutIds(single));
      const isWhole = single.every(({ Status }) => Status === 200);
      if (isWhole) wholes += 1;
      await expectSame(isWhole ? alone : untouched, together);
    }),
    // Chance alone may find none that succeeds as a whole.
    {
      numRuns: propertyRuns(25),
      endOnFailure: true,
      examples: [[fc.sample(createdDevice, { numRuns: 1, seed: 1 })]],
    },
  );
  expect(wholes).toBeGreaterThan(0);
});

/**
 * The JSON text with each id, and each ETag that it is a part of, replaced by when it first came, and without times of
 * the database's clock.
 */
function withoutIds(value: unknown): string {
  const seen = new Map<string, string>();
  const text = JSON.stringify(value, (name, each: unknown) =>
    name === 'CreatedAt' || name === 'UpdatedAt' ? undefined : each,
  );
  return text.replaceAll(/[0-9a-f]{48}|[0-9a-f]{16}\.[0-9a-f]{16}/g, (id) => {
    const name = seen.get(id) ?? `id ${seen.size}`;
    seen.set(id, name);
    return name;
  });
}
