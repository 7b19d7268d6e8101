import { z } from 'zod';
import { printColumns, shownNumber } from '../figures.ts';
import { type Judgement, judge, type Series } from './judge.ts';
import { seriesOf } from './rules.ts';
import { type Sample, sampleSchema } from './sample.ts';

const moment = z.object({ atMs: z.number(), text: z.string() });

/** Facts at the end of a run. */
const endSchema = z.object({
  minutes: z.number(),
  devices: z.number(),
  /** Partitions of check_rows that there must be. */
  partitions: z.number(),
  intervalMs: z.number(),
  restarts: z.array(
    z.object({ part: z.enum(['agent', 'controller']), fromMs: z.number(), toMs: z.number() }),
  ),
  checks: z.object({
    due: z.number(),
    stored: z.number(),
    again: z.number(),
    missingMs: z.array(z.number()),
    /** Checks that the agents left out and said so. */
    skipped: z.number(),
    /** Results in data gaps, and in quarantine. */
    lost: z.number(),
    quarantined: z.number(),
    reasons: z.array(z.string()),
  }),
  requests: z.number(),
  failures: z.array(moment),
  webhooks: z.object({
    received: z.number(),
    repeated: z.number(),
    faults: z.array(z.string()),
    waiting: z.number(),
  }),
});

export type SoakEnd = z.infer<typeof endSchema>;

/** Requests may fail for this time after a controller was killed. */
const graceMs = 15_000;

/** The series that have one value, at the end of the run. */
function endSeries(end: SoakEnd): readonly Series[] {
  const { checks, restarts, webhooks } = end;
  const within = (atMs: number, part: 'agent' | 'controller') =>
    restarts.some((each) => each.part === part && atMs >= each.fromMs && atMs < each.toMs + graceMs);
  const apart = checks.missingMs.filter((atMs) => !within(atMs, 'agent')).length;
  const agentMs = restarts
    .filter(({ part }) => part === 'agent')
    .reduce((sum, { fromMs, toMs }) => sum + toMs + graceMs - fromMs, 0);
  const failures = end.failures.filter(({ atMs }) => !within(atMs, 'controller')).length;
  const one = (name: string, value: number, most: number, reason: string): Series => ({
    name,
    unit: '',
    points: [{ at: 0, value }],
    rule: { kind: 'level', most, reason },
  });
  return [
    one(
      `of ${checks.due} due checks not stored`,
      apart,
      checks.skipped,
      `${checks.skipped} were skipped, and said so`,
    ),
    one(
      '  while the agent was started again',
      checks.missingMs.length - apart,
      Math.ceil((agentMs / end.intervalMs) * end.devices),
      'its devices meanwhile',
    ),
    one('due times with two checks', checks.again, end.devices, 'devices go from one agent to the other'),
    one('results in data gaps', checks.lost, 0, 'nothing is lost'),
    one('results in quarantine', checks.quarantined, 0, checks.reasons.join(', ') || 'all are valid'),
    one(`of ${end.requests} requests failed`, failures, 0, 'none but while the controller was started again'),
    one(
      `of ${webhooks.received} webhooks bad or repeated`,
      webhooks.faults.length + webhooks.repeated,
      restarts.length,
      'one may be sent again after a restart',
    ),
    one('notifications that wait', webhooks.waiting, 100, 'those of the last seconds'),
  ];
}

/** Reads the lines that a run wrote: samples, and the end. */
export function readRun(text: string): { readonly samples: readonly Sample[]; readonly end: SoakEnd } {
  const lines = text.trim().split('\n');
  return {
    samples: lines.slice(0, -1).map((line) => sampleSchema.parse(JSON.parse(line))),
    end: endSchema.parse(JSON.parse(lines.at(-1) ?? '')),
  };
}

/** Judges a run after a warm-up of a quarter. */
export function judgeRun(samples: readonly Sample[], end: SoakEnd): readonly Judgement[] {
  const warmUpHours = end.minutes / 60 / 4;
  return [
    ...endSeries(end).map((series) => judge(series, 0)),
    ...seriesOf(samples, warmUpHours, end.partitions).map((series) => judge(series, warmUpHours)),
  ];
}

/** Prints the judged figures as a table and as a line of JSON. Names those that break their rule; true: none. */
export function printRun(judged: readonly Judgement[], end: SoakEnd): boolean {
  const cell = (value: number) => (Number.isNaN(value) ? '-' : signed(value));
  printColumns(`${end.minutes} minutes with ${end.devices} devices, after a quarter of it`, [
    ['figure', 'from', 'to', 'unit', 'an hour', '±', 'bound', ''],
    ...judged
      .filter(isShown)
      .map(({ name, from, to, unit, perHour, error, bound, verdict }) => [
        name,
        cell(from),
        cell(to),
        unit,
        cell(perHour),
        cell(error),
        bound,
        verdict,
      ]),
  ]);
  process.stdout.write(`${JSON.stringify({ title: 'soak', figures: judged })}\n`);
  const broken = judged.filter(({ verdict }) => verdict !== 'holds');
  const unknown = broken.filter(({ verdict }) => verdict === 'too few values').length;
  if (unknown > 0) process.stdout.write(`too few values: ${unknown} figures\n`);
  for (const { name, verdict, bound } of broken)
    if (verdict !== 'too few values') process.stdout.write(`${name}: ${verdict}, ${bound}\n`);
  return broken.length === 0;
}

/** A table or index that stays as it is has no line; the JSON has all. */
function isShown({ verdict, unit, from, to, perHour }: Judgement): boolean {
  return verdict !== 'holds' || unit === '' || from !== to || Math.abs(perHour) > 0.001;
}

function signed(value: number): string {
  return value < 0 ? `-${shownNumber(-value)}` : value === 0 ? '0' : shownNumber(value);
}
