import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { createTestDatabase, type TestDatabase } from '@vantage/testing/database';
import { withClient } from '@vantage/testing/postgres-url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { useHere } from '../testing/run-vantage.ts';

const runHere = useHere();
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database[Symbol.asyncDispose]());

const rows = (text: string): Promise<unknown[]> =>
  withClient(database.url, async (client) => (await client.query(text)).rows);
const vantage = (...args: readonly string[]) => runHere(args, { VANTAGE_DATABASE_URL: database.url });

test('open alerts are listed and acknowledged with a note, by the command line', async () => {
  await withClient(database.url, (client) =>
    client.query(`
      with a as (insert into accounts (account_id, name) values ('default', 'default') returning account_no)
      insert into alerts (alert_id, account_no, kind, severity, opened_us, since_us, closed_us, state, opening)
      select id, account_no, 'device.down', 'critical', 1000000, 1000000, closed, '{"phase": "open"}', '{"CheckResult": "no answer"}'
      from a, (values ('open-1', null::bigint), ('closed-1', 2000000)) as v (id, closed)`),
  );
  const listed = await vantage('alerts', 'list');
  expect([listed.code, listed.out]).toEqual([0, expect.stringContaining('open-1')]);
  expect(listed.out).not.toContain('closed-1');
  expect((await vantage('alerts', 'acknowledge', 'closed-1')).err).toContain('its outage has ended');
  expect((await vantage('alerts', 'acknowledge', 'open-1', '--note', 'on it')).code).toBe(0);
  const { rows } = await withClient(database.url, (client) =>
    client.query(`select acknowledged_by, acknowledged_note, (select count(*)::int from audit) as entries
      from alerts where alert_id = 'open-1'`),
  );
  const by = expect.stringMatching(/^command line \([\w.@+-]+\)$/);
  expect(rows).toEqual([{ acknowledged_by: by, acknowledged_note: 'on it', entries: 1 }]);
});

test('the quarantine is listed by agent and reason; without records a retry takes none', async () => {
  await rows(`
    with a as (insert into accounts (account_id, name) values ('kept', 'kept') returning account_no),
      l as (insert into locations (location_id, account_no, name) select 'kept-l', account_no, 'l' from a returning account_no, location_no),
      g as (insert into agents (agent_id, account_no, location_no, name, token_hash, token_expires_us)
        select 'kept-g', account_no, location_no, 'edge', '\\\\x01', 1 from l
        returning agent_no)
    insert into quarantined (agent_no, received_us, reason, record)
    select agent_no, 1000000, 'too early', '{}' from g, generate_series(1, 3)`);
  const listed = await vantage('quarantine', 'list', '--json');
  expect(JSON.parse(listed.out)).toEqual([
    expect.objectContaining({ agent: 'edge', reason: 'too early', records: 3, waiting: 0 }),
  ]);
  const retried = await vantage('quarantine', 'retry', '--reason', 'another', '--json');
  expect(JSON.parse(retried.out)).toEqual({ records: 0, accepted: 0, refused: 0, waiting: 0 });
  expect((await vantage('quarantine', 'retry', '--limit', '10001')).err).toContain('1 to 10000');
});

test('the first contact of an account makes the schedule Everybody, the next ones are added to it', async () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'vantage-contacts-'));
  const settings = {
    VANTAGE_DATABASE_URL: database.url,
    VANTAGE_SECRET_KEY_FILE: path.join(dir, 'secret.key'),
  };
  const add = (address: string, ...more: string[]) =>
    runHere(['contacts', 'add', address, '--account', 'mailer', '--json', ...more], settings);
  const added = z.object({
    contact_id: z.string(),
    schedule: z.string().nullable(),
    secret: z.string().nullable(),
  });
  await rows(`insert into accounts (account_id, name) values ('mailer', 'mailer')`);
  const first = await add('noc@example.org');
  expect([first.code, first.err]).toEqual([0, expect.stringContaining('so "Everybody" was created')]);
  const hook = await add('https://u:pass-1@h.example/?token=token-1', '--name', 'Hook');
  expect(hook.err).toContain('was added to the schedule "Everybody"');
  for (const text of [hook.out, hook.err]) expect(text).not.toMatch(/pass-1|token-1/);
  const made = [first, hook].map(({ out }) => added.parse(JSON.parse(out)));
  expect(made).toMatchObject([
    { schedule: 'Everybody', secret: null },
    { schedule: 'Everybody', secret: expect.stringMatching(/^whsec_.{44}$/) },
  ]);
  const ids = made.map(({ contact_id }) => contact_id);
  const schedule = `select n.name, n.steps from accounts a join nschedules n using (nschedule_no) where a.name = 'mailer'`;
  expect(await rows(schedule)).toEqual([{ name: 'Everybody', steps: [{ DelayMinutes: 0, Contacts: ids }] }]);
  const { out } = await vantage('contacts', 'list', '--account', 'mailer');
  expect(out).toMatch(/Hook +webhook +https:\/\/u:\*\*\*@h\.example\/\?token=\*\*\*/);
  rmSync(dir, { recursive: true });
});

test('a test message goes to a contact by its name, and the answer of its server is shown', async () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'vantage-contacts-'));
  await using own = await createTestDatabase();
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => response.writeHead(bodies.push(body) === 1 ? 200 : 410).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const hook = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`;
  const settings = {
    VANTAGE_DATABASE_URL: own.url,
    VANTAGE_SECRET_KEY_FILE: path.join(dir, 'secret.key'),
    VANTAGE_ALLOW_PRIVATE_WEBHOOKS: 'true',
  };
  const run = (command: string, ...more: string[]) =>
    runHere(['contacts', command, ...more, '--account', 'tester'], settings);
  await withClient(own.url, (client) =>
    client.query(`insert into accounts (account_id, name) values ('tester', 'tester')`),
  );
  expect(await run('add', hook, '--name', 'Hook')).toMatchObject({ code: 0 });
  const sent = await run('test', 'Hook');
  expect([sent.code, sent.out]).toEqual([0, expect.stringContaining('HTTP 200 OK')]);
  expect(JSON.parse(bodies[0] ?? '')).toMatchObject({ type: 'test', data: { Contact: 'Hook' } });
  const refused = await run('test', 'Hook');
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('did not arrive: HTTP 410 Gone')]);
  expect((await run('test', 'nobody')).err).toContain('account tester has no contact nobody');
  expect((await run('add', 'noc@example.org', '--name', 'hook')).err).toContain('There is already a contact');
  expect((await run('add', 'noc@example.org')).code).toBe(0);
  await withClient(own.url, (client) =>
    // Names were not unique once.
    client.query(`insert into contacts (contact_id, account_no, type, name, address, sealed)
      select 'twin', account_no, type, name, address, sealed from contacts where name = 'Hook'`),
  );
  expect((await run('test', 'Hook')).err).toContain('several contacts are named Hook: give the contact_id');
  expect((await run('test', 'noc@example.org')).err).toContain('VANTAGE_SMTP_URL');
  server.close();
  rmSync(dir, { recursive: true });
}, 300_000);
