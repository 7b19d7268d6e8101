// The holder of a key that is limited to one tag attacks the devices of another tag in the same account.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { type AttackFixture, issueKey } from './harness/attack-fixture.ts';
import { callFrom, type Outcome } from './harness/https-call.ts';
import { scenes } from './harness/shared.ts';

const from = '127.0.0.67';
/** Stands in each device of the other tag, and in no request. */
const sentinel = 'onlytheirs';
const devicesOfTag = 60;
const atOnce = 12;

type Ask = readonly [method: string, path: string, body?: object];

const sender =
  ({ baseUrl, ca }: AttackFixture, key: string) =>
  ([method, path, body]: Ask): Promise<Outcome> =>
    callFrom(from, {
      url: `${baseUrl}${path}`,
      ca,
      method,
      maxText: 1_000_000,
      headers: { 'Service-API-Key': key, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });

const idOf = ({ text }: Outcome) =>
  Object.values(z.record(z.string(), z.string()).parse(JSON.parse(text)))[0] ?? '';

/** Everything of these devices that a request could change. */
async function digestOf({ kysely }: AttackFixture, tagNo: number): Promise<string> {
  const { rows } = await sql<{ digest: string }>`
    select md5(string_agg(d::text || t::text || s.status, '|' order by d.device_no)) as digest
    from devices d join device_tags t using (device_no) join device_state s using (device_no) where t.tag_no = ${tagNo}`.execute(
    kysely,
  );
  return rows[0]?.digest ?? '';
}

/** Two tags of the attacking account with devices, and a key of level UW that is limited to the first. */
async function setUp(fixture: AttackFixture) {
  const { hostile, kysely } = fixture;
  const asOwner = sender(fixture, hostile.key);
  const tag = async (Name: string) => {
    const id = idOf(await asOwner(['POST', '/tags', { Name }]));
    const { tag_no } = await kysely
      .selectFrom('tags')
      .select('tag_no')
      .where('tag_id', '=', id)
      .executeTakeFirstOrThrow();
    return { id, tag_no };
  };
  const [mine, theirs] = [await tag('scope-mine'), await tag('scope-theirs')];
  const create = (Tags: string, FullName: string) => ({
    Method: 'POST',
    Path: '/devices',
    Body: { Method: 'TCP', URL: '127.0.0.1:9', ShortName: 'scoped', FullName, Tags: [Tags], Enabled: false },
  });
  const Operations = Array.from({ length: devicesOfTag }, (_, n) => [
    create(mine.id, `mine ${n}`),
    create(theirs.id, `${sentinel} ${n}`),
  ]).flat();
  expect((await asOwner(['POST', '/batch', { Operations }])).status).toBe(200);
  const { rows } = await sql<{ device_id: string }>`
    select device_id from devices join device_tags using (device_no) where tag_no = ${theirs.tag_no}`.execute(
    kysely,
  );
  expect(rows).toHaveLength(devicesOfTag);
  const key = await issueKey(kysely, hostile.accountNo);
  await sql`update api_keys set tag_nos = array[${mine.tag_no}::int] where hint = ${key.slice(0, 6)}`.execute(
    kysely,
  );
  return { key, mine, theirs, ids: rows.map(({ device_id }) => device_id) };
}

/** Requests that name a device outside the scope, or lists that might have it. */
function asksAbout(id: string, { mine, theirs }: Awaited<ReturnType<typeof setUp>>): readonly Ask[] {
  const device = `/devices/${id}`;
  const named: readonly Ask[] = [
    ...['', '/checks', '/events', '/outages', '/statistics', '/traceroute'].map(
      (part): Ask => ['GET', device + part],
    ),
    ['PUT', device, { Enabled: true, FullName: 'mine now' }],
    ['PUT', device, { Tags: [mine.id] }],
    ['DELETE', device],
    ['POST', `${device}/check`],
    ['PUT', `${device}/maintenance`, { Duration: '01:00' }],
    ['PUT', `/tags/${mine.id}/devices/${id}`],
    ['DELETE', `/tags/${theirs.id}/devices/${id}`],
    ['PUT', `/tags/${theirs.id}/maintenance`, { Duration: '01:00' }],
    ['DELETE', `/tags/${theirs.id}`],
    ['GET', `/events?Device=${id}`],
    ['GET', `/timeline?Devices=${id}`],
    ['GET', `/alerts?Device=${id}`],
    ['GET', `/uptime?Devices=${id}`],
  ];
  const lists: readonly Ask[] = [
    ...[
      '/devices',
      '/states?With=Tags,Master,LastCheck',
      '/events',
      '/outages',
      '/alerts',
      '/audit',
      '/tags',
    ].map((path): Ask => ['GET', path]),
    ['GET', '/devices?Search=only&Limit=100'],
    ['GET', '/summary?By=Tag,Location'],
    ['GET', `/devices?Tag=${theirs.id}`],
    ['GET', '/devices?fmt=csv&Limit=100'],
    [
      'POST',
      '/batch',
      {
        Operations: [
          { Method: 'GET', Path: device },
          { Method: 'DELETE', Path: device },
        ],
      },
    ],
    [
      'POST',
      '/batch',
      { Atomic: true, Operations: [{ Method: 'PUT', Path: device, Body: { Enabled: true } }] },
    ],
    ['POST', '/devices', { Method: 'TCP', URL: '127.0.0.1:9', ShortName: 'outside' }],
    [
      'POST',
      '/devices',
      { Method: 'TCP', URL: '127.0.0.1:9', ShortName: 'behind', Tags: [mine.id], device_master_id: id },
    ],
    ['PUT', '/alerts/acknowledge', { Filter: {} }],
  ];
  return [...named, ...lists];
}

test('a key that is limited to a tag learns and changes nothing of the devices of another tag', async () => {
  await scenes.play(
    'a key of another scope',
    async (fixture) => {
      const made = await setUp(fixture);
      const before = await digestOf(fixture, made.theirs.tag_no);
      const ask = sender(fixture, made.key);
      const own = await ask(['GET', '/devices?Limit=100']);
      expect([own.status, own.text.match(/"mine \d+"/g)?.length]).toEqual([200, devicesOfTag]);
      const asks = made.ids.slice(0, 10).flatMap((id) => asksAbout(id, made));
      const shown: string[] = [];
      const broken: string[] = [];
      for (let at = 0; at < asks.length; at += atOnce) {
        const some = asks.slice(at, at + atOnce);
        const outcomes = await Promise.all(some.map(ask));
        for (const [n, { status, text }] of outcomes.entries()) {
          const request = JSON.stringify(some[n]);
          if (text.includes(sentinel)) shown.push(`${request}: ${text.slice(0, 200)}`);
          if (![200, 400].includes(status)) broken.push(`${request}: ${status} ${text.slice(0, 200)}`);
        }
      }
      expect(shown).toEqual([]);
      expect(broken).toEqual([]);
      expect(await digestOf(fixture, made.theirs.tag_no)).toBe(before);
    },
    { maxMs: 60_000 },
  );
});
