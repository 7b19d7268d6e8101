import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { issueKey } from '../../src/access/keys/issue-key.ts';
import { revokeKey } from '../../src/access/keys/key-write.ts';
import { inviteAgent } from '../../src/catalog/agents/invite-agent.ts';
import { revokeAgent } from '../../src/catalog/agents/remove-agent.ts';
import { createChangeRecorder } from '../../src/observe/audit/record-changes.ts';
import { createCatalog } from '../../src/resources/change.ts';
import { recordEvents } from '../../src/results/events/record-events.ts';
import { useAccountPerTest } from '../../src/testing/account-per-test.ts';

const entries = z.array(
  z.object({
    audit_id: z.string(),
    Actor: z.string(),
    Address: z.string().nullable(),
    Action: z.string(),
    Kind: z.string(),
    Id: z.string(),
    Changes: z.array(z.object({ Field: z.string(), Old: z.unknown(), New: z.unknown() })),
  }),
);

const api = useAccountPerTest();

const send = async (method: string, path: string, body?: object) => {
  const reply = await api.send(method, path, body);
  expect([method, path, reply.status, reply.text]).toEqual([method, path, 200, reply.text]);
  return reply;
};
const create = async (path: string, body: object) =>
  Object.values(z.record(z.string(), z.string()).parse((await send('POST', path, body)).json))[0] ?? '';
const audit = async (query = '') => entries.parse((await send('GET', `/audit${query}`)).json);
/** The newest entry without its id. */
const newest = async () => {
  const [entry] = await audit('?Limit=1');
  if (entry === undefined) throw new Error('the audit is empty');
  const { audit_id: _, ...shown } = entry;
  return shown;
};
const tcp = { Method: 'TCP', URL: 'a.example:1', ShortName: 'a' };

test('an entry says who changed what, from which value to which', async () => {
  await api.rest.db.kysely.updateTable('api_keys').set({ name: 'deploy' }).execute();
  const by = { Actor: 'deploy', Address: '127.0.0.1' };
  const Id = await create('/devices', tcp);
  expect(await newest()).toEqual({
    ...by,
    Action: 'Create',
    Kind: 'device',
    Id,
    Changes: [
      { Field: 'Method', Old: null, New: 'TCP' },
      { Field: 'URL', Old: null, New: 'a.example:1' },
      { Field: 'ShortName', Old: null, New: 'a' },
    ],
  });
  await send('PUT', `/devices/${Id}`, { Timeout: 10, Locations: [], FullName: 'A' });
  expect(await newest()).toEqual({
    ...by,
    Action: 'Update',
    Kind: 'device',
    Id,
    Changes: [
      { Field: 'Locations', Old: ['local'], New: [] },
      { Field: 'Timeout', Old: 30, New: 10 },
      { Field: 'FullName', Old: null, New: 'A' },
    ],
  });
  const tagId = await create('/tags', { Name: 't' });
  await send('PUT', `/tags/${tagId}`, { Name: 'u' });
  expect((await newest()).Changes).toEqual([{ Field: 'Name', Old: 't', New: 'u' }]);
  await send('PUT', `/tags/${tagId}/devices/${Id}`);
  expect((await newest()).Changes).toEqual([{ Field: 'Devices', Old: null, New: Id }]);
  await send('DELETE', `/tags/${tagId}/devices/${Id}`);
  expect((await newest()).Changes).toEqual([{ Field: 'Devices', Old: Id, New: null }]);
  await send('PUT', '/account', { Timezone: 'Asia/Tokyo', DefaultLocations: ['local'] });
  expect((await newest()).Changes).toEqual([
    { Field: 'Timezone', Old: 'UTC', New: 'Asia/Tokyo' },
    { Field: 'DefaultLocations', Old: null, New: ['local'] },
  ]);
  await send('DELETE', `/devices/${Id}`);
  expect(await newest()).toMatchObject({
    Action: 'Delete',
    Kind: 'device',
    Id,
    Changes: expect.arrayContaining([{ Field: 'ShortName', Old: 'a', New: null }]),
  });
  expect((await audit(`?Id=${Id}`)).map(({ Action }) => Action)).toEqual(['Delete', 'Update', 'Create']);
  expect((await audit('?Kind=account')).map(({ Action }) => Action)).toEqual(['Update']);
});

test('a request that changes nothing leaves no entry', async () => {
  const id = await create('/devices', tcp);
  const [before] = await audit();
  for (const path of [`/devices/${id}`, '/account'])
    await send('PUT', path, z.record(z.string(), z.unknown()).parse((await send('GET', path)).json));
  expect((await audit())[0]).toEqual(before);
});

test('changes by the command line have an entry too', async () => {
  const catalog = createCatalog({ recordChanges: createChangeRecorder(api.rest) });
  await catalog.change(api.rest.db, { kind: 'command-line' }, async (transaction) => {
    const { agentId } = await inviteAgent(transaction, {
      accountNo: api.accountNo,
      locationNo: api.locationNo,
      name: 'a1',
      nowUs: 7,
    });
    await revokeAgent(transaction, { agentId }, { recordEvents, nowUs: api.rest.clock.nowUs() });
    const { keyId } = await issueKey(transaction, { accountNo: api.accountNo, level: 'UR', name: 'k' });
    await revokeKey(transaction, keyId);
  });
  const found = await audit();
  expect(found.map(({ Actor, Address }) => [Actor, Address])).toEqual(Array(4).fill(['command line', null]));
  expect(found.map(({ Action, Kind, Changes }) => [Action, Kind, ...Changes])).toEqual([
    ['Update', 'key', { Field: 'Revoked', Old: false, New: true }],
    ['Create', 'key', { Field: 'Level', Old: null, New: 'UR' }, { Field: 'Name', Old: null, New: 'k' }],
    ['Update', 'agent', { Field: 'State', Old: 'New', New: 'Revoked' }],
    [
      'Create',
      'agent',
      { Field: 'Location', Old: null, New: 'local' },
      { Field: 'Name', Old: null, New: 'a1' },
    ],
  ]);
});

test('a client that pages with Before gets each entry once, though new ones are written meanwhile', async () => {
  const ids: string[] = [];
  for (const Name of ['a', 'b', 'c', 'd', 'e']) ids.unshift(await create('/tags', { Name }));
  const seen: string[] = [];
  let path: string | undefined = '/audit?Limit=2';
  while (path !== undefined) {
    const reply = await send('GET', path);
    seen.push(...entries.parse(reply.json).map(({ Id }) => Id));
    await create('/tags', { Name: `later ${seen.length}` });
    path = /<.*\/v1\.1(\/audit[^>]*)>; rel="next"/.exec(reply.headers.get('link') ?? '')?.[1];
  }
  expect(seen).toEqual(ids);
});

test('an account sees its own entries only', async () => {
  await create('/tags', { Name: 't' });
  const [entry] = await audit();
  const other = await api.rest.account('foreign');
  const { key: foreign } = await api.rest.key(other.accountNo, 'UR');
  expect((await api.rest.send('GET', '/audit', { key: foreign })).json).toEqual([]);
  const refused = await api.rest.send('GET', `/audit?Before=${entry?.audit_id}`, { key: foreign });
  expect(refused.json).toMatchObject({ code: 1003 });
});

test('no entry holds a secret, whoever wrote it and wherever it stood', async () => {
  const sentinel = (name: string) => `sentinel-${name}`;
  const secretId = await create('/secrets', { Name: 'S', Value: sentinel('1') });
  await send('PUT', `/secrets/${secretId}`, { Value: sentinel('2') });
  const http = {
    Method: 'HTTP',
    URL: `https://u:${sentinel('3')}@a.example/`,
    ShortName: 'h',
    Options: { Headers: { Authorization: sentinel('4') }, Password: sentinel('5'), User: 'u' },
  };
  const id = await create('/devices', http);
  await send('PUT', `/devices/${id}`, {
    URL: `https://u:${sentinel('6')}@b.example/`,
    Options: { Headers: { Cookie: sentinel('7') } },
  });
  await send('PUT', `/devices/${id}`, { Options: { Headers: { 'X-My-Token': sentinel('8') } } });
  await send('DELETE', `/devices/${id}`);
  await send('DELETE', `/secrets/${secretId}`);
  const catalog = createCatalog({ recordChanges: createChangeRecorder(api.rest) });
  const made = await catalog.change(api.rest.db, { kind: 'command-line' }, async (transaction) => ({
    ...(await issueKey(transaction, {
      accountNo: api.accountNo,
      level: 'UR',
      name: 'k',
      basic: { user: 'u', password: sentinel('9') },
    })),
    ...(await inviteAgent(transaction, {
      accountNo: api.accountNo,
      locationNo: api.locationNo,
      name: 'a1',
      nowUs: 7,
    })),
  }));
  const { rows } = await sql<{ text: string }>`select audit::text as text from audit`.execute(
    api.rest.db.kysely,
  );
  const all = [...rows.map(({ text }) => text), (await send('GET', '/audit')).text].join('\n');
  // The first letters of a key may stand in any id by chance.
  const texts = all.replaceAll(/\b[0-9a-f]{48}\b/g, 'id');
  expect(texts).toContain('***');
  for (const secret of ['sentinel-', made.key, made.key.slice(0, 6), made.token])
    expect(texts).not.toContain(secret);
});

test('of a long value the beginning is kept', async () => {
  const script = `// ${'x'.repeat(60_000)}`;
  await create('/devices', { Method: 'Script', URL: script, ShortName: 's' });
  const { Changes } = await newest();
  expect(Changes.find(({ Field }) => Field === 'URL')?.New).toBe(
    `${script.slice(0, 4_096)}… (60003 characters)`,
  );
});

test('a change whose entry cannot be written does not happen', async () => {
  await sql`alter table audit add constraint full_now check (kind <> 'tag') not valid`.execute(
    api.rest.db.kysely,
  );
  const reply = await api.send('POST', '/tags', { Name: 't' });
  await sql`alter table audit drop constraint full_now`.execute(api.rest.db.kysely);
  expect(reply.status).toBe(500);
  expect((await send('GET', '/tags')).json).toEqual([]);
});

test('the list is narrowed by actor, action and time', async () => {
  const { clock } = api.rest;
  const first = await create('/tags', { Name: 'first' });
  await clock.advance(60_000);
  const middle = `${new Date(clock.nowUs() / 1000).toISOString().slice(0, 19)}Z`;
  await clock.advance(60_000);
  await create('/tags', { Name: 'second' });
  await send('DELETE', `/tags/${first}`);
  const shown = async (query: string) => (await audit(`?Kind=tag&${query}`)).map(({ Action }) => Action);
  const actor = encodeURIComponent((await newest()).Actor);
  expect(await shown('')).toEqual(['Delete', 'Create', 'Create']);
  expect(await shown('Action=Create')).toEqual(['Create', 'Create']);
  expect(await shown(`Actor=${actor}`)).toHaveLength(3);
  expect(await shown('Actor=nobody')).toEqual([]);
  expect(await shown(`Timestamp1=${middle}`)).toEqual(['Delete', 'Create']);
  expect(await shown(`Timestamp2=${middle}&Action=Create`)).toEqual(['Create']);
  expect((await api.send('GET', '/audit?Action=Refused')).json).toMatchObject({ code: 1004 });
});
