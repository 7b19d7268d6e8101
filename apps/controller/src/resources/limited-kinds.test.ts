import { defaultLimits } from '@vantage/domain';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRestFixture, type RestFixture } from '../testing/rest-fixture.ts';

const most = 5;
const limits = Object.fromEntries(Object.keys(defaultLimits).map((kind) => [kind, most]));
let rest: RestFixture;
let key: string;

beforeAll(async () => {
  rest = await createRestFixture({ limits });
  const { accountNo } = await rest.account('one'); // with the Location local
  ({ key } = await rest.key(accountNo, 'UA'));
});
afterAll(() => rest[Symbol.asyncDispose]());

/** A request that creates one more, how many the account has before, and the id of a new one. */
const kinds: readonly (readonly [
  shown: string,
  path: string,
  body: (n: number) => object,
  before: number,
  id: string,
])[] = [
  ['devices', '/devices', (n) => ({ Method: 'TCP', URL: 'a.example:1', ShortName: `d${n}` }), 0, 'device_id'],
  ['tags', '/tags', (n) => ({ Name: `t${n}` }), 0, 'tag_id'],
  ['Locations', '/locations', (n) => ({ Name: `l${n}` }), 1, 'location_id'],
  ['secrets', '/secrets', (n) => ({ Name: `S${n}`, Value: 'v' }), 0, 'secret_id'],
  [
    'contacts',
    '/contacts',
    (n) => ({ Name: `c${n}`, Type: 'email', Address: `c${n}@example.org` }),
    0,
    'contact_id',
  ],
  ['notification schedules', '/nschedules', (n) => ({ Name: `n${n}`, Steps: [] }), 0, 'nschedule_id'],
  [
    'maintenance schedules',
    '/mschedules',
    (n) => ({ Name: `m${n}`, Start: '2030-01-01T00:00', Duration: '01:00' }),
    0,
    'mschedule_id',
  ],
  [
    'hooks',
    '/hooks',
    (n) => ({ Name: `h${n}`, Address: 'https://h.example/', Secret: `whsec_${'a'.repeat(32)}` }),
    0,
    'hook_id',
  ],
  ['status pages', '/pages', (n) => ({ Name: `p${n}`, Path: `p${n}` }), 0, 'page_id'],
  ['keys', '/keys', (n) => ({ Name: `k${n}`, Level: 'UR' }), 1, 'key_id'],
  ['users', '/users', (n) => ({ Name: `u${n}`, Email: `u${n}@example.org`, Level: 'UR' }), 0, 'user_id'],
  ['agents', '/agents/invitations', () => ({ Location: 'local' }), 0, 'agent_id'],
];

test.each(kinds)(
  'of %s, an account has as many as its limit, however many are created at one moment',
  async (shown, path, body, before, id) => {
    const create = (n: number) => rest.send('POST', path, { key, body: body(n) });
    const replies = await Promise.all(Array.from({ length: 12 }, (_, n) => create(n)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(most - before);
    const [refused] = replies.filter(({ status }) => status !== 200);
    expect(refused?.json).toMatchObject({
      code: 1004,
      message: `The account has ${most} ${shown}, which is the limit. Delete one that is no longer needed.`,
    });
    const operations = [0, 1].map((n) => ({ Method: 'POST', Path: path, Body: body(100 + n) }));
    const batch = await rest.send('POST', '/batch', { key, body: { Operations: operations } });
    expect(batch.text).toContain('which is the limit');
    if (id === 'agent_id') return;
    const [one] = replies.flatMap(({ status, json }) =>
      status === 200 ? [json as Record<string, string>] : [],
    );
    expect((await rest.send('DELETE', `${path}/${one?.[id]}`, { key })).status).toBe(200);
    expect((await create(200)).status).toBe(200);
    expect((await create(201)).status).toBe(400);
  },
);
