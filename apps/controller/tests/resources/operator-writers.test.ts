import type { Database } from '@vantage/storage';
import { hashCredential } from '@vantage/storage/secrets/credential';
import { createFixtures } from '@vantage/testing/fixtures';
import { useDatabase } from '@vantage/testing/use-database';
import { beforeEach, expect, test } from 'vitest';
import { findAccountNo, listAccounts } from '../../src/access/accounts/account-store.ts';
import { createAccount } from '../../src/access/accounts/account-write.ts';
import { issueKey } from '../../src/access/keys/issue-key.ts';
import { isKeyRevoked, listKeys } from '../../src/access/keys/key-store.ts';
import { revokeKey } from '../../src/access/keys/key-write.ts';
import { findAgentByToken, listAccountAgents } from '../../src/catalog/agents/agent-store.ts';
import { inviteAgent } from '../../src/catalog/agents/invite-agent.ts';
import { removeAgent, revokeAgent, unfenceAgent } from '../../src/catalog/agents/remove-agent.ts';
import { findLocationNo, listAccountLocations } from '../../src/catalog/locations/location-store.ts';
import { createLocation } from '../../src/catalog/locations/location-write.ts';
import { type Actor, type Catalog, createCatalog, type RecordedChanges } from '../../src/resources/change.ts';
import { recordEvents } from '../../src/results/events/record-events.ts';

const operator: Actor = { kind: 'command-line' };
let db: Database;
let catalog: Catalog;
let recorded: RecordedChanges[] = [];
let accountNo: number;

useDatabase((opened) => {
  db = opened;
  catalog = createCatalog({ recordChanges: async (_, changes) => void recorded.push(changes) });
});

beforeEach(async () => {
  accountNo = await createFixtures(db.kysely).account();
  recorded = [];
});

const changed = () =>
  recorded.flatMap(({ changes }) => changes.map(({ action, kind }) => `${action} ${kind}`));
const create = (name: string, timezone = 'UTC') =>
  catalog.change(db, operator, (transaction) => createAccount(transaction, { name, timezone }));
const locate = (name: string) =>
  catalog.change(db, operator, (transaction) => createLocation(transaction, { accountNo, name, nowUs: 7 }));

test('an account is created once for a name, in a zone that exists', async () => {
  const made = await create('one', 'Europe/Berlin');
  expect(made.kind).toBe('created');
  expect(await create('one')).toEqual({ kind: 'name-taken' });
  expect(await create('two', '+02:00')).toEqual({ kind: 'unknown-timezone' });
  if (made.kind !== 'created') return;
  expect(await findAccountNo(db.kysely, 'one')).toBe(made.accountNo);
  expect(await findAccountNo(db.kysely, made.accountId)).toBe(made.accountNo);
  expect(await findAccountNo(db.kysely, 'two')).toBeUndefined();
  expect(await listAccounts(db.kysely)).toContainEqual({
    account_id: made.accountId,
    name: 'one',
    timezone: 'Europe/Berlin',
  });
  expect(changed()).toEqual(['create account']);
});

test('a key is issued, found by its hash, and revoked by its id or hint', async () => {
  const key = '123456'.padEnd(64, '7');
  const issue = (given?: string) =>
    catalog.change(db, operator, (transaction) =>
      issueKey(transaction, { accountNo, level: 'UR', name: 'k', key: given }),
    );
  const revoke = (text: string) =>
    catalog.change(db, operator, (transaction) => revokeKey(transaction, text));
  const first = await issue(key);
  const second = await issue();
  expect(first.key).toBe(key);
  expect((await listKeys(db.kysely, accountNo)).map(({ key_id }) => key_id)).toEqual([
    second.keyId,
    first.keyId,
  ]);
  expect(await isKeyRevoked(db.kysely, hashCredential(key))).toBe(false);
  expect(await isKeyRevoked(db.kysely, hashCredential('unknown'))).toBeUndefined();

  const heard: unknown[] = [];
  await using _subscription = await db.subscribe('revoked', (payload) => void heard.push(payload));
  await issue('123456'.padEnd(64, '8'));
  expect(await revoke('123456')).toEqual({ kind: 'ambiguous' });
  expect(await revoke(first.keyId)).toMatchObject({ kind: 'revoked', keyId: first.keyId });
  expect(await revoke(first.keyId)).toEqual({ kind: 'missing' });
  expect(await isKeyRevoked(db.kysely, hashCredential(key))).toBe(true);
  expect((await revoke('123456')).kind).toBe('revoked');
  await expect
    .poll(() => heard.filter((payload) => payload !== undefined))
    .toEqual([
      { agent_nos: [], key_nos: [expect.any(Number)] },
      { agent_nos: [], key_nos: [expect.any(Number)] },
    ]);
  expect(changed()).toEqual(['create key', 'create key', 'create key', 'update key', 'update key']);
});

test('the first Location named local gets the devices that name no Locations, another name gets none', async () => {
  const deviceNo = await createFixtures(db.kysely).device(accountNo, [], { locations_given: false });
  const given = await createFixtures(db.kysely).device(accountNo, []);
  const held = () =>
    db.kysely
      .selectFrom('device_locations')
      .select(['device_no', 'location_no'])
      .where('device_no', 'in', [deviceNo, given])
      .execute();
  expect((await locate('elsewhere')).kind).toBe('created');
  expect(await held()).toEqual([]);
  const local = await locate('local');
  if (local.kind !== 'created') throw new Error(local.kind);
  expect(await held()).toEqual([{ device_no: deviceNo, location_no: local.locationNo }]);
  expect(await locate('LOCAL')).toMatchObject({ kind: 'conflict' });
  expect(await findLocationNo(db.kysely, accountNo, 'local')).toBe(local.locationNo);
  expect(await findLocationNo(db.kysely, accountNo, local.locationId)).toBe(local.locationNo);
  expect((await listAccountLocations(db.kysely, accountNo)).map(({ name }) => name)).toEqual([
    'elsewhere',
    'local',
  ]);
  expect(changed()).toEqual(['create location', 'create location']);
});

test('a new Location moves no devices of an account that chose its default Locations', async () => {
  const rows = createFixtures(db.kysely);
  const deviceNo = await rows.device(accountNo, [], { locations_given: false });
  await db.kysely
    .updateTable('accounts')
    .set({ default_location_ids: [] })
    .where('account_no', '=', accountNo)
    .execute();
  expect((await locate('local')).kind).toBe('created');
  expect(
    await db.kysely.selectFrom('device_locations').where('device_no', '=', deviceNo).selectAll().execute(),
  ).toEqual([]);
});

test('an agent is invited, let in again after a fence, revoked once and removed once', async () => {
  const locationNo = await createFixtures(db.kysely).location(accountNo);
  const { agentId, token } = await catalog.change(db, operator, (transaction) =>
    inviteAgent(transaction, { accountNo, locationNo, name: 'a', nowUs: 7 }),
  );
  const unfence = () => catalog.change(db, operator, (transaction) => unfenceAgent(transaction, { agentId }));
  const revoke = () =>
    catalog.change(db, operator, (transaction) =>
      revokeAgent(transaction, { agentId }, { recordEvents, nowUs: 7 }),
    );
  const remove = () =>
    catalog.change(db, operator, (transaction) => removeAgent(transaction, { agentId }, 7));
  const found = () => findAgentByToken(db.kysely, hashCredential(token));
  expect(await found()).toEqual({ agent_id: agentId, state: 'New', session_counter: 0, key_hash: null });
  expect(await unfence()).toEqual({ kind: 'missing', what: 'agent' });
  await db.kysely
    .updateTable('agents')
    .set({ state: 'Fenced', session_counter: 9 })
    .where('agent_id', '=', agentId)
    .execute();
  expect(await unfence()).toEqual({ kind: 'unfenced' });
  expect(await found()).toEqual({ agent_id: agentId, state: 'Away', session_counter: 0, key_hash: null });
  expect(await remove()).toMatchObject({ kind: 'conflict', message: expect.stringContaining(agentId) });
  expect(await revoke()).toEqual({ kind: 'revoked' });
  expect(await revoke()).toEqual({ kind: 'missing', what: 'agent' });
  expect(await listAccountAgents(db.kysely, accountNo, 7)).toMatchObject([
    { agent_id: agentId, state: 'Revoked' },
  ]);
  expect(await remove()).toEqual({ kind: 'removed' });
  expect(await remove()).toEqual({ kind: 'missing', what: 'agent' });
  expect(await listAccountAgents(db.kysely, accountNo, 7)).toEqual([]);
  expect(changed()).toEqual(['create agent', 'update agent', 'update agent', 'delete agent']);
});

test('changes are recorded in the transaction that makes them, with the actor; a throw undoes all', async () => {
  const failing = createCatalog({
    recordChanges: async (trx, changes) => {
      recorded.push(changes);
      expect(await findAccountNo(trx, 'undone')).toBeTypeOf('number');
      throw new Error('the audit is full');
    },
  });
  const actor: Actor = { kind: 'api-key', keyNo: 3, address: '192.0.2.1' };
  const change = failing.change(db, actor, async (transaction) => {
    await createAccount(transaction, { name: 'undone', timezone: 'UTC' });
  });
  await expect(change).rejects.toThrow('the audit is full');
  expect(recorded.map((each) => each.actor)).toEqual([actor]);
  expect(await findAccountNo(db.kysely, 'undone')).toBeUndefined();
});
