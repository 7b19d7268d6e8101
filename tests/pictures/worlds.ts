import { setTimeout as delay } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { z } from 'zod';
import { operate } from '../harness/more-agents.ts';
import type { System } from '../harness/system.ts';
import { startTarget } from '../harness/target.ts';

const created = z.object({ device_id: z.string() });

/** Devices of a system: the first one is Down, the second one has names and texts as long as the API takes them. */
export interface Made extends AsyncDisposable {
  readonly devices: readonly string[];
  /** Adds a Location without an agent, and a device that only it can check. */
  readonly loseLocation: () => Promise<void>;
}

const longText = 'A name that goes on and on, and says where in the cellar it stands. '
  .repeat(16)
  .slice(0, 1_000);
const names = [
  'Router of the office',
  longText,
  'نظام المراقبة في القبو',
  'נתב ראשי',
  'Switch <b>7</b> & "8"',
  'mail.example.org',
  'Web shop',
  'Database',
  'DNS',
  'Printer',
  'Camera at the gate',
  'NAS',
  'VPN',
  'Wiki',
  'Build server',
  'Phone system',
  'Access point 1',
  'Access point 2',
  'Access point 3',
  'UPS',
];
const tags = ['berlin/rack-1', 'berlin/rack-2', 'oslo/cellar', 'service/web'];

/** 20 devices: one is Down with three behind it, one alone, one is in maintenance, one is paused. */
export async function makeTwenty(system: System): Promise<Made> {
  const [well, ill] = [await startTarget(), await startTarget()];
  const devices: string[] = [];
  for (const Name of tags) await system.api.ok('POST', '/tags', { Name });
  for (const [at, FullName] of names.entries()) {
    const isBehind = at >= 16 && at <= 18;
    const body = {
      Method: 'TCP',
      ShortName: `d-${at}`,
      FullName,
      Frequency: 1,
      Attempts: 1,
      URL: `127.0.0.1:${at === 0 || at === 1 || isBehind ? ill.port : well.port}`,
      Tags: [tags[at % tags.length]],
      ...(isBehind ? { device_master_id: devices[0] } : {}),
    };
    const { device_id } = created.parse(await system.api.ok('POST', '/devices', body));
    devices.push(device_id);
  }
  await delay(8_000);
  await ill.stop();
  await system.api.ok('PUT', `/devices/${devices[7]}/start-maintenance`, { Duration: '02:00' });
  await system.api.ok('PUT', `/devices/${devices[9]}`, { Enabled: false });
  await delay(8_000);
  return {
    devices,
    async loseLocation() {
      operate(system, 'locations', 'create', 'Oslo');
      const body = { Method: 'TCP', URL: '192.0.2.1:9', ShortName: 'oslo-1', FullName: 'Switch in Oslo' };
      await system.api.ok('POST', '/devices', { ...body, Locations: ['Oslo'] });
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([well[Symbol.asyncDispose](), ill[Symbol.asyncDispose]()]);
    },
  };
}

const rows = 5_000;

/** Answers the states of a page with 5,000 devices. */
export async function manyStates(
  page: Page,
  statusOf: (at: number) => 'Up' | 'Down',
  since = '2026-02-25T23:38:03+01:00',
): Promise<void> {
  const row = (at: number) => {
    const Status = statusOf(at);
    return {
      device_id: at.toString(16).padStart(48, '0'),
      ShortName: `sw-${at}`,
      Method: 'PING',
      Status,
      FullName: `Switch ${at} of rack ${at % 40}`,
      StatusSince: since,
      Enabled: true,
      Retrying: false,
      Severity: 'critical',
      MaintenanceUntil: null,
      DownBecause: null,
      Locations: [{ Name: 'local' }],
      Tags: [{ tag_id: '0'.repeat(48), Name: `site-${at % 12}/rack-${at % 40}` }],
      LastCheck: { Timestamp: since, RequestTime: 1 + (at % 300), ResultCode: Status === 'Up' ? 1 : 100 },
      Day:
        Status === 'Up' ? `${'U'.repeat(50)}${at % 97 === 0 ? 'D' : 'U'}${'U'.repeat(21)}` : 'D'.repeat(72),
    };
  };
  const all = Array.from({ length: rows }, (_, at) => row(at));
  await page.route(/\/v1\.1\/states/, (route) => {
    const { searchParams } = new URL(route.request().url());
    const after = searchParams.get('After');
    const from = after === null ? 0 : Number.parseInt(after, 16) + 1;
    const json = searchParams.has('ChangedSince') ? [] : all.slice(from, from + 1_000);
    const more = from + 1_000 < rows && json.length > 0 ? { Link: '</states>; rel="next"' } : {};
    return route.fulfill({ json, headers: { 'Vantage-Revision': 'r-1', ...more } });
  });
  // The system has none of these devices.
  await page.route(/\/v1\.1\/uptime/, (route) => {
    const ids = new URL(route.request().url()).searchParams.get('Device')?.split(',') ?? [];
    return route.fulfill({ json: ids.map((device_id) => ({ device_id, Uptime: { Outages: 1 } })) });
  });
}
