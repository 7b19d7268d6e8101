import { newId } from '@vantage/kernel';
import { createFixtures } from '@vantage/testing/fixtures';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { useAccountPerTest } from '../../testing/account-per-test.ts';
import { createSampleAccount } from '../../testing/sample-account.ts';

const api = useAccountPerTest();
const { send } = api;

const invite = async (values: { readonly name?: string; readonly state?: 'Connected' } = {}) => {
  const agent_id = newId();
  const agent = await createFixtures(api.rest.db.kysely).agent(api, { agent_id, ...values });
  return { id: agent_id, ...agent };
};
const listed = async () =>
  z
    .array(z.object({ agent_id: z.string() }))
    .parse((await send('GET', '/agents')).json)
    .map(({ agent_id }) => agent_id);
const audit = async () => (await send('GET', '/audit?Kind=agent')).json;

test('an agent gets another name, and the audit has the old one', async () => {
  const { id } = await invite({ name: 'edge', state: 'Connected' });
  const renamed = await send('PUT', `/agents/${id}`, { Name: 'Größe 1' });
  expect(renamed.json).toMatchObject({
    agent_id: id,
    Name: 'Größe 1',
    State: 'Connected',
    Location: 'local',
  });
  expect((await send('GET', `/agents/${id}`)).text).toBe(renamed.text);
  expect(await audit()).toMatchObject([
    { Action: 'Update', Id: id, Changes: [{ Field: 'Name', Old: 'edge', New: 'Größe 1' }] },
  ]);
});

test('an agent without a name is sent back as it was read, and nothing changes', async () => {
  const { id } = await invite({ name: '' });
  const { text, json, headers } = await send('GET', `/agents/${id}`);
  const put = await api.rest.send('PUT', `/agents/${id}`, {
    key: api.key,
    body: json,
    headers: { 'If-Match': headers.get('etag') ?? '' },
  });
  expect([put.status, put.text]).toEqual([200, text]);
  expect(await audit()).toEqual([]);
});

test.each([
  [{ Name: 'two\nlines' }, 'Name'],
  [{ Name: 7 }, 'Name'],
  [{ Name: 'x'.repeat(201) }, 'Name'],
  [{ Color: 'red' }, 'Color'],
  [{ Location: 'nowhere' }, 'Location'],
  [{ Location: null }, 'Location'],
  [{ Location: '' }, 'Location'],
])('a wrong field is named: %j', async (body, field) => {
  const { id } = await invite();
  expect((await send('PUT', `/agents/${id}`, body)).json).toMatchObject({ code: 1004, errors: [{ field }] });
});

const locate = async (name: string, place: Pick<typeof api, 'accountNo' | 'locationNo'> = api) => {
  const { key: own } = await api.rest.key(place.accountNo, 'UW');
  const { json } = await api.rest.send('POST', '/locations', { key: own, body: { Name: name } });
  const location_id = z.object({ location_id: z.string() }).parse(json).location_id;
  const { locationNo } = await api.rest.db.kysely
    .selectFrom('locations')
    .select('location_no as locationNo')
    .where('location_id', '=', location_id)
    .executeTakeFirstOrThrow();
  return { location_id, locationNo };
};

test('an agent is moved to a Location by name or id, and counts as connected there after its next session', async () => {
  const oslo = await locate('Oslo');
  const { id, agentNo } = await invite({ name: 'edge', state: 'Connected' });
  const heard: unknown[] = [];
  await using _ends = await api.rest.db.subscribe('revoked', (notice) => void heard.push(notice));
  await using _plans = await api.rest.db.subscribe('catalog', (notice) => void heard.push(notice));
  const moved = await send('PUT', `/agents/${id}`, { Location: 'Oslo' });
  expect(moved.json).toMatchObject({ Location: 'Oslo', State: 'Away', Name: 'edge' });
  await expect.poll(() => heard).toContainEqual({ agent_nos: [agentNo], key_nos: [] });
  await expect.poll(() => heard).toContainEqual({ location_nos: [api.locationNo, oslo.locationNo] });
  expect((await send('GET', `/locations/${oslo.location_id}`)).json).toMatchObject({
    Online: false,
    Agents: { Count: 1, Connected: 0 },
  });
  await api.rest.clock.advance(5_000);
  expect((await send('PUT', `/agents/${id}`, { Location: oslo.location_id })).json).toMatchObject({
    Location: 'Oslo',
  });
  await send('PUT', `/agents/${id}`, { Location: 'local', Name: 'core' });
  expect(await audit()).toMatchObject([
    {
      Changes: [
        { Field: 'Name', Old: 'edge', New: 'core' },
        { Field: 'Location', Old: 'Oslo', New: 'local' },
      ],
    },
    { Action: 'Update', Id: id, Changes: [{ Field: 'Location', Old: 'local', New: 'Oslo' }] },
  ]);
  const former = await api.rest.db.kysely
    .selectFrom('former_locations')
    .select(['location_no', 'from_us', 'to_us'])
    .where('agent_no', '=', agentNo)
    .orderBy('to_us')
    .execute();
  const nowUs = api.rest.clock.nowUs();
  expect(former).toEqual([
    { location_no: api.locationNo, from_us: 0, to_us: nowUs - 5_000_000 },
    { location_no: oslo.locationNo, from_us: nowUs - 5_000_000, to_us: nowUs },
  ]);
});

test("another account's Location is as unknown as one that does not exist", async () => {
  const other = await api.rest.account(`other of ${api.accountNo}`);
  const foreign = await locate('theirs', other);
  const { id } = await invite();
  const refused = await send('PUT', `/agents/${id}`, { Location: foreign.location_id });
  expect(refused.json).toMatchObject({ code: 1004, errors: [{ field: 'Location' }] });
  expect(refused.text).toContain('the name or id of a Location of this account');
});

test('a revoked agent gets another name, but is not moved', async () => {
  await locate('Oslo');
  const { id } = await invite({ name: 'edge' });
  await send('DELETE', `/agents/${id}`);
  expect((await send('PUT', `/agents/${id}`, { Name: 'was edge', Location: 'local' })).json).toMatchObject({
    Name: 'was edge',
    State: 'Revoked',
  });
  expect((await send('PUT', `/agents/${id}`, { Location: 'Oslo' })).json).toMatchObject({
    code: 1005,
    message: expect.stringContaining(id),
  });
});

test('a Location can be deleted once its agents are moved away, and an agent that moves there meanwhile prevents it', async () => {
  const { id } = await invite();
  for (let round = 0; round < 8; round += 1) {
    const { location_id } = await locate(`race ${round}`);
    const [move, deletion] = await Promise.all([
      send('PUT', `/agents/${id}`, { Location: location_id }),
      send('DELETE', `/locations/${location_id}`),
    ]);
    expect([move.status, deletion.status].sort((a, b) => a - b)).toEqual([200, 400]);
    await send('PUT', `/agents/${id}`, { Location: 'local' });
    if (deletion.status === 400) expect((await send('DELETE', `/locations/${location_id}`)).status).toBe(200);
  }
});

test('a DELETE revokes an agent, a second one removes it, a third one finds none', async () => {
  const { id, agentNo } = await invite({ name: 'edge', state: 'Connected' });
  const heard: unknown[] = [];
  await using _revocations = await api.rest.db.subscribe('revoked', (notice) => void heard.push(notice));
  await using _plans = await api.rest.db.subscribe('catalog', (notice) => void heard.push(notice));
  expect((await send('DELETE', `/agents/${id}`)).json).toEqual({ agent_id: id });
  await expect.poll(() => heard).toContainEqual({ agent_nos: [agentNo], key_nos: [] });
  await expect.poll(() => heard).toContainEqual({ location_nos: [api.locationNo] });
  expect((await send('GET', `/agents/${id}`)).json).toMatchObject({ State: 'Revoked', Name: 'edge' });
  expect(await listed()).toEqual([id]);
  expect((await send('GET', '/events')).json).toMatchObject([
    {
      Type: 'AgentRevoked',
      device_id: null,
      Location: 'local',
      Status: 'Unknown',
      Message: 'Agent edge of Location local was revoked',
    },
  ]);

  expect((await send('DELETE', `/agents/${id}`)).json).toEqual({ agent_id: id });
  expect(await listed()).toEqual([]);
  for (const method of ['GET', 'PUT', 'DELETE'])
    expect(
      (await send(method, `/agents/${id}`, method === 'PUT' ? { Name: 'x' } : undefined)).json,
    ).toMatchObject({ code: 1003 });
  expect(await audit()).toMatchObject([
    { Action: 'Delete', Id: id, Changes: [{ Field: 'Name', Old: 'edge', New: null }] },
    { Action: 'Update', Id: id, Changes: [{ Field: 'State', Old: 'Connected', New: 'Revoked' }] },
  ]);
});

test('an invitation that nobody used is Expired after its time and one DELETE removes it; an agent that enrolled stays New until its certificate ended', async () => {
  const expires = { token_expires_us: api.rest.clock.nowUs() };
  const unused = newId();
  const enrolled = newId();
  const rows = createFixtures(api.rest.db.kysely);
  await rows.agent(api, { agent_id: unused, ...expires });
  const certificate_end_us = api.rest.clock.nowUs() + 1_000_000;
  await rows.agent(api, {
    agent_id: enrolled,
    ...expires,
    key_hash: Buffer.alloc(32, 7),
    certificate_end_us,
  });
  const states = async () => {
    const shown = z.array(z.object({ agent_id: z.string(), State: z.string() }));
    const agents = shown.parse((await send('GET', '/agents')).json);
    return new Map(agents.map(({ agent_id, State }) => [agent_id, State]));
  };
  expect([...(await states()).values()]).toEqual(['New', 'New']);
  await api.rest.clock.advance(1);
  expect(await states()).toEqual(
    new Map([
      [unused, 'Expired'],
      [enrolled, 'New'],
    ]),
  );
  expect((await send('GET', `/agents/${unused}`)).json).toMatchObject({ State: 'Expired' });
  expect((await send('DELETE', `/agents/${unused}`)).json).toEqual({ agent_id: unused });
  expect(await listed()).toEqual([enrolled]);
  const { state } = await api.rest.db.kysely
    .selectFrom('agents')
    .select('state')
    .where('agent_id', '=', unused)
    .executeTakeFirstOrThrow();
  expect(state).toBe('Revoked');
  expect(await audit()).toMatchObject([{ Action: 'Delete', Id: unused }]);
  expect((await send('GET', '/events')).json).toEqual([]);
  await api.rest.clock.advance(1_000);
  expect(await states()).toEqual(new Map([[enrolled, 'Expired']]));
});

test('DELETEs of one agent at the same moment revoke it once and remove nothing', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { id } = await invite();
    const both = await Promise.all([1, 2, 3].map(() => send('DELETE', `/agents/${id}`)));
    const codes = both.map(({ status }) => status).sort((a, b) => a - b);
    const { State } = z
      .object({ State: z.string().optional() })
      .parse((await send('GET', `/agents/${id}`)).json);
    // A request that began after the revocation is a second DELETE.
    expect([State, ...codes]).toEqual(
      State === undefined ? [undefined, 200, 200, 400] : ['Revoked', 200, 400, 400],
    );
  }
});

test('checks and events go on to show the name of a removed agent, and its new one after a rename', async () => {
  const { ids } = await createSampleAccount(api.rest, api, api.key);
  const id = ids['agent_id'];
  const shown = async () => (await send('GET', `/checks/${ids['check_id']}/extended`)).json;
  await send('PUT', `/agents/${id}`, { Name: 'edge' });
  expect(await shown()).toMatchObject({ Agent: 'edge' });
  await send('DELETE', `/agents/${id}`);
  await send('DELETE', `/agents/${id}`);
  expect(await listed()).toEqual([]);
  expect(await shown()).toMatchObject({ Agent: 'edge' });
});

test('a Location can be deleted once its agents are removed; a revoked agent still names it', async () => {
  const made = await send('POST', '/locations', { Name: 'Oslo' });
  const location = z.object({ location_id: z.string() }).parse(made.json).location_id;
  const row = await api.rest.db.kysely
    .selectFrom('locations')
    .select('location_no as locationNo')
    .where('location_id', '=', location)
    .executeTakeFirstOrThrow();
  const agent_id = newId();
  await createFixtures(api.rest.db.kysely).agent({ accountNo: api.accountNo, ...row }, { agent_id });
  await send('DELETE', `/agents/${agent_id}`);
  const refused = await send('DELETE', `/locations/${location}`);
  expect(refused.json).toMatchObject({ code: 1005, message: expect.stringContaining(agent_id) });
  await send('DELETE', `/agents/${agent_id}`);
  expect((await send('DELETE', `/locations/${location}`)).status).toBe(200);
});
