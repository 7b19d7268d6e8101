// A caller who is limited to tags, beside an account that holds only the devices with these tags: what both get is the
// same but for ids.
import { newId } from '@vantage/kernel';
import { propertyRuns } from '@vantage/kernel/testing';
import { isOpenToScope } from '@vantage/rest-kit/limited-callers';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { outerRoutes } from '../../src/observe/metrics/metrics-routes.ts';
import { openEvents } from '../../src/reading/history/testing/event-reader.ts';
import { recordEvents } from '../../src/results/events/record-events.ts';
import { createRestHealth } from '../../src/results/status/index.ts';
import type { Reply } from '../../src/testing/http-client.ts';
import { createRestFixture, type RestFixture } from '../../src/testing/rest-fixture.ts';
import { addTwin, type Twin, type TwinStep, twinDevices } from '../../src/testing/twin-accounts.ts';

let rest: RestFixture;
beforeAll(async () => {
  rest = await createRestFixture({
    health: (_, clock) => createRestHealth({ clock, recordEvents }),
  });
});
afterAll(() => rest[Symbol.asyncDispose]());

const device = fc.constantFrom(...twinDevices);
const step: fc.Arbitrary<TwinStep> = fc.oneof(
  fc.record({
    kind: fc.constant('change' as const),
    device,
    body: fc.record(
      {
        FullName: fc.constantFrom('web in Oslo', null),
        Severity: fc.constantFrom('info', 'critical'),
        Enabled: fc.boolean(),
        Locations: fc.constantFrom(['oslo'], ['local', 'oslo']),
      },
      { requiredKeys: [] },
    ),
  }),
  fc.record({
    kind: fc.constant('tag' as const),
    device: fc.constantFrom('own1', 'far0'),
    isOn: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('checks' as const), device, count: fc.integer({ min: 1, max: 4 }) }),
  fc.record({
    kind: fc.constant('status' as const),
    device,
    status: fc.constantFrom('Up', 'Down', 'Down', 'Unknown'),
  }),
  fc.record({ kind: fc.constant('maintain' as const), device, isStart: fc.boolean() }),
  fc.record({ kind: fc.constant('note' as const), device }),
  fc.record({
    kind: fc.constant('behind' as const),
    device: fc.constantFrom('own1', 'own2', 'far1'),
    master: fc.constantFrom('own0', 'far0'),
  }),
);

/** Things for which placeholders of paths stand, of the scope and outside. */
const named: Readonly<Record<string, readonly string[]>> = {
  device_id: ['own0', 'own1', 'far0'],
  tag_id: ['mine', 'both', 'theirs'],
  check_id: ['check:own0', 'check:far0'],
  outage_id: ['outage:own0', 'outage:far0'],
  alert_id: ['alert:own0', 'alert:far0'],
  maintenance_id: ['maintenance:own0', 'maintenance:far0'],
  location_id: ['oslo'],
  agent_id: ['agent'],
  nschedule_id: ['nschedule'],
  mschedule_id: ['mschedule'],
};
/** Keys and people are those of the account or of the scope, and a change is its key's: callers-and-routes.test.ts. */
const apart = /^\/(keys|users|session|device-changes)\b/;
/** Entries about the account itself are in no scope. */
const onlyWith: Readonly<Record<string, string>> = { '/audit': '?Kind=device&Limit=100' };
const lists = ['?Limit=1', '?Limit=2&Offset=1'];
const filters = ['?Tag=both', '?Tag=theirs', '?Location=oslo&Limit=100'];
/** More questions to some routes; `<name>` stands for an id. */
const questions: Readonly<Record<string, readonly string[]>> = {
  '/devices': [
    ...lists,
    ...filters,
    '?Sort=-ShortName',
    '?Sort=-Status',
    '?Search=far',
    '?Search=o',
    '?Filter=Down',
    '?Filter=<mine>',
    '?Filter=<theirs>',
    '?ExternalKey=key%20own0',
    '?ExternalKey=key%20far0',
    '?Retrying=false',
    '?Enabled=false',
    '?device_master_id=<own0>',
    '?device_master_id=<far0>',
    '?Severity=critical',
    '?nschedule_id=<nschedule>',
    '?After=<own0>',
    '?After=<far0>',
  ],
  '/states': [
    '?With=Tags,Locations,LastCheck,Master,Day,Settings',
    '?Tag=mine,both&Match=All',
    '?Tag=mine,theirs',
    '?Filter=Down&Limit=1',
    '?Sort=-StatusSince',
    '?Search=far',
  ],
  '/summary': ['?By=Tag,Location', '?By=Path'],
  '/timeline': ['?Tag=both', '?Devices=<own0>,<own1>', '?Devices=<own0>,<far0>', '?Locations=local'],
  '/events': [...lists, ...filters, '?Device=<own0>', '?Device=<far0>', '?Type=Down,Up&Limit=100'],
  '/outages': [...lists, ...filters, '?Open=true', '?Method=TCP', '?MinSeconds=5'],
  '/alerts': [...lists, ...filters, '?State=Open,Closed', '?Severity=critical', '?Device=<far0>'],
  '/uptime': [...lists, '?Tag=both', '?Tag=theirs', '?Devices=<own0>', '?Devices=<own0>,<far0>'],
  '/maintenance': [...lists, '?Device=<own1>', '?Device=<far0>'],
  '/tags': [...lists, '?ExternalKey=x'],
  '/audit': ['?Kind=alert', '?Kind=maintenance', '?Id=<own0>', '?Id=<far0>', '?Kind=outage'],
  '/devices/{device_id}/statistics': ['?Bucket=5Min&With=Phases,Histogram', '?Bucket=Hour&Location=oslo'],
  '/devices/{device_id}/events': lists,
  '/devices/{device_id}/checks': [...lists, '?Location=local'],
};

/** Every question to every route that a limited caller may read. */
function allQuestions(): readonly string[] {
  return rest.routes
    .filter((route) => route.method === 'GET' && route.level !== 'none' && isOpenToScope(route))
    .filter(({ path }) => !apart.test(path))
    .flatMap(({ path, names }) => {
      const first = onlyWith[path] ?? '';
      const forms = names === undefined ? [] : [`${first}${first === '' ? '?' : '&'}fmt=csv`];
      return [first, ...forms, ...(questions[path] ?? [])].flatMap((query) =>
        filled(path).map((own) => own + query),
      );
    });
}

/** The path with each thing that its placeholders can stand for. */
function filled(path: string): readonly string[] {
  const [placeholder, name = ''] = /\{(\w+)\}/.exec(path) ?? [];
  if (placeholder === undefined) return [path];
  const labels = named[name];
  if (labels === undefined) throw new Error(`${path}: say in this test what ${name} stands for`);
  return labels.flatMap((label) => filled(path.replace(placeholder, `<${label}>`)));
}

const unlike = [
  'date',
  'x-request-id',
  'etag',
  'vantage-revision',
  'content-length',
  'connection',
  'keep-alive',
];

/**
 * Asks as the reader of an account. Ids become their number in the order in which they come; times of the database's
 * clock, and ETags, which are digests of ids, are left out.
 */
function createAsker({ ids, readerKey }: Twin) {
  const seen = new Map<string, string>();
  const today = new RegExp(`${new Date().toISOString().slice(0, 10)}T[\\d:]+`, 'g');
  const plain = (text: string) =>
    text
      .replaceAll(today, 'now')
      .replaceAll(/[0-9a-f]{16}\.[0-9a-f]{16}/g, 'etag')
      .replaceAll(/\b[0-9a-f]{48}\b/g, (id) => {
        const number = seen.get(id) ?? `#${seen.size}`;
        seen.set(id, number);
        return number;
      });
  const fill = (text: string) =>
    text.replaceAll(/<([\w:]+)>/g, (_, label: string) => {
      const id = ids.get(label) ?? newId();
      ids.set(label, id);
      return id;
    });
  const send = (method: string, path: string, body?: object, headers = {}): Promise<Reply> =>
    rest.send(method, fill(path), {
      key: readerKey,
      headers,
      ...(body === undefined ? {} : { body: JSON.parse(fill(JSON.stringify(body))) as unknown }),
    });
  return {
    plain,
    send,
    async ask(method: string, path: string, body?: object) {
      const { status, headers, text } = await send(method, path, body);
      const own = [...headers].filter(([name]) => !unlike.includes(name));
      return plain(`${method} ${path}\n${status} ${JSON.stringify(own)}\n${text}`);
    },
  };
}

/** Requests that change things, or would, and name what is outside. */
const writes: readonly (readonly [string, string, object])[] = [
  ['POST', '/devices/change', { Filter: {}, Set: { Timeout: 9 } }],
  ['POST', '/devices/change', { Filter: { Devices: ['<own0>', '<far0>'] }, Delete: true }],
  ['POST', '/devices/change', { Filter: { Tag: 'theirs' }, Delete: true }],
  ['POST', '/devices/change', { Filter: { Tag: 'both' }, AddTags: ['theirs'] }],
  ['PUT', '/alerts/acknowledge', { Alerts: ['<alert:own0>', '<alert:far0>'] }],
  ['PUT', '/alerts/snooze', { Filter: {}, Duration: '01:00' }],
  ['PUT', '/devices/<own0>', { device_master_id: '<far0>', Tags: ['mine', 'theirs'] }],
  ['PUT', '/devices/<own0>', { device_master_id: 'key:key far0' }],
  ['PUT', '/tags/<both>/start-maintenance', { Duration: '01:00' }],
  ['PUT', '/tags/<both>/stop-maintenance', {}],
  [
    'POST',
    '/batch',
    { Operations: ['<own0>', '<far0>'].map((id) => ({ Method: 'GET', Path: `/devices/${id}` })) },
  ],
];

async function outerTexts({ readerKey }: Twin): Promise<readonly string[]> {
  const own = outerRoutes({ db: rest.db, clock: rest.clock, findings: async () => [] });
  const paths = own.filter(({ needsKey }) => needsKey === true).map(({ path }) => path);
  const all = [...paths, '/metrics?devices=Y', '/v1.1/service-discovery/prometheus'];
  const texts: string[] = [];
  for (const path of all) {
    const headers = { 'X-Forwarded-Proto': 'https', 'Service-API-Key': readerKey };
    texts.push(await (await fetch(new URL(path, rest.baseUrl), { headers })).text());
  }
  return texts;
}

const eventIds = z.array(z.object({ event_id: z.string() }));

/** The stream from the first event on, as far as the list reaches. */
async function streamed({ readerKey }: Twin, { send, plain }: ReturnType<typeof createAsker>) {
  const listed = eventIds.parse((await send('GET', '/events?Limit=100')).json);
  const headers = { 'Service-API-Key': readerKey, 'Last-Event-ID': listed.at(-1)?.event_id ?? '' };
  const reader = await openEvents(`${rest.baseUrl}/events?stream`, headers);
  while (reader.events().length < listed.length - 1) {
    await rest.clock.advance(0);
    await new Promise(setImmediate);
  }
  reader.leave();
  return plain(JSON.stringify(reader.events()));
}

test('every answer equals that of an account which holds only the devices of the scope', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 25 }), async (steps) => {
      const twins = [await addTwin(rest, true), await addTwin(rest, false)] as const;
      const first: readonly TwinStep[] = (['own0', 'far0'] as const).flatMap((each) => [
        { kind: 'checks', device: each, count: 2 },
        { kind: 'status', device: each, status: 'Down' },
        { kind: 'maintain', device: each, isStart: true },
        { kind: 'maintain', device: each, isStart: true },
      ]);
      for (const each of [...first, ...steps]) {
        for (const twin of twins) await twin.play(each);
        await rest.clock.advance(1_000);
      }
      const [whole, alone] = twins.map((twin) => ({ twin, ...createAsker(twin) }));
      if (whole === undefined || alone === undefined) throw new Error('there are two');
      for (const path of allQuestions())
        expect(await whole.ask('GET', path)).toBe(await alone.ask('GET', path));
      const outer = (await outerTexts(whole.twin)).map(whole.plain);
      expect(outer).toEqual((await outerTexts(alone.twin)).map(alone.plain));
      expect(await streamed(whole.twin, whole)).toBe(await streamed(alone.twin, alone));
      for (const [method, path, body] of writes)
        expect(await whole.ask(method, path, body)).toBe(await alone.ask(method, path, body));
    }),
    { numRuns: propertyRuns(1), endOnFailure: true },
  );
});

test('nothing that happens outside of the scope changes an answer, its ETag or what changed since', async () => {
  const twin = await addTwin(rest, true);
  const far: readonly TwinStep[] = (['far0', 'far1', 'own0'] as const).flatMap((each) => [
    { kind: 'checks', device: each, count: 2 },
    { kind: 'status', device: each, status: 'Down' },
    { kind: 'maintain', device: each, isStart: true },
  ]);
  for (const each of far) {
    await twin.play(each);
    await rest.clock.advance(1_000);
  }
  const { send } = createAsker(twin);
  const readAll = async () => {
    const texts: string[] = [];
    for (const path of allQuestions()) {
      const { status, headers, text } = await send('GET', path);
      const own = [...headers].filter(([name]) => name === 'etag' || !unlike.includes(name));
      texts.push(`${path}\n${status} ${JSON.stringify(own)}\n${text}`);
    }
    return [...texts, ...(await outerTexts(twin))];
  };
  const before = await readAll();
  const since = (await send('GET', '/states')).headers.get('Vantage-Revision');
  const poll = async () => (await send('GET', `/states?ChangedSince=${since}`)).text;
  const unchanged = await poll();
  for (const each of [
    { kind: 'change', device: 'far0', body: { FullName: 'another', Enabled: false, Locations: ['oslo'] } },
    { kind: 'tag', device: 'far0', isOn: true },
    { kind: 'maintain', device: 'far0', isStart: true },
    { kind: 'note', device: 'far0' },
  ] satisfies readonly TwinStep[])
    await twin.play(each);
  expect(await poll()).toBe(unchanged);
  // A device whose master changes counts as changed, though its answer stays the same.
  await twin.play({ kind: 'behind', device: 'far1', master: 'own0' });
  await twin.play({ kind: 'behind', device: 'own1', master: 'far0' });
  await twin.play({ kind: 'behind', device: 'far1', master: 'far0' });
  await twin.remove('far1');
  expect(await readAll()).toEqual(before);
});
