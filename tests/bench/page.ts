// The page with 5,000 devices and 20 events a second on the whole system: Chromium's own figures of one page, its
// memory over time, and CPU and lateness of checks without and with 200 open pages. Usage: node tests/bench/page.ts
// [devices] [pages] [minutes of memory] [figures|pages|memory]
import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Page } from 'playwright-core';
import { z } from 'zod';
import { signInByForm, startBrowser } from '../browser/browser.ts';
import { openWindow } from '../browser/windows.ts';
import { runVantage } from '../harness/run-vantage.ts';
import { startSystem } from '../harness/system.ts';
import { bounded, type Figure, printFigures, quantile } from './figures.ts';
import {
  measureFrames,
  measureLoad,
  measureTimeline,
  measureTyping,
  memoryOf,
  slopeOf,
} from './page-figures.ts';
import { postgresPids, usage } from './processes.ts';

const devices = Number(process.argv[2] ?? 5_000);
const pages = Number(process.argv[3] ?? 200);
const minutes = Number(process.argv[4] ?? 10);
const only = process.argv[5];
/** Each of them changes its status once a minute: 20 events a second. */
const swinging = Math.min(1_200, devices);
const forS = 60;

const beforePids = new Set(postgresPids());
await using resources = new AsyncDisposableStack();
const system = resources.use(await startSystem({ timeoutMs: 300_000 }));
const quickstart = system.quickstart();
const targetProcess = fork(path.join(import.meta.dirname, 'swinging-target.ts'));
resources.defer(() => targetProcess.disconnect());
const [port] = await once(targetProcess, 'message');
const database = new pg.Client({ connectionString: quickstart.database_url });
database.on('error', () => {}); // it ends before its client when the run is interrupted
await database.connect();
resources.defer(() => database.end());

async function makeDevices(): Promise<void> {
  const bodyOf = (n: number) => ({
    Method: 'HTTP',
    ShortName: `d${n}`,
    FullName: `device ${n} of the cellar`,
    Timeout: 5,
    ...(n < swinging
      ? { URL: `http://127.0.0.1:${port}/swing/${n}`, Frequency: 1, Attempts: 1 }
      : { URL: `http://127.0.0.1:${port}/${n}`, Frequency: 60 }),
  });
  for (let from = 0; from < devices; from += 500)
    await system.api.ok('POST', '/batch', {
      Operations: Array.from({ length: Math.min(500, devices - from) }, (_, n) => ({
        Method: 'POST',
        Path: '/devices',
        Body: bodyOf(from + n),
      })),
    });
  process.stdout.write(`${devices} devices after ${(performance.now() / 1_000).toFixed(0)} s\n`);
  // The first checks of all of them come at once.
  await delay(45_000);
}

/** Gives a device 90 days with four changes a day. Resolves with its id. */
async function makeHistory(): Promise<string> {
  const { rows } = await database.query(
    'select device_no, device_id from devices order by device_no desc limit 1',
  );
  const device = z.object({ device_no: z.number(), device_id: z.string() }).parse(rows[0]);
  const fromUs = Date.now() * 1_000 - 91 * 86_400e6;
  await database.query('update devices set created_us = $2 where device_no = $1', [device.device_no, fromUs]);
  await database.query(
    `insert into status_intervals (device_no, from_us, status)
     select $1, $2::bigint + i * 21600000000, case when i % 2 = 0 then 'Up' else 'Down' end from generate_series(0, 359) i`,
    [device.device_no, fromUs],
  );
  await database.query('update coverage set from_us = $1', [fromUs]);
  await database.query('update assignment_spans set from_us = $2 where device_no = $1', [
    device.device_no,
    fromUs,
  ]);
  return device.device_id;
}

async function measurePage(page: Page): Promise<readonly Figure[]> {
  const load = await measureLoad(page, `${quickstart.dashboard_url}devices`);
  await page.getByText('Live').waitFor();
  await page.waitForTimeout(2_000);
  process.stdout.write(`listed after ${load.listedMs.toFixed(0)} ms\n`);
  const typed = await measureTyping(page, 'device 4711 of the');
  const idle = await measureFrames(page, false);
  const scrolled = await measureFrames(page, true);
  await page.goto(`${quickstart.dashboard_url}devices/${await makeHistory()}`);
  await page.getByRole('button', { name: '90 days' }).waitFor();
  await page.waitForTimeout(2_000);
  const quarterMs = await measureTimeline(page, '90 days', 100);
  const perSecond = (frames: readonly number[]) =>
    1_000 / (frames.reduce((sum, ms) => sum + ms, 0) / frames.length);
  return [
    bounded('first paint', 'ms', load.paintMs, 1_000),
    bounded(`${devices} devices listed`, 'ms', load.listedMs, 1_000),
    bounded('  requests for them', '', load.requests, 6),
    bounded('  layout shift', '', load.shift, 0.001),
    bounded('a letter in the search until its picture, p50', 'ms', quantile(typed, 0.5), 50),
    bounded('  the slowest', 'ms', Math.max(...typed), 50),
    {
      what: 'pictures a second while the list scrolls',
      unit: '',
      ours: perSecond(scrolled),
      peer: 'of a page that does nothing',
      theirs: perSecond(idle),
      better: 'more',
    },
    bounded('  between two, p99', 'ms', quantile(scrolled, 0.99), quantile(idle, 0.99)),
    bounded('90 days of a device', 'ms', quarterMs, 300),
  ];
}

async function openPage(): Promise<Page> {
  const browser = await startBrowser();
  resources.defer(() => browser.close());
  const page = await openWindow(browser, []);
  await signInByForm(page, quickstart.dashboard_url, quickstart.api_key_uw);
  return page;
}

async function measureMemory(page: Page): Promise<readonly Figure[]> {
  await page.goto(`${quickstart.dashboard_url}devices`);
  await page.getByText('Live').waitFor();
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  const kept: number[] = [];
  for (let minute = 0; minute <= minutes; minute += 1) {
    await delay(60_000);
    const { kb, nodes } = await memoryOf(session);
    kept.push(kb);
    process.stdout.write(`minute ${minute + 1}: ${kb.toFixed(0)} kB, ${nodes} nodes\n`);
  }
  const late = kept.slice(Math.floor(kept.length / 3));
  return [
    bounded(`memory of a page after ${minutes} minutes`, 'kB', kept.at(-1) ?? Number.NaN, 100_000),
    bounded('  growth in its last two thirds', 'kB/min', slopeOf(late), (kept[0] ?? 0) / 1_000),
  ];
}

/** A key follows 16 streams at most. */
const pagesOfKey = 16;

/** Issues keys that may read. */
async function makeKeys(count: number): Promise<readonly string[]> {
  const keys: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const { stdout } = await runVantage(
      ['keys', 'issue', '--level', 'UR', '--name', `person ${n}`, '--json'],
      { env: { VANTAGE_DATA: system.dataDir } },
    );
    keys.push(z.object({ key: z.string() }).parse(JSON.parse(stdout)).key);
  }
  return keys;
}

const counted = z.object({ events: z.number(), requests: z.number(), failures: z.number() });

/** CPU of the controller and PostgreSQL (percent of a core), lateness of checks, and events, with open pages. */
async function measureLoadOf(open: number) {
  const client = fork(
    path.join(import.meta.dirname, 'open-pages.ts'),
    [quickstart.base_url, (await makeKeys(Math.ceil(open / pagesOfKey))).join(','), String(open)],
    { env: { ...process.env, NODE_EXTRA_CA_CERTS: quickstart.ca_file } },
  );
  await once(client, 'message');
  await delay(10_000);
  const count = async () => {
    client.send('count');
    const [message] = await once(client, 'message');
    return counted.parse(message);
  };
  await count();
  const cpu = () => ({
    controller: usage(quickstart.pids.controller).cpuS,
    postgres: postgresPids()
      .filter((pid) => !beforePids.has(pid))
      .reduce((sum, pid) => sum + usage(pid).cpuS, 0),
  });
  const [from, fromUs] = [cpu(), Date.now() * 1_000];
  await delay(forS * 1_000);
  const to = cpu();
  const done = await count();
  client.disconnect();
  await delay(5_000);
  const { rows } = await database.query(
    `select count(*)::int as checks, percentile_cont(0.99) within group (order by block_ms) as p99
     from checks where start_us >= $1 and start_us < $1 + ${forS}::bigint * 1000000 and attempt = 0`,
    [fromUs],
  );
  const lateness = z.object({ checks: z.number(), p99: z.number() }).parse(rows[0]);
  const events = await database.query(
    'select count(*)::int as n from events where at_us >= $1 and at_us < $1 + $2::bigint * 1000000',
    [fromUs, forS],
  );
  const share = (name: 'controller' | 'postgres') => ((to[name] - from[name]) / forS) * 100;
  return {
    controller: share('controller'),
    postgres: share('postgres'),
    ...lateness,
    events: z.object({ n: z.number() }).parse(events.rows[0]).n / forS,
    requests: done.requests / forS,
    streamed: done.events / forS / Math.max(1, open),
    failures: done.failures,
  };
}

async function measurePages(): Promise<readonly Figure[]> {
  const none = await measureLoadOf(0);
  const many = await measureLoadOf(pages);
  const beside = (what: string, unit: string, of: (each: typeof none) => number): Figure => ({
    what: `${what}, ${pages} pages`,
    unit,
    ours: of(many),
    peer: 'no page',
    theirs: of(none),
    better: 'less',
  });
  return [
    beside('CPU of the controller', '% of a core', (each) => each.controller),
    beside('CPU of PostgreSQL', '% of a core', (each) => each.postgres),
    beside('lateness of checks, p99', 'ms', (each) => each.p99),
    { ...beside('checks in a minute', '', (each) => each.checks), better: 'more' },
    { ...beside('events a second', '', (each) => each.events), better: 'more' },
    {
      what: 'events a second that each page got',
      unit: '',
      ours: many.streamed,
      peer: 'events a second',
      theirs: many.events,
      better: 'more',
    },
    bounded('requests that failed', '', many.failures, 0),
    bounded('requests a second', '', many.requests, pages),
  ];
}

await makeDevices();
if (only === undefined || only === 'figures')
  printFigures('The page in Chromium', await measurePage(await openPage()));
if (only === undefined || only === 'pages') printFigures('Many open pages', await measurePages());
if (only === undefined || only === 'memory')
  printFigures('A page that stays open', await measureMemory(await openPage()));
