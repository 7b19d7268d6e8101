import { dayUs, secondUs } from '@vantage/domain';
import {
  dateAfter,
  type Figures,
  type Moments,
  momentsOf,
  type Outage,
  type ReportSpan,
  reportOf,
  spanAround,
} from '@vantage/domain/report';
import { createFixtures } from '@vantage/testing/fixtures';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { recordEvents } from '../../apps/controller/src/results/events/record-events.ts';
import { createRestHealth } from '../../apps/controller/src/results/status/index.ts';
import { createRestFixture, type RestFixture } from '../../apps/controller/src/testing/rest-fixture.ts';
import { type ReportSource, readCsv, readReport } from '../../apps/dashboard/src/store/read-report.ts';

// Compares a report, read by the page's own code from the real API, with the API's answer for each device alone.

const zone = 'Europe/Berlin';
/** The clocks go forward there on 29 March; the controller's clock stands in September. */
const beginUs = Date.parse('2026-02-10T00:00:00Z') * 1_000;
const days = 220;
const tagNames = ['shop/web', 'shop/pay', 'oslo'] as const;
const deviceCount = 14;

let rest: RestFixture;
let key: string;
let agentNo: number;
const deviceNos: number[] = [];
const ids: string[] = [];
const tags = new Map<string, readonly string[]>();

const uptimeOne = z.object({ Uptime: z.record(z.string(), z.number().nullable()) });

beforeAll(async () => {
  rest = await createRestFixture({
    health: (_, clock) => createRestHealth({ recordEvents, clock }),
  });
  const { accountNo, locationNo } = await rest.account('one', zone);
  ({ key } = await rest.key(accountNo, 'UW'));
  const make = createFixtures(rest.db.kysely);
  ({ agentNo } = await make.agent({ accountNo, locationNo }));
  const createdUs = beginUs + dayUs;
  for (let n = 0; n < deviceCount; n += 1) {
    const values = {
      created_us: createdUs,
      short_name: `d${n}`,
      full_name: n === 0 ? '=1+1, "of" Oslo' : null,
    };
    const deviceNo = await make.device(accountNo, [locationNo], values);
    await make.hold({ deviceNo, locationNo, agentNo, fromUs: beginUs });
    const found = await sql<{
      device_id: string;
    }>`select device_id from devices where device_no = ${deviceNo}`.execute(rest.db.kysely);
    deviceNos.push(deviceNo);
    const id = found.rows[0]?.device_id ?? '';
    ids.push(id);
    tags.set(
      id,
      tagNames.filter((_, at) => (n + 1) & (1 << at)),
    );
  }
});
afterAll(() => rest[Symbol.asyncDispose]());

async function ok(method: string, path: string, body?: object): Promise<unknown> {
  const reply = await rest.send(method, path, body === undefined ? { key } : { key, body });
  expect([path, reply.status, reply.text.slice(0, 300)]).toEqual([path, 200, reply.text.slice(0, 300)]);
  return reply.json;
}

const get = async (path: string, query: object) => {
  const text = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) text.set(name, String(value));
  return rest.send('GET', `${path}?${text.toString()}`, { key });
};
// The types of the OpenAPI document are those of the page; a test of the client compares them with the answers.
const list = async <Row>(path: string, query: object) => {
  const reply = await get(path, query);
  expect([path, reply.status]).toEqual([path, 200]);
  return { rows: reply.json as readonly Row[], hasMore: reply.headers.has('link') };
};
const source: ReportSource = {
  uptime: async (query) =>
    (await list<Awaited<ReturnType<ReportSource['uptime']>>[number]>('/uptime', query)).rows,
  timeline: async (query) =>
    (await list<Awaited<ReturnType<ReportSource['timeline']>>[number]>('/timeline', query)).rows,
  outages: (query) => list<Outage>('/outages', query),
  outagesOf: (id, query) => list<Outage>(`/devices/${id}/outages`, query),
  uptimeCsv: async (query) => (await get('/uptime', { ...query, fmt: 'csv' })).text,
};

const moment = fc.integer({ min: 0, max: days * 86_400 }).chain((second) =>
  // Most changes do not happen at a whole second.
  fc.nat(999_999).map((fraction) => beginUs + second * secondUs + fraction),
);
const lengthUs = fc.oneof(
  fc.integer({ min: 1, max: 3 * secondUs }),
  fc.integer({ min: secondUs, max: 3 * dayUs }),
);
const history = fc.record({
  changes: fc.uniqueArray(fc.tuple(moment, fc.constantFrom('Up', 'Down', 'Down', 'Unknown')), {
    selector: ([at]) => at,
    minLength: 1,
    maxLength: 12,
  }),
  windows: fc.array(fc.tuple(moment, lengthUs), { maxLength: 3 }),
});
type History = typeof history extends fc.Arbitrary<infer Given> ? Given : never;
const gaps = fc.array(fc.tuple(moment, lengthUs), { maxLength: 4 });

const date = fc.integer({ min: 0, max: days }).map((day) => dateAfter('2026-02-10', day));
const span: fc.Arbitrary<ReportSpan> = fc.oneof(
  fc.constant(spanAround('month', '2026-03-01')),
  fc.tuple(fc.constantFrom('month', 'quarter'), date).map(([kind, at]) => spanAround(kind, at)),
  fc
    .tuple(date, fc.integer({ min: 0, max: 40 }))
    .map(([first, more]) => ({ kind: 'days' as const, first, last: dateAfter(first, more) })),
);
const asked = fc.record({
  span,
  chosen: fc.oneof(
    fc.constant('all' as const),
    fc.constantFrom(...tagNames),
    fc.constant('shop' as const),
    fc.nat(deviceCount - 1),
  ),
});

async function write(histories: readonly History[], missing: readonly (readonly [number, number])[]) {
  const { kysely } = rest.db;
  for (const table of ['status_intervals', 'maintenance_windows', 'coverage', 'outage_notes'])
    await sql`delete from ${sql.table(table)}`.execute(kysely);
  for (const [at, { changes, windows }] of histories.entries()) {
    const no = deviceNos[at];
    await sql`insert into status_intervals values (${no}, ${beginUs}, 'Up')`.execute(kysely);
    let last = 'Up';
    for (const [us, status] of [...changes].sort(([a], [b]) => a - b)) {
      if (status === last || us === beginUs) continue;
      last = status;
      await sql`insert into status_intervals values (${no}, ${us}, ${status})`.execute(kysely);
    }
    for (const [us, length] of windows)
      await sql`insert into maintenance_windows (device_no, from_us, to_us) values (${no}, ${us}, ${us + length})`.execute(
        kysely,
      );
  }
  let from = beginUs;
  for (const [us, length] of [...missing].sort(([a], [b]) => a - b)) {
    if (us > from) await sql`insert into coverage values (${agentNo}, ${from}, ${us})`.execute(kysely);
    from = Math.max(from, us + length);
  }
  const nowUs = rest.clock.nowUs();
  if (nowUs > from) await sql`insert into coverage values (${agentNo}, ${from}, ${nowUs})`.execute(kysely);
}

/** Excludes each third outage. */
async function exclude(): Promise<void> {
  const { rows } = await list<Outage>('/outages', { Limit: 100 });
  for (const [at, { outage_id }] of rows.entries())
    if (at % 3 === 0) await ok('PUT', `/outages/${outage_id}`, { Excluded: true, Note: 'not ours' });
}

const idsOf = (chosen: 'all' | 'shop' | (typeof tagNames)[number] | number) =>
  chosen === 'all'
    ? ids
    : typeof chosen === 'number'
      ? [ids[chosen] ?? '']
      : ids.filter((id) => tags.get(id)?.some((tag) => tag === chosen || tag.startsWith(`${chosen}/`)));

const kinds = ['maintenance', 'unknown', 'excluded', 'down'] as const;
const sumOf = (rows: readonly Readonly<Record<string, number | null>>[], name: string) =>
  rows.reduce((sum, row) => sum + (row[name] ?? 0), 0);

test('the figures of a report are those of /uptime, /outages and CSV, for 50 random spans and choices', async () => {
  let reports = 0;
  const seen = { maintenance: 0, unknown: 0, excluded: 0, down: 0 };
  await fc.assert(
    fc.asyncProperty(
      fc.array(history, { minLength: deviceCount, maxLength: deviceCount }),
      gaps,
      fc.array(asked, { minLength: 10, maxLength: 10 }),
      async (histories, missing, asks) => {
        await write(histories, missing);
        await exclude();
        for (const ask of asks) {
          reports += 1;
          const figures = await compare(ask.span, idsOf(ask.chosen), ask.chosen === 'shop' ? 'shop' : '');
          for (const name of kinds) seen[name] += figures?.[name] ?? 0;
        }
      },
    ),
    // Looking for a smaller example would ask for hundreds of reports.
    { numRuns: 5, endOnFailure: true },
  );
  expect(reports).toBeGreaterThanOrEqual(50);
  for (const name of kinds) expect([name, seen[name] > 0]).toEqual([name, true]);
});

/** Compares one report with the API; returns its figures, undefined where it has not begun. */
async function compare(
  span: ReportSpan,
  chosen: readonly string[],
  base: string,
): Promise<Figures | undefined> {
  const whole = momentsOf(span, zone);
  const nowMs = Math.floor(rest.clock.nowUs() / 1_000_000) * 1_000;
  if (whole.from >= nowMs) return undefined;
  const moments = { from: whole.from, to: Math.min(whole.to, nowMs) };
  const data = await readReport(source, chosen, moments);
  const facts = { uptimes: data.uptimes, outages: data.outages, tags, base };
  const report = reportOf({ ...facts, objective: 99_900, restSeconds: 0 });

  // The API is asked in local time of the account, and for each device alone.
  const period = { Timestamp1: `${span.first}T00:00:00`, Timestamp2: `${dateAfter(span.last)}T00:00:00` };
  const alone = new Map<string, Readonly<Record<string, number | null>>>();
  const outages: Outage[] = [];
  for (const id of chosen) {
    alone.set(id, uptimeOne.parse((await get(`/devices/${id}/uptime`, period)).json).Uptime);
    const found = await list<Outage>(`/devices/${id}/outages`, {
      Timestamp1: period.Timestamp1,
      Timestamp2: `${period.Timestamp2}.000`,
      Limit: 100,
    });
    outages.push(...found.rows);
  }
  const shown = [report.total, ...report.groups, ...report.devices];
  for (const { devices, figures } of shown) {
    const rows = devices.map((id) => alone.get(id) ?? {});
    expect(figures).toEqual({
      up: sumOf(rows, 'UpSeconds'),
      down: sumOf(rows, 'DownSeconds'),
      maintenance: sumOf(rows, 'MaintenanceSeconds'),
      unknown: sumOf(rows, 'UnknownSeconds'),
      excluded: sumOf(rows, 'ExcludedSeconds'),
      outages: sumOf(rows, 'Outages'),
      excludedOutages: sumOf(rows, 'ExcludedOutages'),
    });
    const { up, down, maintenance, unknown, excluded } = figures;
    const seconds = (moments.to - moments.from) / 1_000;
    expect(up + down + maintenance + unknown + excluded).toBe(seconds * devices.length);
  }
  for (const { key: id, uptime } of report.devices) {
    const { percent, observed, total } = uptime;
    if (observed === 0) expect(alone.get(id)?.['Percent']).toBe(null);
    if (percent === null) expect(observed).toBeLessThan(Math.max(1, total / 100));
    else expect(percent).toBeCloseTo(alone.get(id)?.['Percent'] ?? -1, 5);
  }

  const idsIn = (rows: readonly Outage[]) => rows.map(({ outage_id }) => outage_id).sort();
  expect(idsIn(report.outages)).toEqual(idsIn(outages.filter(({ Excluded }) => !Excluded)));
  // An outage of which every second in the span is Unknown or in maintenance is listed and not counted.
  expect(report.total.figures.outages).toBeLessThanOrEqual(report.outages.length);
  expect(idsIn(report.excluded)).toEqual(idsIn(outages.filter(({ Excluded }) => Excluded)));

  await compareCsv(chosen, moments, alone);
  return report.total.figures;
}

/** Compares each row of the CSV with what the API says of its device alone. */
async function compareCsv(
  chosen: readonly string[],
  moments: Moments,
  alone: ReadonlyMap<string, Readonly<Record<string, number | null>>>,
): Promise<void> {
  const csv = (await readCsv(source, chosen, moments)).trimEnd().split('\r\n');
  expect(csv.length).toBe(chosen.length + 1);
  const header = csv[0]?.split(',') ?? [];
  for (const line of csv.slice(1)) {
    // Names come first, so figures are counted from the end.
    const cells = line.split(',').slice(-8);
    const names = header.slice(-8).map((name) => name.replace('Uptime.', ''));
    const row = Object.fromEntries(cells.map((cell, at) => [names[at], cell === '' ? null : Number(cell)]));
    expect(row).toEqual(alone.get(line.slice(0, 48)));
  }
}
