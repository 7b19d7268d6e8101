// The one table of the benchmark: an earlier version, this one, a peer, the goal and the limit of each figure. It
// measures nothing, but reads the figures that the parts wrote. Usage: node tests/bench/table.ts FILE (the file that
// VANTAGE_BENCH_FIGURES named)
import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { type Figure, printColumns, shownNumber } from './figures.ts';

const number = z.number().nullish();
const lineSchema = z.object({
  title: z.string(),
  figures: z.array(
    z.object({
      what: z.string(),
      ours: number,
      before: number,
      peer: z.string(),
      theirs: z.union([z.number(), z.string()]).nullish(),
    }),
  ),
});

/** The position of a figure: the part's title, the figure's name and its peer. */
interface Place {
  readonly title: RegExp;
  readonly what: RegExp;
  readonly peer?: RegExp;
}

/** A line of the table. */
interface Row extends Place {
  readonly name: string;
  readonly unit: string;
  readonly goal: number;
  /** The figure of the earlier version outside this run, where no part measured it. */
  readonly committed?: number;
  /** The figure of a bare primitive, below which no program comes here. */
  readonly limit?: Place | string;
}

const times = /^Errors of times/;
const costs = /^CPU of the whole agent/;
const memory = /^Memory of the whole agent \(RSS\)/;
const ingest = /^Taking results/;
const exporter = /blackbox/;
const idle: Place = { title: memory, what: /idle/ };
const primitive = (method: string): Place => ({
  title: /^What a check costs/,
  what: new RegExp(`^${method}$`),
  peer: /^(?!blackbox)/,
});
const cpu = (method: string, goal: number): Row => ({
  name: `agent, 1,000 ${method} checks`,
  unit: 'ms CPU',
  goal,
  title: costs,
  what: new RegExp(`^${method} `),
  peer: exporter,
  limit: primitive(method),
});

const rows: readonly Row[] = [
  {
    name: 'ConnectTime, error p50 at 1,000/s',
    unit: 'ms',
    goal: 0.03,
    title: times,
    what: /^ConnectTime of TCP, p50 at 1000/,
    limit: '0.001: TCP_INFO counts microseconds',
  },
  {
    name: 'ConnectTime, error p99 at 1,000/s',
    unit: 'ms',
    goal: 0.1,
    title: times,
    what: /^ConnectTime of TCP, p99 at 1000/,
    limit: '0.001: TCP_INFO counts microseconds',
  },
  {
    name: 'TTFB of HTTP, error p99 at 1,000/s',
    unit: 'ms',
    goal: 1,
    title: times,
    what: /^TTFB of HTTP, p99 at 1000/,
    limit: 'the event loop, as the peer',
  },
  {
    name: 'agent, 100 devices',
    unit: 'MiB RSS',
    goal: 90,
    title: memory,
    what: /^100 devices/,
    peer: exporter,
    limit: idle,
  },
  {
    name: 'agent, 10,000 devices',
    unit: 'MiB RSS',
    goal: 130,
    title: memory,
    what: /^10,000 devices/,
    peer: exporter,
    limit: idle,
  },
  cpu('TCP', 120),
  cpu('HTTP', 200),
  cpu('DNS', 60),
  cpu('PING', 80),
  {
    name: 'ingest',
    unit: 'results/s',
    goal: 60_000,
    title: ingest,
    what: /^ingest$/,
    peer: /unnest/,
    committed: 18_700,
    limit: { title: ingest, what: /^ingest$/, peer: /COPY/ },
  },
  {
    name: 'a fresh TCP check, with index',
    unit: 'bytes',
    goal: 120,
    title: ingest,
    what: /^a stored TCP check/,
    committed: 243,
  },
  {
    name: 'a fresh HTTP check, with index',
    unit: 'bytes',
    goal: 120,
    title: ingest,
    what: /^a stored HTTP check/,
    committed: 301,
  },
  {
    name: 'a packed check',
    unit: 'bytes',
    goal: 20,
    title: /packed$/,
    what: /^a check on disk/,
    peer: /as rows/,
  },
];

const [, , file = process.env['VANTAGE_BENCH_FIGURES'] ?? ''] = process.argv;
const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
const measured = lines.flatMap((line) => {
  const { title, figures } = lineSchema.parse(JSON.parse(line));
  return figures.map((figure) => ({ title, ...figure }));
});

function find({ title, what, peer }: Place) {
  return measured.find(
    (each) => title.test(each.title) && what.test(each.what) && (peer?.test(each.peer) ?? true),
  );
}

const shown = (value: Figure['theirs'] | null | undefined) =>
  typeof value === 'number' ? shownNumber(value) : (value ?? '-');

function limitOf({ limit = '-' }: Row): string {
  if (typeof limit === 'string') return limit;
  const found = find(limit);
  return typeof found?.theirs === 'number' ? `${shown(found.theirs)}: ${found.peer}` : '-';
}

printColumns('Before, after, peer, goal and limit (* the earlier version measured outside this run)', [
  ['figure', 'unit', 'before', 'after', 'peer', 'goal', 'limit'],
  ...rows.map((row) => {
    const found = find(row);
    const before = found?.before ?? (row.committed === undefined ? undefined : `${shown(row.committed)} *`);
    const peer = typeof found?.theirs === 'number' ? `${shown(found.theirs)}: ${found.peer}` : '-';
    return [row.name, row.unit, shown(before), shown(found?.ours), peer, shown(row.goal), limitOf(row)];
  }),
]);
