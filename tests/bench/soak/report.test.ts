import { expect, test } from 'vitest';
import { judgeRun, readRun, type SoakEnd } from './report.ts';
import type { Sample, TableSample } from './sample.ts';

const mib = 1024 * 1024;
const end: SoakEnd = {
  minutes: 60,
  devices: 1_000,
  partitions: 39,
  intervalMs: 6_000,
  restarts: [
    { part: 'agent', fromMs: 1_000_000, toMs: 1_003_000 },
    { part: 'controller', fromMs: 2_000_000, toMs: 2_003_000 },
  ],
  checks: {
    due: 600_000,
    stored: 600_000,
    again: 0,
    missingMs: [],
    skipped: 0,
    lost: 0,
    quarantined: 0,
    reasons: [],
  },
  requests: 5_000,
  failures: [],
  webhooks: { received: 900, repeated: 0, faults: [], waiting: 0 },
};

const table = (name: string, values: Partial<TableSample>): TableSample => ({
  table: name,
  heapBytes: mib,
  toastBytes: 0,
  liveRows: 1_000,
  liveBytes: mib / 2,
  deadRows: 0,
  freeBytes: 0,
  changedRows: 0,
  hotChanges: 0,
  vacuums: 0,
  ...values,
});

/** A minute of a system that has no fault: 10,000 checks a minute, of 100 bytes in the table and 28 in its index. */
function sound(minute: number): Sample {
  const rows = 10_000 * minute;
  const program = { life: 1, rssMib: 150, descriptors: 40, heapMib: 60 };
  return {
    at: minute / 60,
    processes: { controller: { ...program, life: minute < 25 ? 1 : 2 }, agent: program },
    postgres: { processes: 20, pssMib: 200, ownMib: 50, sharedMib: 120, descriptors: 400 },
    tables: [
      table('check_rows', { heapBytes: rows * 110, liveRows: rows, liveBytes: rows * 100 }),
      table('device_state', { changedRows: rows, hotChanges: rows, deadRows: 500 }),
    ],
    indexes: [
      { index: 'check_rows_by_start', table: 'check_rows', bytes: rows * 30, density: 0.9 },
      { index: 'device_state_pkey', table: 'device_state', bytes: 40_960, density: 0.7 },
    ],
    partitions: 38,
    walBytes: rows * 900,
    walKeptBytes: 100 * mib,
    temporaryBytes: 0,
    oldestSnapshot: 12,
    outbox: { files: 2, bytes: 4_000, records: 100 },
    logBytes: 10_000,
    latenessMs: { p50: 1, p99: 9 },
    webhooks: minute * 15,
    events: minute * 100,
    streamed: 300,
  };
}

const minutes = Array.from({ length: 60 }, (_, at) => at + 1);
const broken = (samples: readonly Sample[], of = end) =>
  judgeRun(samples, of)
    .filter(({ verdict }) => verdict !== 'holds')
    .map(({ name, verdict }) => `${name}: ${verdict}`);
/** Names what is wrong when each minute differs from a sound one. */
const brokenBy = (change: (sample: Sample, minute: number) => Partial<Sample>) =>
  broken(
    minutes.map((minute) => {
      const sample = sound(minute);
      return { ...sample, ...change(sample, minute) };
    }),
  );
const changedTable = (name: string, values: (minute: number) => Partial<TableSample>) =>
  brokenBy(({ tables }, minute) => ({
    tables: tables.map((each) => (each.table === name ? { ...each, ...values(minute) } : each)),
  }));

test('nothing is wrong with a system whose growth has its reasons', () => {
  expect(brokenBy(() => ({}))).toEqual([]);
});

test.each<[string, string[], () => string[]]>([
  [
    'the heap of a program',
    ['controller: heap: grows'],
    () =>
      brokenBy(({ processes }, minute) => ({
        processes: Object.fromEntries(
          Object.entries(processes).map(([name, each]) => [
            name,
            name === 'controller' ? { ...each, heapMib: 60 + minute / 4 } : each,
          ]),
        ),
      })),
  ],
  [
    'the descriptors of a program',
    ['agent: descriptors: grows'],
    () =>
      brokenBy(({ processes }, minute) => ({
        processes: Object.fromEntries(
          Object.entries(processes).map(([name, each]) => [
            name,
            name === 'agent' ? { ...each, descriptors: 40 + minute } : each,
          ]),
        ),
      })),
  ],
  [
    "memory of PostgreSQL's backends",
    ['PostgreSQL: memory of its own: grows'],
    () => brokenBy(({ postgres }, minute) => ({ postgres: { ...postgres, ownMib: 50 + minute } })),
  ],
  [
    'a table without new rows',
    ['device_state: grows'],
    () => changedTable('device_state', (minute) => ({ heapBytes: mib + minute * 60_000 })),
  ],
  [
    'dead rows that nobody removes',
    ['check_rows: dead rows: too much'],
    () => changedTable('check_rows', (minute) => ({ deadRows: minute * 9_000 })),
  ],
  [
    'long values without rows',
    ['device_state: long values: grows'],
    () => changedTable('device_state', (minute) => ({ toastBytes: minute * 60_000 })),
  ],
  [
    'an index of a table without new rows',
    ['device_state_pkey: grows'],
    () =>
      brokenBy(({ indexes }, minute) => ({
        indexes: indexes.map((each) =>
          each.index === 'device_state_pkey' ? { ...each, bytes: minute * 60_000 } : each,
        ),
      })),
  ],
  ['partitions', ['partitions of check_rows: too much'], () => brokenBy(() => ({ partitions: 41 }))],
  [
    'WAL of a check',
    ['WAL written: grows'],
    () => brokenBy((_, minute) => ({ walBytes: minute * 10_000 * 9_000 })),
  ],
  ['WAL that is kept', ['WAL kept: too much'], () => brokenBy(() => ({ walKeptBytes: 2_000 * mib }))],
  [
    'files of the outbox',
    ['outbox files: too much'],
    () => brokenBy(({ outbox }, minute) => ({ outbox: { ...outbox, files: minute * 30 } })),
  ],
  [
    'an outbox that is not sent',
    ['outbox records: too much'],
    () => brokenBy(({ outbox }, minute) => ({ outbox: { ...outbox, records: minute * 100 } })),
  ],
])('%s is named', (_, names, run) => {
  expect(run()).toEqual(names);
});

test('the backends of a controller that starts again are new ones', () => {
  const names = brokenBy(({ postgres }, minute) => ({
    postgres: { ...postgres, ownMib: minute < 25 ? 50 : 90, descriptors: minute < 25 ? 400 : 900 },
  }));
  expect(names).toEqual([]);
});

test('due checks may be missing while the agent is started again, and where agents said so', () => {
  const run = (checks: Partial<SoakEnd['checks']>) =>
    broken(minutes.map(sound), { ...end, checks: { ...end.checks, ...checks } });
  expect(run({ missingMs: Array.from({ length: 500 }, (_, at) => 1_000_000 + at) })).toEqual([]);
  expect(run({ missingMs: [3_000_000, 3_000_001], skipped: 2 })).toEqual([]);
  expect(run({ missingMs: [3_000_000, 3_000_001], skipped: 1 })).toEqual([
    'of 600000 due checks not stored: too much',
  ]);
  expect(run({ missingMs: [2_000_000] })).toEqual(['of 600000 due checks not stored: too much']);
  expect(run({ lost: 1 })).toEqual(['results in data gaps: too much']);
});

test('requests may fail while the controller is started again', () => {
  const run = (atMs: number) =>
    broken(minutes.map(sound), { ...end, failures: [{ atMs, text: 'ECONNREFUSED' }] });
  expect(run(2_001_000)).toEqual([]);
  expect(run(1_001_000)).toEqual(['of 5000 requests failed: too much']);
});

test('a run is read from its lines as it was', () => {
  const samples = minutes.map(sound);
  const text = [...samples, end].map((each) => `${JSON.stringify(each)}\n`).join('');
  expect(readRun(text)).toEqual({ samples, end });
});
