import { newId } from '@vantage/kernel';
import { createFixtures } from '@vantage/testing/fixtures';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createRestFixture, type RestFixture } from '../../testing/rest-fixture.ts';
import type { SignedParcel } from './upgrade.ts';

let rest: RestFixture;
let key: string;
let parcels: readonly SignedParcel[] | undefined;
let account: { readonly accountNo: number; readonly locationNo: number };
let accounts = 0;
beforeAll(async () => {
  rest = await createRestFixture({ signedParcels: async () => parcels });
});
afterAll(() => rest[Symbol.asyncDispose]());
beforeEach(async () => {
  accounts += 1;
  parcels = [{ version: '0.3.0', arch: 'amd64' }];
  account = await rest.account(`account ${accounts}`);
  ({ key } = await rest.key(account.accountNo, 'UW'));
});

const able = { name: 'edge', state: 'Connected', version: '0.2.0', architecture: 'amd64' } as const;
const invite = async (values: object = {}) => {
  const agent_id = newId();
  const agent = await createFixtures(rest.db.kysely).agent(account, { agent_id, ...able, ...values });
  return { id: agent_id, ...agent };
};
const put = (id: string, body: object) => rest.send('PUT', `/agents/${id}/upgrade`, { key, body });

test('an agent is asked to run a version; the agent shows it, and the audit names it', async () => {
  const { id } = await invite();
  const answer = await put(id, { Version: '0.3.0' });
  expect(answer.json).toMatchObject({
    agent_id: id,
    Version: '0.2.0',
    Upgrade: { Version: '0.3.0', State: 'Waiting', Reason: null },
  });
  expect((await rest.send('GET', `/agents/${id}`, { key })).text).toBe(answer.text);
  expect((await rest.send('GET', '/audit?Kind=agent', { key })).json).toMatchObject([
    { Action: 'Update', Id: id, Changes: [{ Field: 'Upgrade', Old: null, New: '0.3.0' }] },
  ]);
});

test.each([
  [{}, 'Version'],
  [{ Version: 'next' }, 'Version'],
  [{ Version: '0.3' }, 'Version'],
  [{ Version: '0.3.0', Force: true }, 'Force'],
])('a wrong field is named: %j', async (body, field) => {
  const { id } = await invite();
  expect((await put(id, body)).json).toMatchObject({ code: 1004, errors: [{ field }] });
});

test.each<[string, object, readonly SignedParcel[] | undefined, string]>([
  ['the controller has no release key', {}, undefined, 'VANTAGE_RELEASE_PUBLIC_KEY'],
  ['there is no signed parcel', {}, [], 'has no signed parcel, and none of version 0.3.0'],
  ['there is another version', {}, [{ version: '0.4.0', arch: 'amd64' }], 'signed parcels of version 0.4.0'],
  ['there is another architecture', {}, [{ version: '0.3.0', arch: 'arm64' }], 'of version 0.3.0 for amd64'],
  ['it runs the version', { version: '0.3.0' }, undefined, 'runs version 0.3.0 already'],
  ['it is too old', { architecture: null }, undefined, 'the line of a new invitation'],
  ['it was never connected', { architecture: null, version: null }, undefined, 'has never been connected'],
  ['it cannot', { upgrade_fault: 'it runs from a checkout' }, undefined, 'cannot upgrade itself: it runs'],
  ['it is revoked', { state: 'Revoked' }, undefined, 'it is revoked'],
])('an agent is not upgraded when %s, and the answer says so', async (what, values, found, text) => {
  if (found !== undefined || what.includes('release key')) parcels = found;
  const { id } = await invite(values);
  const refused = await put(id, { Version: '0.3.0' });
  expect(refused.json).toMatchObject({ code: 1005, message: expect.stringContaining(text) });
  expect((await rest.send('GET', `/agents/${id}`, { key })).json).toMatchObject({ Upgrade: null });
});

test('an upgrade that has begun is not replaced', async () => {
  const { id, agentNo } = await invite();
  await put(id, { Version: '0.3.0' });
  await rest.db.kysely
    .updateTable('agent_upgrades')
    .set({ state: 'Downloading' })
    .where('agent_no', '=', agentNo)
    .execute();
  parcels = [{ version: '0.4.0', arch: 'amd64' }];
  expect((await put(id, { Version: '0.4.0' })).json).toMatchObject({
    code: 1005,
    message: expect.stringContaining('upgrade to version 0.3.0 is in work'),
  });
});

const postMany = (body: object) => rest.send('POST', '/agents/upgrade', { key, body });
const rollouts = async () => (await rest.send('GET', '/rollouts', { key })).json;

test('many agents are upgraded in one rollout; a preview says the same and changes nothing', async () => {
  const first = await invite({ name: 'one' });
  const second = await invite({ name: 'two' });
  const done = await invite({ name: 'new', version: '0.3.0' });
  const gone = newId();
  const body = { Version: '0.3.0', Agents: [first.id, second.id, done.id, gone] };
  const said = {
    Version: '0.3.0',
    Agents: 2,
    Skipped: [
      { agent_id: done.id, Name: 'new', Reason: 'it runs version 0.3.0 already' },
      { agent_id: gone, Name: '', Reason: 'there is no such agent' },
    ],
  };
  expect((await postMany({ ...body, Preview: true })).json).toEqual(said);
  expect(await rollouts()).toEqual([]);
  expect((await postMany(body)).json).toEqual(said);
  expect(await rollouts()).toMatchObject([
    {
      Version: '0.3.0',
      State: 'Running',
      Reason: null,
      Ended: null,
      Stage: 1,
      MayBegin: 1,
      Agents: [
        { agent_id: first.id, Name: 'one', Location: 'local', Connected: true, State: 'Waiting' },
        { agent_id: second.id, Name: 'two', State: 'Waiting' },
      ],
    },
  ]);
});

test('without a list, all agents that are not revoked are upgraded', async () => {
  await invite();
  await invite({ state: 'Revoked' });
  expect((await postMany({ Version: '0.3.0' })).json).toMatchObject({ Agents: 1, Skipped: [] });
});

test('an ended rollout has no stage; an agent belongs to its latest rollout only', async () => {
  const { id } = await invite();
  await postMany({ Version: '0.3.0' });
  parcels = [{ version: '0.4.0', arch: 'amd64' }];
  await put(id, { Version: '0.4.0' });
  await rest.db.kysely
    .updateTable('rollouts')
    .set({ state: 'Stopped', reason: 'agent edge failed: no\nroom', ended_us: rest.clock.nowUs() })
    .where('account_no', '=', account.accountNo)
    .where('version', '=', '0.4.0')
    .execute();
  expect(await rollouts()).toMatchObject([
    { Version: '0.4.0', State: 'Stopped', Stage: null, MayBegin: null, Agents: [{ agent_id: id }] },
  ]);
});

test('agents and rollouts of another account are neither upgraded nor listed', async () => {
  const { id } = await invite();
  await postMany({ Version: '0.3.0' });
  const other = await rest.account(`other of ${accounts}`);
  const { key: foreign } = await rest.key(other.accountNo, 'UW');
  const body = { Version: '0.3.0', Agents: [id] };
  expect((await rest.send('POST', '/agents/upgrade', { key: foreign, body })).json).toMatchObject({
    code: 1003,
  });
  expect((await rest.send('GET', '/rollouts', { key: foreign })).json).toEqual([]);
});

test.each([
  [{ Version: '0.3' }, 'Version'],
  [{ Version: '0.3.0', Agents: [] }, 'Agents'],
  [{ Version: '0.3.0', Agents: 'all' }, 'Agents'],
  [{ Version: '0.3.0', Agents: Array.from({ length: 1_001 }, () => newId()) }, 'Agents'],
  [{ Version: '0.3.0', Preview: 'yes' }, 'Preview'],
])('a wrong field of the request for many is named: %j', async (body, field) => {
  await invite();
  expect((await postMany(body)).json).toMatchObject({ code: 1004, errors: [{ field }] });
  expect(await rollouts()).toEqual([]);
});
