import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import type { Reply } from '../../src/testing/http-client.ts';
import { createRestFixture, type RestFixture } from '../../src/testing/rest-fixture.ts';

let controllers: readonly [RestFixture, RestFixture];
let keys: readonly string[];

beforeAll(async () => {
  const first = await createRestFixture();
  controllers = [first, await createRestFixture({ beside: first })];
  const { accountNo } = await first.account('one');
  // A key has 16 requests under way.
  keys = [(await first.key(accountNo, 'UW')).key, (await first.key(accountNo, 'UW')).key];
});
afterAll(async () => {
  const [first, second] = controllers;
  await second[Symbol.asyncDispose]();
  await first[Symbol.asyncDispose]();
});

/** Sends to the one or the other controller. */
const send = (n: number, method: string, path: string, body?: object, tag?: string): Promise<Reply> =>
  (controllers[n % 2] ?? controllers[0]).send(method, path, {
    key: keys[n % 2] ?? '',
    ...(body === undefined ? {} : { body }),
    ...(tag === undefined ? {} : { headers: { 'If-Match': tag } }),
  });
const created = async (path: string, body: object): Promise<string> => {
  const { json } = await send(0, 'POST', path, body);
  return `${path}/${Object.values(z.record(z.string(), z.string()).parse(json))[0]}`;
};
const tagOf = async (path: string): Promise<string> => (await send(1, 'GET', path)).headers.get('etag') ?? '';
const device = { Method: 'TCP', URL: 'a.example:1', ShortName: 'a' };
const twenty = Array.from({ length: 20 }, (_, n) => n);

const resources: readonly (readonly [
  what: string,
  make: () => Promise<string>,
  body: (n: number) => object,
])[] = [
  ['a device', () => created('/devices', device), (n) => ({ FullName: `name ${n}` })],
  ['a tag', () => created('/tags', { Name: 'a' }), (n) => ({ Name: `name ${n}` })],
  ['a Location', () => created('/locations', { Name: 'a' }), (n) => ({ Name: `name ${n}` })],
  ['the account', async () => '/account', (n) => ({ Timezone: `Etc/GMT+${(n % 12) + 1}` })],
];

test.each(resources)(
  'of 20 PUTs of %s with one ETag at two controllers exactly one wins',
  async (_, make, body) => {
    const path = await make();
    const tag = await tagOf(path);
    const replies = await Promise.all(twenty.map((n) => send(n, 'PUT', path, body(n), tag)));
    const won = replies.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    for (const { status, json } of replies.filter((reply) => !won.includes(reply)))
      expect([status, json]).toEqual([400, expect.objectContaining({ code: 1005 })]);
    expect((await send(0, 'GET', path)).json).toEqual(won[0]?.json);
  },
);

test('a change without If-Match at another controller never slips between the comparison and the change', async () => {
  const path = await created('/devices', device);
  const tagPath = await created('/tags', { Name: 'slips' });
  const attach = `${tagPath}${path}`;
  for (let round = 0; round < 10; round += 1) {
    await send(0, 'PUT', path, { Tags: [] });
    const tag = await tagOf(path);
    const [compared] = await Promise.all([
      send(0, 'PUT', path, { Tags: [], FullName: `name ${round}` }, tag),
      send(1, 'PUT', attach),
    ]);
    const { Tags } = z.object({ Tags: z.array(z.unknown()) }).parse((await send(0, 'GET', path)).json);
    // Either the attachment came first and the PUT was refused, or the PUT came first: the tag is there in both.
    expect([compared.status === 200 || compared.status === 400, Tags.length]).toEqual([true, 1]);
  }
});
