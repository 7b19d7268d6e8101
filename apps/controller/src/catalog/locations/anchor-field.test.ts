import { storedAnchors } from '@vantage/domain';
import { beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { useAccountPerTest } from '../../testing/account-per-test.ts';

const api = useAccountPerTest();
const { send } = api;
let local: string;
beforeEach(async () => {
  local = location.parse((await send('GET', '/locations')).json)[0]?.location_id ?? '';
});

const location = z.array(z.object({ location_id: z.string() }));
const put = (body: object) => send('PUT', `/locations/${local}`, body);
const gateway = { Name: 'gateway', Target: '192.0.2.1' };
const site = { Name: 'site', Target: '192.0.2.9:22', Networks: ['198.51.100.0/24', '2001:db8::/32'] };
const anchorsOf = (json: unknown) => z.object({ Anchors: storedAnchors }).parse(json).Anchors;

test('anchors are set, shown in the one spelling of their addresses, kept by other changes and cleared', async () => {
  const spelled = [
    { Name: 'a', Target: '::ffff:192.0.2.1', Networks: null },
    { Name: 'b', Target: '[2001:DB8:0::53]:53' },
    { Name: 'c', Target: '2001:DB8:0::1' },
    site,
  ];
  const shown = [
    { Name: 'a', Target: '192.0.2.1', Networks: [] },
    { Name: 'b', Target: '[2001:db8::53]:53', Networks: [] },
    { Name: 'c', Target: '2001:db8::1', Networks: [] },
    site,
  ];
  const set = await put({ Anchors: spelled });
  expect([set.status, anchorsOf(set.json)]).toEqual([200, shown]);
  expect(set.json).toMatchObject({
    AnchorStates: ['a', 'b', 'c', 'site'].map((Name) => ({ Name, State: 'Unknown', Reason: null })),
  });
  expect(anchorsOf((await put({ Name: 'Oslo' })).json)).toEqual(shown);
  expect(anchorsOf((await put({ Anchors: null })).json)).toEqual([]);
  const made = await send('POST', '/locations', { Name: 'Rome', Anchors: [gateway] });
  const { location_id: id } = z.object({ location_id: z.string() }).parse(made.json);
  expect(anchorsOf((await send('GET', `/locations/${id}`)).json)).toEqual([{ ...gateway, Networks: [] }]);
});

test('what GET returned is sent back unchanged, and nothing changes; a change is in the audit', async () => {
  const { json, text } = await put({ Anchors: [gateway, site] });
  const audit = (await send('GET', '/audit')).json;
  expect(audit).toMatchObject([
    {
      Action: 'Update',
      Kind: 'location',
      Changes: [{ Field: 'Anchors', Old: [], New: [{ ...gateway }, site] }],
    },
  ]);
  expect((await put(z.record(z.string(), z.unknown()).parse(json))).text).toBe(text);
  expect((await send('GET', '/audit')).json).toEqual(audit);
});

test.each([
  [
    { ...gateway, Target: 'gw.example' },
    'Target',
    /must be an IP address and not a host name, .*"gw.example" was sent/,
  ],
  [{ ...gateway, Target: '192.0.2.1:0' }, 'Target', /"192.0.2.1:0"/],
  [{ ...gateway, Target: '192.0.2.1:65536' }, 'Target', /must be an IP address/],
  [{ ...gateway, Target: '2001:db8::1:' }, 'Target', /must be an IP address/],
  [{ ...gateway, Target: 'fe80::1%eth0' }, 'Target', /must be an IP address/],
  [{ ...gateway, Target: '127.1' }, 'Target', /must be an IP address/],
  [{ ...gateway, Target: '' }, 'Target', /./],
  [{ Name: 'gateway' }, 'Target', /is required/],
  [{ ...gateway, Name: 'two\nlines' }, 'Name', /one line/],
  [{ ...gateway, Networks: ['10.0.0.0/33'] }, 'Networks.0', /must be a network in CIDR form.*"10.0.0.0\/33"/],
  [{ ...gateway, Networks: '10.0.0.0/8' }, 'Networks', /must be/],
  [{ ...gateway, Port: 53 }, 'Port', /is not a known field/],
])('a wrong anchor is refused with its place: %j', async (anchor, field, message) => {
  const reply = await put({ Anchors: [site, anchor] });
  expect(reply.json).toMatchObject({
    code: 1004,
    errors: [{ field: `Anchors.1.${field}`, message: expect.stringMatching(message) }],
  });
  expect(anchorsOf((await send('GET', `/locations/${local}`)).json)).toEqual([]);
});

test('two anchors with one Name or one Target, and more than eight, are refused', async () => {
  const two = await put({ Anchors: [gateway, { ...gateway, Target: '::ffff:192.0.2.1' }] });
  expect(two.json).toMatchObject({
    code: 1004,
    errors: [{ field: 'Anchors.1.Name' }, { field: 'Anchors.1.Target' }],
  });
  const nine = Array.from({ length: 9 }, (_, i) => ({ Name: `a${i}`, Target: `192.0.2.${i + 1}` }));
  expect((await put({ Anchors: nine })).json).toMatchObject({ code: 1004, errors: [{ field: 'Anchors' }] });
  expect((await put({ Anchors: nine.slice(1) })).status).toBe(200);
});

test('a Location with PublicTargetsOnly has no anchors with private addresses', async () => {
  const inside = { Name: 'inside', Target: '10.0.0.1' };
  const both = await put({ Anchors: [gateway, inside], PublicTargetsOnly: true });
  expect(both.json).toMatchObject({ code: 1004, errors: [{ field: 'Anchors.1.Target' }] });
  expect((await put({ Anchors: [gateway], PublicTargetsOnly: true })).status).toBe(200);
  expect((await put({ Anchors: [inside] })).json).toMatchObject({ errors: [{ field: 'Anchors.0.Target' }] });
  const made = await send('POST', '/locations', { Name: 'x', PublicTargetsOnly: true, Anchors: [inside] });
  expect(made.json).toMatchObject({ code: 1004, errors: [{ field: 'Anchors.0.Target' }] });
});

test('a Location and an agent that are created have lists in their columns, not texts', async () => {
  const made = await send('POST', '/locations', { Name: 'Rome' });
  const { location_id: id } = z.object({ location_id: z.string() }).parse(made.json);
  const stored = await api.rest.db.kysely
    .selectFrom('locations')
    .select(['anchors', 'failed_anchors'])
    .where('location_id', '=', id)
    .executeTakeFirstOrThrow();
  expect(stored).toEqual({ anchors: [], failed_anchors: [] });
  const invited = await send('POST', '/agents/invitations', { Location: 'Rome' });
  expect([invited.status, invited.text]).toEqual([200, invited.text]);
  const agents = await api.rest.db.kysely.selectFrom('agents').select('anchor_states').execute();
  expect(agents.map((one) => one.anchor_states)).toEqual(agents.map(() => []));
});

test('AnchorStates shows what the connected agents report, and a damaged stored value as Unknown', async () => {
  await put({ Anchors: [gateway, site] });
  const { kysely } = api.rest.db;
  const row = (name: string, state: 'Connected' | 'Away', anchor_states: string) => ({
    agent_id: `${api.accountNo}${name}`,
    account_no: accountNoOf,
    location_no: api.locationNo,
    name,
    token_hash: Buffer.from(`${api.accountNo}${name}`),
    token_expires_us: 1,
    state,
    anchor_states,
  });
  const { account_no: accountNoOf } = await kysely
    .selectFrom('locations')
    .select('account_no')
    .where('location_no', '=', api.locationNo)
    .executeTakeFirstOrThrow();
  const report = (target: string, state: string) => ({ target, state, sinceUs: 1, text: `it is ${state}` });
  const reports = [report('192.0.2.1', 'answers'), report('192.0.2.9:22', 'silent')];
  await kysely
    .insertInto('agents')
    .values([
      row('good', 'Connected', JSON.stringify(reports)),
      row('damaged', 'Connected', '{"x": 1}'),
      row('away', 'Away', JSON.stringify([report('192.0.2.9:22', 'answers')])),
    ])
    .execute();
  expect((await send('GET', `/locations/${local}`)).json).toMatchObject({
    AnchorStates: [
      { Name: 'gateway', State: 'Up', Reason: null },
      { Name: 'site', State: 'Down', Reason: 'it is silent' },
    ],
  });
  await kysely
    .updateTable('locations')
    .set({ anchors: '{"y": 2}' })
    .where('location_no', '=', api.locationNo)
    .execute();
  expect((await send('GET', `/locations/${local}`)).json).toMatchObject({ Anchors: [], AnchorStates: [] });
});
