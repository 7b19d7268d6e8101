import { systemClock } from '@vantage/kernel';
import { HeartbeatSchema, type Hello, HelloSchema, OutboxRecordSchema } from '@vantage/proto';
import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import type { AgentIdentity } from '../../apps/controller/src/testing/agent-identity.ts';
import { type AccountRows, readAccountRows } from './harness/account-rows.ts';
import type { AttackFixture } from './harness/attack-fixture.ts';
import { type HostileConnection, type HostileStream, hello, openHostile } from './harness/hostile-agent.ts';
import { hostileMessage, type Live, pick, type Random, seeded } from './harness/hostile-message.ts';
import { scenes } from './harness/shared.ts';

/** The number of messages (records of batches, heartbeats and Hellos); choose a million where there is time. */
const messages = Number(process.env['VANTAGE_FUZZ_MESSAGES'] ?? 100_000);
const seed = Number(process.env['VANTAGE_FUZZ_SEED'] ?? Date.now() % 2 ** 31);
const attackMs = 3_600_000;
/** The agents that send at one time, each its share of the messages: what one waits for, another uses. */
const senders = 2;
/** The test is about values, not about load. */
const largestBatch = 60;
/** The share of heartbeats with `leaving` that say so: the gateway ends the stream of the Location's last agent. */
const leaves = 1 / 1_000;
/** A Hello without an answer after this time has failed. */
const helloWithinMs = 20_000;
/** Tables that the neighbour's agent and its background jobs write during the attack. */
const neighboursWork = [
  'connection_spans',
  'maintenance_windows',
  'agents',
  'check_facts',
  'check_rows',
  'coverage',
  'clock_records',
  'rollup_hourly',
  'rollup_daily',
  'events',
  'device_state',
  'devices',
  'device_texts',
  'state_checkpoints',
  'run_requests',
  'status_intervals',
  'device_tags',
  'tags',
  'audit',
  'check_counts',
  'device_marks',
  'key_uses',
];

interface Sent {
  records: number;
  heartbeats: number;
  hellos: number;
  /** The ends of streams that only sent a Hello, by gRPC status; 'welcome': the controller accepted them. */
  hellosBy: Record<string, number>;
  inserted: number;
  quarantined: number;
  /** The ends of the streams that had more than a Hello, by gRPC status. */
  endsBy: Record<string, number>;
}

/** So many streams of an agent may end; few values end one. */
const mostEnds = 500;

/** One agent's stream, which opens again after the gateway ends it. */
function createSender(fixture: AttackFixture, identity: AgentIdentity, sent: Sent) {
  const open = () => openHostile({ ...fixture, identity });
  let connection = open();
  let stream: HostileStream | undefined;
  return {
    async stream(): Promise<HostileStream> {
      while (stream === undefined || stream.ended) {
        if (stream !== undefined) count(sent.endsBy, outcomeOf(await stream.end));
        const ends = Object.values(sent.endsBy).reduce((sum, each) => sum + each, 0);
        if (ends >= mostEnds)
          throw new Error(`the gateway ends the attacker's streams: ${JSON.stringify(sent)}`);
        if (isGone(connection)) connection = open();
        stream = connection.open();
        stream.send(hello());
        await stream.until('welcome');
      }
      return stream;
    },
    [Symbol.dispose]: () => connection[Symbol.dispose](),
  };
}

/** Sends a Hello on one stream after the other, each of one of these agents, which keep their connections. */
function createGreeter(fixture: AttackFixture, identities: readonly AgentIdentity[], sent: Sent) {
  const connections = new Map<AgentIdentity | undefined, HostileConnection>();
  const connectionOf = (identity: AgentIdentity | undefined): HostileConnection => {
    const present = connections.get(identity);
    if (present !== undefined && !isGone(present)) return present;
    present?.[Symbol.dispose]();
    const next = openHostile({ ...fixture, from: '127.0.0.67', identity });
    connections.set(identity, next);
    return next;
  };
  return {
    async greet(random: Random, live: Live): Promise<void> {
      const connection = connectionOf(identities[Math.floor(random() * identities.length)]);
      const outcome = await sayHello(connection, hostileMessage(HelloSchema, random, live));
      sent.hellos += 1;
      count(sent.hellosBy, outcome);
    },
    [Symbol.dispose]() {
      for (const connection of connections.values()) connection[Symbol.dispose]();
    },
  };
}

/** An agent, and others that only send a Hello. */
interface Attackers {
  readonly own: AgentIdentity;
  readonly others: readonly AgentIdentity[];
  /** Resolves when the attackers' own agents have the account's devices. */
  readonly haveDevices: () => Promise<void>;
}

/** An agent that sends one message after the other; a batch is acknowledged before the next message. */
async function attack(fixture: AttackFixture, agents: Attackers, random: Random, all: Live): Promise<Sent> {
  const sent: Sent = {
    records: 0,
    heartbeats: 0,
    hellos: 0,
    hellosBy: {},
    inserted: 0,
    quarantined: 0,
    endsBy: {},
  };
  using sender = createSender(fixture, agents.own, sent);
  using greeter = createGreeter(fixture, agents.others, sent);
  await sender.stream();
  // Otherwise an agent with a hostile capacity may say Hello first, and keep the devices for its time of grace.
  await agents.haveDevices();
  while (sent.records + sent.heartbeats + sent.hellos < messages / senders) {
    const live = { ...all, share: pick(random, [0.1, 0.6, 0.95, 0.99]) };
    const kind = random();
    const stream = await sender.stream();
    if (kind < 0.02) await greeter.greet(random, live);
    else if (kind < 0.9) {
      const value = hostileMessage(HeartbeatSchema, random, live);
      value.leaving &&= random() < leaves;
      if (!stream.send({ case: 'heartbeat', value })) await stream.drained();
      if (!stream.ended) sent.heartbeats += 1;
    } else {
      const records = Array.from({ length: 1 + Math.floor(random() * largestBatch) }, () =>
        hostileMessage(OutboxRecordSchema, random, live),
      );
      stream.send({ case: 'batch', value: { batchId: BigInt(sent.records), records } });
      const ack = await stream.until('ack');
      if (ack === undefined) continue;
      sent.records += records.length;
      sent.inserted += ack.value.inserted;
      sent.quarantined += ack.value.quarantined;
    }
  }
  return sent;
}

function isGone({ session }: HostileConnection): boolean {
  return session.closed || session.destroyed;
}

/** The end of the stream, or 'welcome'. */
async function sayHello(connection: HostileConnection, value: Hello): Promise<string> {
  using stream = connection.open();
  stream.send({ case: 'hello', value });
  using _deadline = systemClock.timer(helloWithinMs, () => stream[Symbol.dispose]());
  if ((await stream.until('welcome')) !== undefined) return 'welcome';
  return outcomeOf(await stream.end);
}

function outcomeOf({ status, text }: Awaited<HostileStream['end']>): string {
  return `${status} ${text.replace(/[0-9]+/g, 'N').slice(0, 60)}`;
}

function count(counts: Record<string, number>, key: string): void {
  counts[key] = (counts[key] ?? 0) + 1;
}

const device = z.object({ device_id: z.string() });

/** A Location of the attacker's account with agents of the test, five devices, and agents that only send a Hello. */
async function prepare({ hostile, rows, kysely, neighbour, enrolAgent }: AttackFixture) {
  const locationNo = await rows.location(hostile.accountNo, { name: 'fuzz' });
  const place = { accountNo: hostile.accountNo, locationNo };
  const enrol = () => enrolAgent(place);
  const owns = await Promise.all(Array.from({ length: senders }, enrol));
  const others = await Promise.all(Array.from({ length: 50 }, enrol));
  for (let i = 0; i < 5; i += 1) {
    const body = {
      Method: 'TCP',
      URL: '127.0.0.1:9',
      ShortName: `f-${i}`,
      Locations: ['fuzz'],
      Frequency: 60,
    };
    device.parse(await hostile.api.ok('POST', '/devices', body));
  }
  const numbers = async (location: number) =>
    (
      await kysely
        .selectFrom('device_locations')
        .select('device_no')
        .where('location_no', '=', location)
        .limit(5)
        .execute()
    ).map((row) => row.device_no);
  const mine = await numbers(locationNo);
  // Results of the last minute are those of devices that existed then.
  const createdUs = Date.now() * 1_000 - 3_600_000_000;
  await kysely.updateTable('devices').set({ created_us: createdUs }).where('device_no', 'in', mine).execute();
  const countHeld = async () =>
    (
      await kysely
        .selectFrom('assignment_spans')
        .select('device_no')
        .where('device_no', 'in', mine)
        .where(
          'agent_no',
          'in',
          owns.map(({ agentNo }) => agentNo),
        )
        .where('to_us', 'is', null)
        .execute()
    ).length;
  const haveDevices = () =>
    vi.waitFor(async () => expect(await countHeld()).toBe(mine.length), { timeout: 60_000, interval: 100 });
  const attackers = owns.map(
    ({ identity }, i): Attackers => ({
      own: identity,
      others: others.filter((_, k) => k % senders === i).map((other) => other.identity),
      haveDevices,
    }),
  );
  // Most numbers are the attacker's devices, whose results are stored. Others belong to other accounts, whose results
  // must be refused.
  const deviceNos = [...mine, ...mine, ...mine, ...(await numbers(neighbour.locationNo))];
  return { attackers, deviceNos, createdUs };
}

/** An account without any activity. */
async function addStill({ rows, kysely }: AttackFixture): Promise<number> {
  const accountNo = await rows.account();
  const locationNo = await rows.location(accountNo, { name: 'still' });
  const { agentNo } = await rows.agent({ accountNo, locationNo }, { state: 'Revoked' });
  const deviceNo = await rows.device(accountNo, [locationNo]);
  await sql`insert into checks (device_no, start_us, agent_no, location_no, end_us, arrived_us, revision, attempt, code, perf, block_ms, dns_ms,
      connect_ms, ssl_ms, ttfb_ms, ttlb_ms, data_size, check_result)
    values (${deviceNo}, ${Date.now() * 1000}, ${agentNo}, ${locationNo}, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 'ok')`.execute(
    kysely,
  );
  await sql`insert into gaps (agent_no, gap_id, from_us, to_us, dropped_results, reason) values (${agentNo}, 'gap', 1, 2, 1, 'r')`.execute(
    kysely,
  );
  return accountNo;
}

/**
 * The rows that must not change: all of the still account, and those of the neighbour that its own activity does not
 * write.
 */
async function readForeign({ kysely, neighbour }: AttackFixture, still: number): Promise<AccountRows[]> {
  return [
    await readAccountRows(kysely, still),
    await readAccountRows(kysely, neighbour.accountNo, neighboursWork),
  ];
}

/** Rows that join an agent of the attacker with another account's device. */
async function foreignRows(kysely: Kysely<Tables>, accountNo: number): Promise<unknown[]> {
  const own = sql`(select agent_no from agents where account_no = ${accountNo})`;
  const foreign = sql`(select device_no from devices where account_no <> ${accountNo})`;
  const { rows } = await sql`
    select 'checks' as table_name, device_no from checks where agent_no in ${own} and device_no in ${foreign}
    union all select 'pending_diagnostics', device_no from pending_diagnostics where agent_no in ${own} and device_no in ${foreign}
    union all select 'run_requests', device_no from run_requests where agent_no in ${own} and device_no in ${foreign}
    union all select 'events', device_no from events where account_no = ${accountNo} and device_no in ${foreign}`.execute(
    kysely,
  );
  return rows;
}

test(
  `${messages} messages with hostile values in every field change nothing outside their account (seed ${seed})`,
  async () => {
    const { fixture } = scenes;
    const { attackers, deviceNos, createdUs } = await prepare(fixture);
    const still = await addStill(fixture);
    const before = await readForeign(fixture, still);
    const texts = ['connected', '{"Sent":5,"Received":4}', 'gap 1', 'chain', '{"Address":"127.0.0.1"}', ''];
    const named = new Map([['deviceCreatedUs', BigInt(createdUs)]]);
    const live: Live = { deviceNos, texts, named, nowUs: () => Date.now() * 1000, share: 1 };
    let sent: readonly Sent[] = [];
    const fuzz = async () => {
      const run = (agents: Attackers, i: number) => attack(fixture, agents, seeded(seed + i), live);
      sent = await Promise.all(attackers.map(run));
    };
    await scenes.play(`${messages} messages`, fuzz, { maxMs: attackMs });
    process.stdout.write(`\nfuzz, seed ${seed}: ${JSON.stringify(sent)}\n`);
    expect(await readForeign(fixture, still)).toEqual(before);
    expect(await foreignRows(fixture.kysely, fixture.hostile.accountNo)).toEqual([]);
    // The messages reached every path: some were stored, some quarantined, some refused.
    expect(sent).toHaveLength(senders);
    // An agent that holds no device, because it left, has all its results refused.
    expect(sent.reduce((sum, { inserted }) => sum + inserted, 0)).toBeGreaterThan(0);
    for (const { quarantined, hellosBy } of sent) {
      expect(quarantined).toBeGreaterThan(0);
      expect(Object.keys(hellosBy).filter((outcome) => outcome.startsWith('3 '))).not.toEqual([]);
    }
  },
  attackMs,
);
