// Results a second of one, two and four controllers on one PostgreSQL. Each controller may use a small share of a core
// (a control group limits it), so that neither PostgreSQL nor the senders are the bound. With two controllers one is
// killed at last: its agents go to the other one with what was not acknowledged, and each result is stored once.
// Usage: node tests/bench/controllers.ts [share of a core] [seconds for each number]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock as clock } from '@vantage/kernel';
import { createDb, createPartitions } from '@vantage/storage';
import { createFixtures } from '@vantage/testing/fixtures';
import { sql } from 'kysely';
import { connectAgent } from '../../apps/controller/src/agents/gateway/testing/agent-stream.ts';
import type { AgentIdentity } from '../../apps/controller/src/testing/agent-identity.ts';
import { insertEnrolledAgent } from '../../apps/controller/src/testing/agent-identity.ts';
import { type ControllerProcess, startController } from '../harness/controller-process.ts';
import { systemAuthority } from '../harness/system-authority.ts';
import { startBenchDatabase } from './database.ts';
import { type Figure, printFigures } from './figures.ts';
import { limitCpu } from './limit-cpu.ts';
import { usage, withChildren } from './processes.ts';

const share = Number(process.argv[2] ?? 0.1);
const seconds = Number(process.argv[3] ?? 20);
const agents = 8;
const devices = 500;
const warmUpMs = 8_000;
const settleMs = 3_000;

await using resources = new AsyncDisposableStack();
const { log, url, pid } = resources.use(await startBenchDatabase());
const folder = mkdtempSync(path.join(tmpdir(), 'vantage-bench-key-'));
resources.defer(() => rmSync(folder, { recursive: true, force: true }));
const env = {
  VANTAGE_SECRET_KEY_FILE: path.join(folder, 'secret.key'),
  VANTAGE_ROLES: 'gateway',
  VANTAGE_LOG_LEVEL: 'info',
};
// The first start makes the tables and the key.
await (await startController(url, env)).kill();
const db = await createDb({ connection: { url }, log });
resources.defer(() => db.close());
await createPartitions({ db, clock, log, retentionDays: 3 }).ensure();
const rows = createFixtures(db.kysely);
const authority = await systemAuthority(db.kysely, env.VANTAGE_SECRET_KEY_FILE);

/** An agent with its devices, and how many of its batches were acknowledged. */
interface Sender {
  readonly identity: AgentIdentity;
  readonly deviceNos: readonly number[];
  acked: number;
  connects: number;
}

async function createSender(): Promise<Sender> {
  const accountNo = await rows.account();
  const locationNo = await rows.location(accountNo);
  const { agentNo, identity } = await insertEnrolledAgent(rows, authority, { accountNo, locationNo });
  const deviceNos: number[] = [];
  for (let i = 0; i < devices; i += 1) {
    const deviceNo = await rows.device(accountNo, [locationNo]);
    await rows.hold({ deviceNo, agentNo, locationNo, fromUs: beginUs - 3_600_000_000 });
    deviceNos.push(deviceNo);
  }
  return { identity, deviceNos, acked: 0, connects: 0 };
}

const beginUs = clock.nowUs() - 1_800_000_000;
const senders: Sender[] = [];
for (let agent = 0; agent < agents; agent += 1) senders.push(await createSender());

/** Sends one batch after the other, each when the one before it was acknowledged, until the signal aborts. */
async function send(sender: Sender, controllers: readonly ControllerProcess[], ending: AbortSignal) {
  for (let at = senders.indexOf(sender); !ending.aborted; at += 1) {
    const to = controllers[at % controllers.length];
    sender.connects += 1;
    try {
      await using stream = connectAgent(`https://localhost:${to?.agentPort}`, {
        tls: { ca: to?.ca, cert: sender.identity.cert, key: sender.identity.key },
        counter: sender.connects,
      });
      await stream.until('welcome');
      while (!ending.aborted) {
        stream.send({ case: 'batch', value: batchOf(sender, sender.acked) });
        const { batchId } = await stream.until('ack');
        if (batchId !== BigInt(sender.acked + 1)) throw new Error('an ack of another batch');
        sender.acked += 1;
      }
    } catch {
      await delay(200);
    }
  }
}

function batchOf({ deviceNos }: Sender, at: number) {
  const value = { revision: 1, resultCode: 1, checkResult: 'connected', connectMs: 3.2, ttfbMs: 4.7 };
  const startUs = BigInt(beginUs + at * 1_000_000);
  return {
    batchId: BigInt(at + 1),
    records: deviceNos.map((deviceNo) => ({
      record: { case: 'result' as const, value: { ...value, deviceNo, startUs } },
    })),
  };
}

const acked = () => senders.reduce((sum, { acked: own }) => sum + own, 0) * devices;
const databaseS = () => withChildren(pid).reduce((sum, each) => sum + usage(each).cpuS, 0);

/** Results a second that this number of controllers store, and the share of a core that PostgreSQL uses meanwhile. */
async function measure(count: number, kills: boolean) {
  await using running = new AsyncDisposableStack();
  const controllers: ControllerProcess[] = [];
  for (let i = 0; i < count; i += 1) controllers.push(running.use(await startController(url, env)));
  const ending = new AbortController();
  const sending = senders.map((sender) => send(sender, controllers, ending.signal));
  // V8 compiles its code before the limit holds: with a tenth of a core that takes minutes.
  await delay(warmUpMs);
  const limits = controllers.map((one) => limitCpu(one.pid, share));
  if (limits.includes(undefined)) throw new Error('this machine has no control groups to limit a process by');
  await delay(settleMs);
  const [from, fromS, fromMs] = [acked(), databaseS(), performance.now()];
  await delay(seconds * 1_000);
  const tookS = (performance.now() - fromMs) / 1_000;
  const figures = { perSecond: (acked() - from) / tookS, postgres: (databaseS() - fromS) / tookS };
  if (kills) {
    await controllers[0]?.kill();
    const killed = acked();
    await delay(seconds * 1_000);
    if (acked() === killed) throw new Error('nothing was stored after the kill');
  }
  ending.abort(new Error('measured'));
  await Promise.all(sending);
  for (const one of controllers) await one.kill();
  for (const limit of limits) limit?.[Symbol.dispose]();
  return figures;
}

const one = await measure(1, false);
const two = await measure(2, true);
const four = await measure(4, false);
const stored = await sql<{ count: number }>`select count(*)::int as count from check_rows`.execute(db.kysely);
const missing = acked() - (stored.rows[0]?.count ?? 0);

const unit = 'results/s';
const figure = (what: string, ours: number, peer: string, theirs: number, better: Figure['better']) =>
  ({ what, unit: '', ours, peer, theirs, better }) as const;
printFigures(`Controllers on one PostgreSQL, each with ${share} of a core`, [
  { ...figure('one controller', one.perSecond, 'none', Number.NaN, 'more'), unit, theirs: '-' },
  figure('two controllers, times one', two.perSecond / one.perSecond, 'goal', 1.6, 'more'),
  figure('four controllers, times one', four.perSecond / one.perSecond, 'goal', 2.5, 'more'),
  figure('cores of PostgreSQL beside four', four.postgres, 'the machine', 2, 'less'),
  figure('acknowledged results that are not stored, after a kill', Math.abs(missing), 'goal', 0, 'less'),
]);
