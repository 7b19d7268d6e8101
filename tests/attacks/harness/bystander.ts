import { type ChildProcess, fork } from 'node:child_process';
import path from 'node:path';
import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';
import { expect, vi } from 'vitest';
import { z } from 'zod';
import type { Api } from '../../harness/api.ts';

/** The measurements of the bystander in a span of time. */
export interface Measured {
  readonly calls: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Failures of calls and of the event stream. */
  readonly errors: readonly string[];
  readonly missingEvents: number;
  /** Unexpected events: a status changed. */
  readonly foreignEvents: readonly string[];
  readonly checks: number;
  readonly badChecks: number;
  /** The greatest delay of a check's start, and of its result. */
  readonly latestMs: number;
  readonly deliveredMs: number;
  /** Whether the agent's last message was recent at every moment. */
  readonly agentHeard: boolean;
}

/** A measured account with ordinary activity. Disposing ends it. */
export interface Bystander extends AsyncDisposable {
  begin(): Promise<void>;
  end(): Promise<Measured>;
}

const targetsSchema = z.object({ kind: z.literal('targets'), ports: z.array(z.int()) });
const runsSchema = z.object({ kind: z.literal('runs') });
const begunSchema = z.object({ kind: z.literal('begun') });
const measuredSchema = z.object({
  kind: z.literal('measured'),
  latenciesMs: z.array(z.number()),
  errors: z.array(z.string()),
  missingEvents: z.int(),
  breaks: z.array(z.string()),
  foreign: z.array(z.string()),
});
const created = z.object({ device_id: z.string() });

/** With Frequency 1 this number makes ten checks a second. */
const devices = 600;
const atOnce = 10;
/** An agent sends a heartbeat every 10 s, and the controller stores this every 4 s. */
const heardWithinMs = 17_000;

/** Starts the bystander's process, creates its devices and waits until each is Up. */
export async function startBystander(account: {
  readonly api: Api;
  readonly baseUrl: string;
  readonly ca: string;
  readonly key: string;
  readonly agentNo: number;
  readonly kysely: Kysely<Tables>;
}): Promise<Bystander> {
  const { api, kysely, agentNo } = account;
  const child = fork(path.join(import.meta.dirname, 'bystander-process.ts'), { stdio: 'inherit' });
  const { ports } = await nextMessage(child, targetsSchema);
  const deviceIds: string[] = [];
  for (let i = 0; i < devices; i += atOnce)
    deviceIds.push(
      ...(await Promise.all(Array.from({ length: atOnce }, (_, j) => addDevice(api, ports, i + j)))),
    );
  await vi.waitFor(async () => expect(await countStatuses(kysely, agentNo)).toEqual({ Up: devices }), {
    timeout: 90_000,
    interval: 500,
  });
  child.send({ kind: 'run', ...pick(account), deviceIds });
  await nextMessage(child, runsSchema);
  let fromUs = 0;
  let heard = true;
  let sampling: NodeJS.Timeout | undefined;
  const sample = async () => {
    heard &&= await isHeard(kysely, agentNo);
  };
  return {
    async begin() {
      const begun = nextMessage(child, begunSchema);
      child.send({ kind: 'begin' });
      await begun;
      fromUs = Date.now() * 1000;
      heard = true;
      sampling = setInterval(() => void sample(), 1_000);
    },
    async end() {
      const toUs = Date.now() * 1000;
      clearInterval(sampling);
      await sample();
      const answer = nextMessage(child, measuredSchema);
      child.send({ kind: 'end' });
      const measured = await answer;
      const checks = await readChecks(kysely, { agentNo, fromUs, toUs });
      return {
        calls: measured.latenciesMs.length,
        p50Ms: quantile(measured.latenciesMs, 0.5),
        p99Ms: quantile(measured.latenciesMs, 0.99),
        errors: [...measured.errors, ...measured.breaks],
        missingEvents: measured.missingEvents,
        foreignEvents: measured.foreign,
        ...checks,
        agentHeard: heard,
      };
    },
    async [Symbol.asyncDispose]() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function pick({ baseUrl, ca, key }: { readonly baseUrl: string; readonly ca: string; readonly key: string }) {
  return { baseUrl, ca, key };
}

async function addDevice(api: Api, ports: readonly number[], i: number): Promise<string> {
  const body = { Method: 'TCP', URL: `127.0.0.1:${ports[i % ports.length]}`, ShortName: `b-${i % 100_000}` };
  return created.parse(await api.ok('POST', '/devices', { ...body, Frequency: 1, Timeout: 5 })).device_id;
}

async function countStatuses(kysely: Kysely<Tables>, agentNo: number): Promise<Record<string, number>> {
  const rows = await kysely
    .selectFrom('assignment_spans as s')
    .innerJoin('device_state as d', 'd.device_no', 's.device_no')
    .select(['d.status', (eb) => eb.fn.countAll<number>().as('n')])
    .where('s.agent_no', '=', agentNo)
    .where('s.to_us', 'is', null)
    .groupBy('d.status')
    .execute();
  return Object.fromEntries(rows.map(({ status, n }) => [status, Number(n)]));
}

/** The bystander's checks of a span; those of its last second may still be in flight. */
async function readChecks(
  kysely: Kysely<Tables>,
  { agentNo, fromUs, toUs }: { readonly agentNo: number; readonly fromUs: number; readonly toUs: number },
): Promise<Pick<Measured, 'checks' | 'badChecks' | 'latestMs' | 'deliveredMs'>> {
  const row = await kysely
    .selectFrom('checks')
    .select([
      sql<number>`count(*)::int`.as('checks'),
      sql<number>`(count(*) filter (where code <> 1))::int`.as('badChecks'),
      sql<number>`coalesce(max(block_ms), 0)::float8`.as('latestMs'),
      sql<number>`coalesce(max(arrived_us - end_us) / 1e3, 0)::float8`.as('deliveredMs'),
    ])
    .where('agent_no', '=', agentNo)
    .where('start_us', '>=', fromUs)
    .where('start_us', '<', toUs)
    .executeTakeFirstOrThrow();
  return row;
}

async function isHeard(kysely: Kysely<Tables>, agentNo: number): Promise<boolean> {
  const row = await kysely
    .selectFrom('agents')
    .select(['state', 'last_seen_us'])
    .where('agent_no', '=', agentNo)
    .executeTakeFirstOrThrow();
  return row.state === 'Connected' && (row.last_seen_us ?? 0) > (Date.now() - heardWithinMs) * 1000;
}

function nextMessage<T>(child: ChildProcess, schema: z.ZodType<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null) => reject(new Error(`the bystander ended (${code})`));
    child.once('exit', onExit);
    child.once('message', (message) => {
      child.off('exit', onExit);
      resolve(schema.parse(message));
    });
  });
}

/** The value that this share of all does not exceed (nearest rank). */
function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}
