import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

const repository = path.resolve(import.meta.dirname, '../..');

/** Programs that a user of the generated types might write. All begin with `head`. */
const head = `
import createClient from 'openapi-fetch';
import type { components, paths } from './api.ts';
type Device = components['schemas']['Device'];
const client = createClient<paths>({ baseUrl: 'https://monitor.example.com/v1.1' });
const one = { params: { path: { device_id: 'an id' } } } as const;
`;

const right: Readonly<Record<string, string>> = {
  'creates devices of several Methods': `
    const { data, error } = await client.POST('/devices', {
      body: { Method: 'HTTP', URL: 'https://www.example.com/', ShortName: 'web', Options: { ExpectText: 'ok' } },
    });
    const id: string | undefined = data?.device_id;
    const code: 1000 | 1001 | 1002 | 1003 | 1004 | 1005 | 1006 | 1007 | 1500 | 1503 | undefined = error?.code;
    await client.POST('/devices', { body: { Method: 'Script', URL: 'log(1)', ShortName: 'shop', Frequency: 60 } });
    console.log(id, code);`,
  'reads a device and knows its Options by its Method': `
    const { data } = await client.GET('/devices/{device_id}', one);
    const read = (device: Device): string | undefined =>
      device.Method === 'HTTP' ? device.Options.ExpectText : device.Method === 'DNS' ? device.Options.Type : undefined;
    if (data !== undefined) console.log(read(data), data.Status === 'Up', data.Tags[0]?.Name);`,
  'sends back what it read, with a change': `
    const { data } = await client.GET('/devices/{device_id}', one);
    if (data !== undefined) await client.PUT('/devices/{device_id}', { ...one, body: { ...data, Frequency: 1 } });
    if (data?.Method === 'TCP')
      await client.PUT('/devices/{device_id}', { ...one, body: { ...data, Options: { ...data.Options, SlowMs: 9 } } });
    const { data: account } = await client.GET('/account');
    if (account !== undefined) await client.PUT('/account', { body: { ...account, Timezone: 'UTC' } });`,
  'changes a single field, clears Options, starts maintenance': `
    await client.PUT('/devices/{device_id}', { ...one, body: { FullName: 'Front page' } });
    await client.PUT('/devices/{device_id}', { ...one, body: { Method: 'TCP', Options: null } });
    await client.PUT('/devices/{device_id}/start-maintenance', one);
    await client.PUT('/devices/{device_id}/start-maintenance', { ...one, body: { Duration: '00:30' } });`,
  lists: `
    const { data } = await client.GET('/devices', { params: { query: { Filter: 'Down', Limit: 100 } } });
    const names: string[] | undefined = data?.map(({ ShortName }) => ShortName);
    const { data: events } = await client.GET('/events', { params: { query: { Type: ['Down', 'Up'] } } });
    console.log(names, events?.filter(({ Type }) => Type === 'LocationOffline').length);`,
  'has several things done at once': `
    const { data } = await client.POST('/batch', {
      body: { Operations: [
        { Method: 'POST', Path: '/tags', Body: { Name: 'berlin/rack-1' } },
        { Method: 'DELETE', Path: '/tags/an-id' },
      ] },
    });
    console.log(data?.Results.map(({ Status }) => Status));`,
  'makes a request safe to repeat, and overwrites nobody': `
    await client.POST('/tags', { body: { Name: 'a' }, params: { header: { 'Idempotency-Key': 'k-1' } } });
    const { response } = await client.GET('/devices/{device_id}', one);
    const etag = response.headers.get('ETag') ?? '';
    await client.PUT('/devices/{device_id}', {
      params: { ...one.params, header: { 'If-Match': etag } }, body: { Enabled: false },
    });`,
  'previews a change of many devices and carries it out': `
    const Set = { Severity: 'warning' } as const;
    const change = { Filter: { Search: 'rack' }, Set, AddTags: ['urgent'] };
    const { data } = await client.POST('/devices/change', { body: { ...change, Preview: true } });
    if (data !== undefined)
      await client.POST('/devices/change', { body: { ...change, Token: data.Token } });
    console.log(data?.Refused.length);`,
  'reads what changed since the last time': `
    const { data, response } = await client.GET('/states', {
      params: { query: { With: ['Tags', 'Day'], Limit: 1000 } },
    });
    const revision = response.headers.get('Vantage-Revision') ?? undefined;
    const next = await client.GET('/states', { params: { query: revision === undefined ? {} : { ChangedSince: revision } } });
    console.log(data?.filter(({ Gone }) => Gone !== true).length, next.data?.length);`,
  'adds up what is wrong': `
    const { data } = await client.GET('/summary', { params: { query: { By: ['Tag', 'Location'] } } });
    const worst = data?.Tags?.filter(({ Worst }) => Worst === 'Down').map(({ Name }) => Name);
    console.log(data?.Devices.Down, data?.Alerts.Open, worst);`,
  'draws a timeline': `
    const { data } = await client.GET('/timeline', { params: { query: { Tag: ['shop'], Resolution: 300 } } });
    for (const { device_id, Intervals } of data ?? [])
      for (const { Start, End, Status, Seconds } of Intervals) console.log(device_id, Start, End ?? 'now', Status, Seconds);`,
  'charts phases': `
    const { data } = await client.GET('/devices/{device_id}/statistics', {
      params: { path: one.params.path, query: { Bucket: 'Hour', With: ['Phases'] } },
    });
    console.log(data?.map(({ Phases }) => Phases?.TTFB.P95 ?? null));`,
  'adds a contact, and a schedule that notifies it': `
    const { data } = await client.POST('/contacts', {
      body: { Name: 'on call', Type: 'email', Address: 'on-call@example.com' },
    });
    if (data !== undefined)
      await client.POST('/nschedules', {
        body: { Name: 'all', Steps: [{ DelayMinutes: 5, Contacts: [data.contact_id], Days: ['Mon'], From: '08:00', To: '18:00' }] },
      });`,
  'plans maintenance that recurs': `
    await client.POST('/mschedules', {
      body: { Name: 'patches', Start: '2030-01-06T03:00', Duration: '02:00', Recurrence: 'FREQ=MONTHLY;BYDAY=1SU' },
    });
    const { data } = await client.GET('/maintenance');
    console.log(data?.map(({ Start, End, Reason }) => [Start, End, Reason]));`,
  'acknowledges what a filter finds': `
    const { data: alerts } = await client.GET('/alerts', { params: { query: { State: ['Open'], Severity: ['critical', 'warning'] } } });
    const ids = alerts?.filter(({ Kind }) => Kind === 'device.down').map(({ alert_id }) => alert_id);
    await client.PUT('/alerts/acknowledge', { body: { Filter: { Kind: 'device.down' }, Note: 'seen' } });
    console.log(ids);`,
  'counts uptime and outages': `
    const { data } = await client.GET('/uptime', { params: { query: { Timestamp1: '2026-10-01T00:00:00' } } });
    const { data: outages } = await client.GET('/outages', { params: { query: { Open: 'Y', MinSeconds: 60 } } });
    console.log(data?.map(({ Uptime }) => Uptime.Percent ?? 100), outages?.map(({ End }) => End === null));`,
  'gives a person rights': `
    const { data } = await client.POST('/keys', { body: { Name: 'ci', Level: 'UO', Tags: ['shop'] } });
    const { data: user } = await client.POST('/users', { body: { Name: 'Ada', Email: 'ada@example.org', Level: 'UR' } });
    console.log(data?.Key, user?.Link);`,
  'publishes a status page': `
    const { data } = await client.POST('/pages', {
      body: { Name: 'Services', Path: 'services', Access: 'Public', Show: { URL: false, CheckResult: false, Location: false } },
    });
    console.log(data?.page_id);`,
  'tells every error apart': `
    const { error } = await client.GET('/devices/{device_id}', one);
    if (error !== undefined && error.code === 1004) console.log(error.errors?.map(({ field, message }) => [field, message]));
    else console.log(error?.message);`,
  'receives the events of a hook': `
    type Posted = import('./api.ts').webhooks['event']['post']['requestBody']['content']['application/json'];
    const told = (posted: Posted): string => posted.type;
    console.log(told);`,
};

const device = `Method: 'TCP', URL: 'example.org:80', ShortName: 'a'`;
const wrong: Readonly<Record<string, string>> = {
  'no body': `await client.POST('/devices', {});`,
  'no ShortName': `await client.POST('/devices', { body: { Method: 'TCP', URL: 'example.org:80' } });`,
  'a misspelt Method': `await client.POST('/devices', { body: { Method: 'TPC', URL: 'a', ShortName: 'a' } });`,
  "another Method's Options": `await client.POST('/devices', { body: { ${device}, Options: { ExpectText: 'ok' } } });`,
  'Options of two Methods': `await client.POST('/devices', { body: { ${device}, Options: { Steps: [], Count: 3 } } });`,
  'a misspelt Option': `await client.POST('/devices', { body: { ${device}, Options: { SlowMS: 3 } } });`,
  'HostData of a Method other than HTTP': `await client.POST('/devices', { body: { ${device}, HostData: { headers: {} } } });`,
  'a Frequency that is not offered': `await client.POST('/devices', { body: { ${device}, Frequency: 3 } });`,
  'an unknown field': `await client.POST('/devices', { body: { ${device}, Colour: 'red' } });`,
  'Options without their Method': `await client.PUT('/devices/{device_id}', { ...one, body: { Options: { SlowMs: 9 } } });`,
  'Options of another Method in what was read': `
    const { data } = await client.GET('/devices/{device_id}', one);
    if (data?.Method === 'TCP') console.log(data.Options.ExpectText);`,
  'a misspelt Type': `
    const { data } = await client.GET('/events');
    console.log(data?.filter(({ Type }) => Type === 'Donw'));`,
  'a Status that does not exist': `
    const { data } = await client.GET('/devices');
    console.log(data?.filter(({ Status }) => Status === 'Ok'));`,
  'a code that does not exist': `
    const { error } = await client.GET('/devices');
    console.log(error?.code === 404);`,
  'an unknown query parameter': `await client.GET('/devices', { params: { query: { limit: 5 } } });`,
  'a missing id': `await client.GET('/devices/{device_id}', {});`,
  'an answer read as text': `
    const { data } = await client.GET('/devices');
    console.log(data?.toUpperCase());`,
  'a Level that does not exist': `await client.POST('/keys', { body: { Name: 'a', Level: 'ROOT' } });`,
  'an operation of a batch without a path': `await client.POST('/batch', { body: { Operations: [{ Method: 'POST' }] } });`,
  'a path that does not exist': `await client.GET('/device', {});`,
};

/** Mistakes that only exact types find. */
const harder: Readonly<Record<string, string>> = {
  'a check of a trial that is taken for a stored one': `
    const { data } = await client.POST('/checks/trial', { body: { ${device} } });
    const id: string | undefined = data?.check_id;
    console.log(id);`,
  'an end that is null while it is open': `
    const { data } = await client.GET('/outages');
    const ends: string[] | undefined = data?.map(({ End }) => End);
    console.log(ends);`,
  'phases that were not asked for': `
    const { data } = await client.GET('/devices/{device_id}/statistics', one);
    console.log(data?.[0]?.Phases.TTFB);`,
  'a device of an event of a Location': `
    const { data } = await client.GET('/events');
    const ids: string[] | undefined = data?.map(({ device_id }) => device_id);
    console.log(ids);`,
  'the state of a row that may be gone': `
    const { data } = await client.GET('/states');
    const names: string[] | undefined = data?.map(({ ShortName }) => ShortName);
    console.log(names);`,
  'a percentage of nothing': `
    const { data } = await client.GET('/devices/{device_id}/uptime', one);
    const percent: number | undefined = data?.Uptime.Percent;
    console.log(percent);`,
  'a Status of a timeline that no timeline has': `
    const { data } = await client.GET('/timeline', {});
    console.log(data?.[0]?.Intervals[0]?.Status === 'Paused');`,
  'a weekday in full': `await client.POST('/nschedules', {
      body: { Name: 'a', Steps: [{ DelayMinutes: 0, Contacts: ['x'], Days: ['Monday'] }] } });`,
  'an answer without looking at the error': `
    const { data } = await client.GET('/devices/{device_id}', one);
    console.log(data.ShortName);`,
  'a Severity of a bulk change that does not exist': `await client.POST('/devices/change', {
      body: { Filter: {}, Set: { Severity: 'urgent' } } });`,
};

let folder: string;
let found: Readonly<Record<string, readonly string[]>>;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'openapi-types-'));
  // client-types.test.ts holds them against the document.
  await copyFile(path.join(repository, 'libs/client/src/gen/api.ts'), path.join(folder, 'api.ts'));
  await symlink(path.join(repository, 'node_modules'), path.join(folder, 'node_modules'));
  const options = { module: 'nodenext', target: 'es2024', strict: true, noEmit: true, skipLibCheck: true };
  const compilerOptions = { ...options, allowImportingTsExtensions: true, types: ['node'] };
  await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
  await writeFile(path.join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  const programs = Object.entries({ ...right, ...wrong, ...harder });
  for (const [at, [, text]] of programs.entries())
    await writeFile(path.join(folder, `program-${at}.ts`), head + text);
  const output = await compile(folder);
  found = Object.fromEntries(
    programs.map(([name], at) => [
      name,
      output.split('\n').filter((line) => line.startsWith(`program-${at}.ts`)),
    ]),
  );
  expect(output.split('\n').filter((line) => /^(api|\.\.|error)/.test(line))).toEqual([]);
}, 120_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The compiler's reports. */
function compile(cwd: string): Promise<string> {
  const program = path.join(repository, 'node_modules/typescript/bin/tsc');
  return new Promise((resolve) => {
    execFile(process.execPath, [program, '--pretty', 'false', '-p', cwd], { cwd }, (_, stdout, stderr) =>
      resolve(stdout + stderr),
    );
  });
}

it.each(Object.keys(right))('a client that %s compiles in strict mode', (name) => {
  expect(found[name]).toEqual([]);
});

it.each([...Object.keys(wrong), ...Object.keys(harder)])('%s does not compile', (name) => {
  expect(found[name]?.length).toBe(1);
});
