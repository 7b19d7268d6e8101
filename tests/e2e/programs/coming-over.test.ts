// What `vantage import` makes of other tools' files is taken by a real controller, and its devices are checked by a
// real agent.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  createKumaDatabase,
  gatusConfiguration,
  icingaAnswer,
  nagiosObjects,
  prometheusJobs,
  smokePingConfiguration,
  uptimeRobotAnswer,
  zabbixExport,
} from '@vantage/imports/testing';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { runVantageHere } from '../../harness/run-vantage.ts';
import { startTarget, type Target } from '../../harness/target.ts';
import { system } from './system.ts';

const applyFile = z.strictObject({
  source: z.string(),
  tags: z.array(z.strictObject({ Key: z.string(), Name: z.string() })).default([]),
  devices: z.array(z.looseObject({ Key: z.string(), device_master_id: z.string().optional() })),
});
const report = z.looseObject({
  read: z.int(),
  refused: z.array(z.unknown()),
  became: z.array(z.unknown()),
  secrets: z.array(z.looseObject({ name: z.string() })),
});

const folder = mkdtempSync(path.join(tmpdir(), 'vantage-coming-over-'));
const web = createServer((request, response) => {
  const signedIn = request.headers.authorization === `Basic ${Buffer.from('mon:geheim').toString('base64')}`;
  response.statusCode = request.url === '/inside' && !signedIn ? 401 : 200;
  response.setHeader('Content-Type', 'application/json');
  response.end(JSON.stringify({ state: { db: 'ok' }, text: 'Welcome' }));
});
let target: Target;
let site = '';
beforeAll(async () => {
  target = await startTarget();
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  site = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
});
afterAll(async () => {
  web.close();
  await target[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

/** Monitors of the small site: a group, five that are checked, one that is paused, and a passive one. */
function kumaMonitors() {
  const { port } = new URL(site);
  return [
    { name: 'Group', type: 'group' },
    { name: 'Page', type: 'keyword', url: site, keyword: 'Welcome', parent: 1, interval: 60, timeout: 5 },
    { name: 'Json', type: 'json-query', url: site, json_path: '$.state.db', expected_value: 'ok' },
    { name: 'Other Json', type: 'json-query', url: site, json_path: 'state.db', expected_value: 'broken' },
    {
      name: 'Inside',
      type: 'http',
      url: `${site}/inside`,
      basic_auth_user: 'mon',
      basic_auth_pass: 'geheim',
    },
    { name: 'Port', type: 'port', hostname: '127.0.0.1', port: Number(port) },
    { name: 'Paused', type: 'port', hostname: '127.0.0.1', port: 9, active: 0 },
    { name: 'Push', type: 'push' },
  ];
}

/** Runs `vantage import`; throws what it says where it fails. */
async function runImport(
  ...args: readonly string[]
): Promise<{ file: z.output<typeof applyFile>; told: z.output<typeof report> }> {
  const { code, stdout, stderr } = await runVantageHere(['import', ...args, '--json'], {});
  if (code !== 0) throw new Error(stderr);
  return { file: applyFile.parse(parse(stdout)), told: report.parse(JSON.parse(stderr)) };
}

/** Runs `vantage compare` against the controller; throws what it says where it has no answer. */
const comparison = z.looseObject({ Disagree: z.array(z.looseObject({ Device: z.string() })) });

/** The list of what disagrees is sorted by name here: its order is that of the first results, which may be any. */
async function runCompare(
  format: string,
  file: string,
): Promise<{ code: number; told: z.output<typeof comparison> }> {
  const { base_url: server, ca_file: ca, api_key_ur: key } = system.quickstart();
  const args = ['compare', format, file, '--server', server, '--key', key, '--ca', ca, '--json'];
  const { code, stdout, stderr } = await runVantageHere(args, {});
  if (stdout === '') throw new Error(stderr);
  const told = comparison.parse(JSON.parse(stdout));
  told.Disagree.sort((a, b) => a.Device.localeCompare(b.Device));
  return { code, told };
}

/** Creates what a file holds, with these values for its secrets. Returns the ids by Key. */
async function create(
  { file, told }: Awaited<ReturnType<typeof runImport>>,
  secretValue: string,
  prefix = '',
): Promise<ReadonlyMap<string, string>> {
  expect(file.devices.length + told.refused.length + told.became.length).toBe(told.read);
  for (const { name } of told.secrets)
    await system.api.ok('POST', '/secrets', { Name: name, Value: secretValue });
  const known = z
    .array(z.looseObject({ Name: z.string() }))
    .parse(await system.api.ok('GET', '/tags?Limit=100'));
  for (const { Key, Name } of file.tags)
    if (!known.some((tag) => tag.Name === Name))
      await system.api.ok('POST', '/tags', { ExternalKey: Key, Name });
  const ids = new Map<string, string>();
  for (const { Key, device_master_id: master, ...fields } of file.devices) {
    const body = {
      ...fields,
      ExternalKey: `${prefix}${Key}`,
      ...(master !== undefined && { device_master_id: ids.get(master) }),
    };
    const { device_id } = z
      .object({ device_id: z.string() })
      .parse(await system.api.ok('POST', '/devices', body));
    ids.set(Key, device_id);
  }
  return ids;
}

/** The statuses by Key, once no device is new any more. */
async function settledStatuses(ids: ReadonlyMap<string, string>): Promise<Record<string, string>> {
  return vi.waitFor(
    async () => {
      const statuses: Record<string, string> = {};
      for (const [key, id] of ids) {
        const device = z
          .looseObject({ Status: z.string(), Retrying: z.boolean(), LastCheckResult: z.string().nullable() })
          .parse(await system.api.ok('GET', `/devices/${id}`));
        if (device.LastCheckResult === null || device.Retrying) throw new Error(`${key} is not settled`);
        statuses[key] = `${device.Status}: ${device.LastCheckResult}`;
      }
      return statuses;
    },
    { timeout: 60_000, interval: 250 },
  );
}

test('a table becomes devices whose checks say what the targets do', { timeout: 120_000 }, async () => {
  const file = path.join(folder, 'list.csv');
  writeFileSync(
    file,
    [
      'Name;Type;Address;Port;Keyword;User;Password;Master;Tags',
      'Front;;%;;Welcome;;;;shop'.replace('%', `${site}/`),
      `Inside;http;${site}/inside;;;mon;geheim;Front;shop,inner`,
      `Wrong;http;${site}/;;Goodbye;;;;`,
      `Service;tcp;127.0.0.1;${target.port};;;;;`,
      'Host;ping;127.0.0.1;;;;;;',
      'Broken;http;no address here;;;;;;',
    ].join('\n'),
  );
  const made = await runImport('csv', file);
  expect([made.told.read, made.file.devices.length, made.told.refused.length]).toEqual([6, 5, 1]);
  const statuses = await settledStatuses(await create(made, 'geheim'));
  expect(statuses['Front']).toMatch(/^Up: 200/);
  expect(statuses['Inside']).toMatch(/^Up: 200/);
  expect(statuses['Wrong']).toMatch(/^Down: /);
  expect(statuses['Service']).toMatch(/^Up: /);
  expect(target.hits.length).toBeGreaterThan(0);
});

test("Uptime Kuma's monitors become devices whose checks say what the targets do", {
  timeout: 120_000,
}, async () => {
  using database = createKumaDatabase(2);
  const monitors = kumaMonitors();
  for (const [at, monitor] of monitors.entries()) database.insert('monitor', { id: at + 1, ...monitor });
  const made = await runImport('uptime-kuma', database.file);
  expect([
    made.told.read,
    made.file.devices.length,
    made.told.refused.length,
    made.told.became.length,
  ]).toEqual([8, 7, 0, 1]);
  const ids = new Map(await create(made, 'geheim'));
  const paused = ids.get('kuma-7');
  ids.delete('kuma-7');
  expect(await system.api.ok('GET', `/devices/${paused}`)).toMatchObject({ Enabled: false });
  // Its job has not called yet.
  const push = ids.get('kuma-8');
  ids.delete('kuma-8');
  expect(await system.api.ok('GET', `/devices/${push}`)).toMatchObject({ Method: 'Push', Status: 'Unknown' });
  const statuses = await settledStatuses(ids);
  expect(Object.entries(statuses).map(([key, status]) => [key, status.split(':')[0]])).toEqual([
    ['kuma-2', 'Up'],
    ['kuma-3', 'Up'],
    ['kuma-4', 'Down'],
    ['kuma-5', 'Up'],
    ['kuma-6', 'Up'],
  ]);
  for (const [at, status] of [1, 1, 1, 1, 3, 1].entries())
    database.insert('heartbeat', {
      monitor_id: at + 2,
      status,
      important: 1,
      msg: '200 - OK',
      time: '2026-01-02 03:04:05.678',
    });
  const { code, told } = await runCompare('uptime-kuma', database.file);
  expect(code).toBe(3);
  expect(told).toMatchObject({
    Agree: 5,
    Disagree: [
      {
        Device: 'Other Json',
        There: 'Up',
        ThereBecause: '200 - OK',
        Here: 'Down',
        HereBecause: '$.state.db is "ok", not "broken"',
      },
      { Device: 'Port', There: 'Maint', Here: 'Up' },
    ],
    OnlyThere: [],
  });
});

test('the API takes each device that the other formats lead to', { timeout: 120_000 }, async () => {
  const place = (name: string, text: string) => {
    const file = path.join(folder, name);
    writeFileSync(file, text);
    return file;
  };
  place('targets-1.json', prometheusJobs.targets);
  const runs: readonly (readonly string[])[] = [
    ['gatus', place('gatus.yaml', gatusConfiguration)],
    [
      'prometheus',
      place('prometheus.yml', prometheusJobs.configuration),
      '--modules',
      place('blackbox.yml', prometheusJobs.modules),
    ],
    ['nagios', place('objects.cfg', nagiosObjects)],
    ['uptimerobot', place('monitors.json', uptimeRobotAnswer)],
    ['icinga2', place('icinga.json', icingaAnswer)],
    ['smokeping', place('smokeping.conf', smokePingConfiguration)],
    ['zabbix', place('zabbix.yaml', zabbixExport)],
  ];
  for (const args of runs) {
    const made = await runImport(...args);
    expect((await create(made, 'a secret value', `${args[0]}/`)).size).toBe(made.file.devices.length);
  }
});
