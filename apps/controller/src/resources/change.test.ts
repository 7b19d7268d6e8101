import { newId } from '@vantage/kernel';
import { entities } from '@vantage/storage/entities';
import { createFixtures } from '@vantage/testing/fixtures';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { createRestFixture, type RestFixture } from '../testing/rest-fixture.ts';

let rest: RestFixture;
let key: { readonly key: string; readonly keyNo: number };
const ids: Record<string, string> = {};

beforeAll(async () => {
  rest = await createRestFixture();
  const account = await rest.account('one');
  key = await rest.key(account.accountNo, 'UA');
  const agent_id = newId();
  await createFixtures(rest.db.kysely).agent(account, { agent_id });
  ids['agent_id'] = agent_id;
  await noteWrites();
});
afterAll(() => rest[Symbol.asyncDispose]());

/** The database notes each row of the catalog that is written, whoever writes it. */
async function noteWrites() {
  await sql`create table written (name text not null)`.execute(rest.db.kysely);
  await sql`create function note_write() returns trigger language plpgsql as $$
    begin insert into written values (tg_table_name); return null; end $$`.execute(rest.db.kysely);
  for (const name of [
    ...entities.map(({ meta }) => meta.tableName),
    'hooks',
    'pages',
    'reports',
    'installation_settings',
  ])
    await sql`create trigger noted after insert or update or delete on ${sql.table(name)}
      for each row execute function note_write()`.execute(rest.db.kysely);
}

/** Sends a request; returns the tables that it wrote and the changes that it recorded. */
async function changesOf(route: string, body: object | undefined) {
  await sql`truncate written`.execute(rest.db.kysely);
  rest.recorded.length = 0;
  const [method = '', template = ''] = route.split(' ');
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? '');
  const reply = await rest.send(method, path, { key: key.key, ...(body === undefined ? {} : { body }) });
  expect([route, reply.status, reply.text]).toEqual([route, 200, expect.anything()]);
  if (method === 'POST') {
    const made = Object.entries(z.record(z.string(), z.unknown()).parse(reply.json));
    for (const [name, value] of made) if (typeof value === 'string') ids[name] = value;
  }
  const { rows } = await sql<{ name: string }>`select distinct name from written order by name`.execute(
    rest.db.kysely,
  );
  return {
    tables: rows.map(({ name }) => name),
    changes: rest.recorded.flatMap(({ changes }) =>
      changes.map(({ action, kind, fields }) =>
        [action, kind, ...fields.map(({ field }) => field)].join(' '),
      ),
    ),
    actors: rest.recorded.map(({ actor }) => actor),
  };
}

const device = { Method: 'TCP', URL: 'a.example:1', ShortName: 'a' };
const Secret = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;
const hook = { Name: 'hook', Type: 'webhook', Address: 'https://hook.example/', Secret };
const otherSecret = `whsec_${Buffer.alloc(24, 2).toString('base64')}`;
const events = { Name: 'events', Address: 'https://hook.example/', Secret };
const mailbox = { Name: 'mail', Type: 'email', Address: 'a@example.org', ExternalKey: 'mail' };
const monthly = { Name: 'monthly', Contacts: ['key:mail'] };
const person = { Name: 'Ada', Email: 'ada@example.org', Level: 'UR' };
const window = { Name: 'w', Start: '2030-01-01T00:00', Duration: '01:00' };
/**
 * Every request that changes something: its route and body, the tables that it writes, and the change that it records.
 */
const requests: readonly (readonly [
  route: string,
  body: object | undefined,
  tables: readonly string[],
  change: string | undefined,
])[] = [
  ['PUT /account', { Name: 'other', Timezone: 'Europe/Berlin' }, ['accounts'], 'update account Timezone'],
  ['PUT /account', { Timezone: 'Europe/Berlin' }, [], undefined],
  [
    'PUT /installation/settings',
    { MailFrom: 'a@example.org' },
    ['installation_settings'],
    'update installation MailFrom',
  ],
  ['PUT /installation/settings', { MailFrom: 'a@example.org' }, [], undefined],
  ['POST /secrets', { Name: 'S', Value: 'v' }, ['secrets'], 'create secret Name Value'],
  ['PUT /secrets/{secret_id}', { Value: 'w' }, ['secrets'], 'update secret Value'],
  ['PUT /secrets/{secret_id}', {}, [], undefined],
  ['DELETE /secrets/{secret_id}', undefined, ['secrets'], 'delete secret Name'],
  ['POST /keys', { Name: 'k', Level: 'UR' }, ['api_keys'], 'create key Level Name'],
  ['PUT /keys/{key_id}', { Level: 'UO' }, ['api_keys'], 'update key Level'],
  ['PUT /keys/{key_id}', { Level: 'UO', Expires: null }, [], undefined],
  ['DELETE /keys/{key_id}', undefined, ['api_keys'], 'update key Revoked'],
  ['POST /users', person, ['api_keys'], 'create user Name Email Level'],
  ['PUT /users/{user_id}', { Level: 'UO' }, ['api_keys'], 'update user Level'],
  ['PUT /users/{user_id}', { Level: 'UO', Email: 'ADA@example.org' }, [], undefined],
  ['POST /users/{user_id}/invite', undefined, [], 'update user Invitation'],
  ['DELETE /users/{user_id}', undefined, ['api_keys'], 'delete user Name Email'],
  ['POST /devices', device, ['device_locations', 'devices'], 'create device Method URL ShortName'],
  [
    'PUT /devices/{device_id}',
    { Retries: 3, ShortName: 'b' },
    ['devices'],
    'update device Retries Attempts ShortName',
  ],
  ['PUT /devices/{device_id}', { Retries: 3 }, [], undefined],
  [
    'PUT /account',
    { DefaultLocations: [] },
    ['accounts', 'device_locations', 'devices'],
    'update account DefaultLocations',
  ],
  [
    'PUT /devices/{device_id}',
    { Locations: ['local'] },
    ['device_locations', 'devices'],
    'update device Locations',
  ],
  ['POST /locations', { Name: 'Oslo' }, ['locations'], 'create location Name'],
  ['PUT /locations/{location_id}', { Name: 'Rome' }, ['locations'], 'update location Name'],
  ['PUT /locations/{location_id}', { Name: 'Rome' }, [], undefined],
  ['POST /agents/invitations', { Location: 'local' }, ['agents'], 'create agent Location Name'],
  ['PUT /agents/{agent_id}', { Name: 'edge' }, ['agents'], 'update agent Name'],
  ['PUT /agents/{agent_id}', { Name: 'edge', Location: 'local' }, [], undefined],
  ['PUT /agents/{agent_id}', { Location: 'Rome' }, ['agents', 'former_locations'], 'update agent Location'],
  ['DELETE /agents/{agent_id}', undefined, ['agents'], 'update agent State'],
  ['DELETE /agents/{agent_id}', undefined, ['agents'], 'delete agent Name'],
  ['DELETE /locations/{location_id}', undefined, ['locations'], 'delete location Name'],
  ['POST /contacts', hook, ['contacts'], 'create contact Type Name Address Shadow Secret'],
  ['PUT /contacts/{contact_id}', { Name: 'noc' }, ['contacts'], 'update contact Name'],
  ['PUT /contacts/{contact_id}', { Name: 'noc' }, [], undefined],
  ['POST /contacts/{contact_id}/rotate', undefined, ['contacts'], 'update contact Secret'],
  ['DELETE /contacts/{contact_id}', undefined, ['contacts'], 'delete contact Name Type Address'],
  ['POST /hooks', events, ['hooks'], 'create hook Name Address Secret'],
  ['PUT /hooks/{hook_id}', { Secret: otherSecret }, ['hooks'], 'update hook Secret'],
  ['PUT /hooks/{hook_id}', { Secret: otherSecret, Events: null }, [], undefined],
  ['DELETE /hooks/{hook_id}', undefined, ['hooks'], 'delete hook Name'],
  ['POST /pages', { Name: 'p', Path: 'p' }, ['pages'], 'create page Name Path Access Show Notes'],
  ['PUT /pages/{page_id}', { Password: 'see-our-status' }, ['pages'], 'update page Password'],
  ['PUT /pages/{page_id}', { Password: 'see-our-status', Path: 'p' }, [], undefined],
  ['DELETE /pages/{page_id}', undefined, ['pages'], 'delete page Name'],
  ['POST /contacts', mailbox, ['contacts'], 'create contact Type Name Address Shadow ExternalKey'],
  ['POST /reports', monthly, ['reports'], 'create report Name Contacts'],
  ['PUT /reports/{report_id}', { Objective: 99.9 }, ['reports'], 'update report Objective'],
  ['PUT /reports/{report_id}', { Objective: 99.9, Name: 'monthly' }, [], undefined],
  ['DELETE /reports/{report_id}', undefined, ['reports'], 'delete report Name'],
  ['POST /nschedules', { Name: 'n', Steps: [] }, ['nschedules'], 'create nschedule Name Timezone Steps'],
  ['PUT /nschedules/{nschedule_id}', { Name: 'm' }, ['nschedules'], 'update nschedule Name'],
  ['DELETE /nschedules/{nschedule_id}', undefined, ['nschedules'], 'delete nschedule Name'],
  ['POST /mschedules', window, ['mschedules'], 'create mschedule Name Timezone Start Duration EndOnFirstOk'],
  ['PUT /mschedules/{mschedule_id}', { Name: 'm' }, ['mschedules'], 'update mschedule Name'],
  ['DELETE /mschedules/{mschedule_id}', undefined, ['mschedules'], 'delete mschedule Name'],
  ['POST /tags', { Name: 't' }, ['tags'], 'create tag Name'],
  ['PUT /tags/{tag_id}', { Name: 'u' }, ['tags'], 'update tag Name'],
  ['PUT /tags/{tag_id}', { Name: 'u' }, [], undefined],
  ['PUT /tags/{tag_id}/devices/{device_id}', undefined, ['device_tags'], 'update tag Devices'],
  ['PUT /tags/{tag_id}/devices/{device_id}', undefined, [], undefined],
  ['PUT /tags/{tag_id}/start-maintenance', undefined, [], 'update tag Maintenance'],
  ['PUT /tags/{tag_id}/stop-maintenance', undefined, [], undefined],
  ['PUT /devices/{device_id}/start-maintenance', undefined, [], 'update device Maintenance'],
  ['PUT /devices/{device_id}/stop-maintenance', undefined, [], undefined],
  ['DELETE /tags/{tag_id}/devices/{device_id}', undefined, ['device_tags'], 'update tag Devices'],
  ['DELETE /tags/{tag_id}', undefined, ['tags'], 'delete tag Name'],
  [
    'DELETE /devices/{device_id}',
    undefined,
    ['device_locations', 'devices'],
    'delete device Method URL ShortName FullName',
  ],
];
/** Requests that other tests cover. They write no row of the catalog. */
const others = [
  // tests/catalog/names-and-keys.test.ts has it: it creates or changes by the writers of the two routes above.
  'PUT /devices',
  // device-change-routes.test.ts shows what it records.
  'POST /devices/change',
  'POST /batch',
  'POST /mschedules/preview',
  'POST /nschedules/preview',
  'POST /checks/trial',
  'POST /checks/offer',
  // It plans only.
  'POST /imports/plan',
  // tests/results/heartbeats.test.ts shows what it records.
  'PUT /devices/{device_id}/push/rotate',
  // quarantine-routes.test.ts shows what it records.
  'PUT /agents/{agent_id}/retry-quarantine',
  'POST /sign-in/test',
  'POST /devices/{device_id}/check',
  'POST /devices/{device_id}/traceroute',
  'POST /contacts/{contact_id}/test',
  // delivery-routes.test.ts shows what it records.
  'POST /contacts/{contact_id}/deliveries/{delivery_id}/repeat',
  'POST /devices/{device_id}/traceroute',
  // An agent that was never connected is refused; upgrade.test.ts has one that is not.
  'PUT /agents/{agent_id}/upgrade',
  'POST /agents/upgrade',
  'PUT /alerts/{alert_id}/acknowledge',
  'PUT /alerts/{alert_id}/snooze',
  'PUT /alerts/{alert_id}/reopen',
  'PUT /alerts/acknowledge',
  'PUT /alerts/snooze',
  // outage-routes.test.ts and maintenance.test.ts show what these record.
  'PUT /outages/{outage_id}',
  'DELETE /maintenance/{maintenance_id}',
  // installation-settings-routes.test.ts shows that it saves nothing.
  'POST /installation/settings/test',
  // mark-routes.test.ts shows what both record.
  'POST /marks',
  'DELETE /marks/{mark_id}',
  // session-routes.test.ts shows what both record.
  'POST /session',
  'DELETE /session',
  // user-routes.test.ts shows what it records.
  'PUT /session/password',
];

test('every request that writes the catalog records the change with its fields and its caller', async () => {
  for (const [route, body, tables, change] of requests) {
    const found = await changesOf(route, body);
    expect([route, body, found]).toEqual([
      route,
      body,
      {
        tables,
        changes: change === undefined ? [] : [change],
        actors: change === undefined ? [] : [{ kind: 'api-key', keyNo: key.keyNo, address: '127.0.0.1' }],
      },
    ]);
  }
});

test('no route that can write is missing above', () => {
  const known = new Set([...requests.map(([route]) => route), ...others]);
  const routes = rest.routes.filter(({ method }) => method !== 'GET');
  expect(routes.map(({ method, path }) => `${method} ${path}`).filter((route) => !known.has(route))).toEqual(
    [],
  );
});
