// Accepted agents of one account attack the service of another account.
import { setTimeout as delay } from 'node:timers/promises';
import { Code } from '@connectrpc/connect';
import { Goodbye_Reason } from '@vantage/proto';
import { beforeAll, expect, test, vi } from 'vitest';
import type { AgentIdentity } from '../../apps/controller/src/testing/agent-identity.ts';
import { type HostileStream, hello, type Outgoing, openHostile } from './harness/hostile-agent.ts';
import {
  connectAgent,
  createHostileLocation,
  firstDevice,
  type HostileLocation,
  type Outgoing as Row,
} from './harness/hostile-location.ts';
import { within } from './harness/scenes.ts';
import { scenes } from './harness/shared.ts';

let hostile: HostileLocation;
const most64 = 2n ** 64n - 1n;
const mostSigned = 2n ** 63n - 1n;
/** Rounds of heartbeats, 200 ms each: more than two ticks of the controller. */
const beatRounds = 50;
const soon = { timeout: 10_000, interval: 100 };

beforeAll(async () => {
  hostile = await createHostileLocation(scenes.fixture, 'hostile', beats.length + 1);
});

const identityOf = (i: number) => hostile.agents[i]?.identity;

type Beat = Extract<Outgoing, { case: 'heartbeat' }>['value'];
const beats: Beat[] = [
  { backlogRecords: most64, backlogBytes: most64 },
  { latenessP50Ms: 1e300, latenessP99Ms: 1e300 },
  { latenessP50Ms: -1e300, latenessP99Ms: Number.NaN },
  { latenessP99Ms: Number.POSITIVE_INFINITY },
  { clockOffsetUs: mostSigned },
  { clockOffsetUs: -(2n ** 63n) },
  { coveredToUs: mostSigned },
  { checksSkipped: 2 ** 32 - 1, checksStarted: 2 ** 32 - 1 },
  { offlineReason: '\0' },
  { offlineReason: 'x'.repeat(100_000) },
  { sequence: most64, sentUs: -(2n ** 63n) },
];

test('heartbeats with numbers that no column can store end no other session', async () => {
  await scenes.play('hostile heartbeats', async (fixture) => {
    const sessions = await Promise.all(
      [...beats.keys(), beats.length].map((i) => connectAgent(fixture, identityOf(i))),
    );
    let halfUs = 0;
    // Each agent sends one kind, so that each tick of the controller, every 4 s, finds all of them. The last one sends
    // good heartbeats.
    for (let round = 0; round < beatRounds; round += 1) {
      if (round === beatRounds / 2) halfUs = Date.now() * 1000;
      for (const [i, { stream }] of sessions.entries())
        stream.send({ case: 'heartbeat', value: beats[i] ?? { sequence: BigInt(round) } });
      await delay(200);
    }
    await vi.waitFor(async () => {
      const good = fixture.kysely
        .selectFrom('agents')
        .where('agent_no', '=', hostile.agents.at(-1)?.agentNo ?? 0);
      const { last_seen_us: seenUs } = await good.select('last_seen_us').executeTakeFirstOrThrow();
      expect(seenUs, 'the last stored heartbeat of the good agent').toBeGreaterThan(halfUs);
    }, soon);
    for (const session of sessions) session[Symbol.dispose]();
  });
});

const hostileHellos: [string, Parameters<typeof hello>[0]][] = [
  ['a NUL in its host name', { hostName: 'a\0b' }],
  ['a host name of a megabyte', { hostName: 'x'.repeat(1_000_000) }],
  ['a version of 101 characters', { version: 'x'.repeat(101) }],
  ['a boot id of 101 characters', { bootId: 'x'.repeat(101) }],
  ['a session counter that no column holds', { sessionCounter: most64 }],
];

test('the controller refuses a Hello with hostile texts and names the field', async () => {
  await scenes.play('hostile Hellos', async (fixture) => {
    for (const [what, values] of hostileHellos) {
      using connection = openHostile({ ...fixture, identity: identityOf(3) });
      const stream = connection.open();
      stream.send(hello(values));
      // The first message has a small limit, so a longer text would be refused because of its size.
      const { status } = await within(5_000, stream.end);
      expect([Code.InvalidArgument, Code.ResourceExhausted], what).toContain(status);
    }
    using session = await connectAgent(fixture, identityOf(3));
    session.stream.send({ case: 'heartbeat', value: { sequence: 1n } });
    expect((await session.stream.until('heartbeatReply'))?.value.sequence).toBe(1n);
  });
});

/** Records with a valid shape and a hostile value each. */
function hostileRecords(deviceNo: number): Row[] {
  const startUs = BigInt(Date.now() * 1000);
  const result = (values: object): Row => ({
    record: { case: 'result', value: { deviceNo, startUs, revision: 1, resultCode: 1, ...values } },
  });
  const deep = `{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}`;
  return [
    result({ startUs: mostSigned }),
    result({ startUs: -1n }),
    result({ resultCode: 99 }),
    result({ revision: 2 ** 32 - 1 }),
    result({ attempt: 2 ** 32 - 1 }),
    result({ ttfbMs: 1e300 }),
    result({ blockMs: Number.NaN }),
    result({ dataSize: 1e308 }),
    result({ startUs: startUs + 1n, extendedJson: '{"Sent":1e1000,"Lost":-1e1000}' }),
    result({ startUs: startUs + 2n, extendedJson: deep }),
    result({ startUs: startUs + 3n, extendedJson: '{"a":"\\u0000","\\ud800":1}' }),
    result({ startUs: startUs + 4n, checkResult: '\0'.repeat(4_000) }),
    result({ startUs: startUs + 5n, retryId: '\0', runRequestId: '\0' }),
    result({ deviceNo: 2 ** 32 - 1 }),
    { record: { case: 'coverage', value: { fromUs: 0n, toUs: mostSigned } } },
    { record: { case: 'coverage', value: { fromUs: -(2n ** 63n), toUs: 1n } } },
    {
      record: {
        case: 'gap',
        value: { gapId: '\0', fromUs: 0n, toUs: mostSigned, droppedResults: 2 ** 32 - 1 },
      },
    },
    { record: { case: 'clock', value: { atUs: mostSigned, offsetUs: mostSigned, roundTripUs: -1n } } },
    { record: { case: 'diagnostics', value: { deviceNo, startUs, extendedJson: deep } } },
    { record: { case: undefined } },
  ];
}

test('records with hostile values are quarantined, and a good record beside them is stored', async () => {
  await scenes.play('hostile records', async (fixture) => {
    using session = await connectAgent(fixture, identityOf(0));
    await hostile.addDevice();
    const { stream } = session;
    const deviceNo = await firstDevice(stream);
    for (let i = 0; i < 40; i += 1) {
      stream.send({ case: 'batch', value: { batchId: BigInt(i), records: hostileRecords(deviceNo) } });
      expect((await stream.until('ack'))?.value.quarantined, 'records quarantined').toBeGreaterThan(8);
    }
    const value = {
      deviceNo,
      startUs: BigInt(Date.now() * 1000),
      revision: 1,
      resultCode: 1,
      checkResult: 'well',
    };
    const twice: Row[] = [{ record: { case: 'result', value } }, { record: { case: 'result', value } }];
    stream.send({ case: 'batch', value: { batchId: 100n, records: twice } });
    expect((await stream.until('ack'))?.value).toMatchObject({ inserted: 1, repeated: 1 });
  });
});

/** Separate spans, from a day ago on. */
function spans(count: number, kind: 'coverage' | 'gap'): Row[] {
  const fromUs = (Date.now() - 86_400_000) * 1000;
  return Array.from({ length: count }, (_, i): Row => {
    const span = { fromUs: BigInt(fromUs + 20 * i), toUs: BigInt(fromUs + 20 * i + 10) };
    if (kind === 'coverage') return { record: { case: 'coverage', value: span } };
    return {
      record: { case: 'gap', value: { ...span, gapId: `${fromUs}-${i}`, droppedResults: 1, reason: 'x' } },
    };
  });
}

/** Sends the batch and waits for its ack or for the end of the stream. */
async function offer(stream: HostileStream, records: Row[]): Promise<'acked' | 'refused'> {
  stream.send({ case: 'batch', value: { batchId: 1n, records } });
  return (await stream.until('ack')) === undefined ? 'refused' : 'acked';
}

test('batches beyond the limits are refused, and no agent occupies all slots of the controller', async () => {
  await scenes.play('endless batches', async (fixture) => {
    const until = performance.now() + 6_000;
    const attack = async (identity: AgentIdentity, kind: 'coverage' | 'gap') => {
      {
        using session = await connectAgent(fixture, identity);
        expect(await offer(session.stream, spans(kind === 'gap' ? 20_000 : 50_000, kind))).toBe('refused');
      }
      using session = await connectAgent(fixture, identity);
      for (let i = 0; i < 500 && performance.now() < until; i += 1)
        expect(await offer(session.stream, spans(500, kind))).toBe('acked');
    };
    await Promise.all(
      hostile.agents.slice(0, 7).map(({ identity }, i) => attack(identity, i % 2 === 0 ? 'coverage' : 'gap')),
    );
  });
});

test('an agent that reconnects without end costs little', async () => {
  await scenes.play('sessions without end', async (fixture) => {
    let welcomed = 0;
    for (let i = 0; i < 100; i += 1) {
      using connection = openHostile({ ...fixture, identity: identityOf(6) });
      const stream = connection.open();
      stream.send(hello());
      if ((await stream.until('welcome')) !== undefined) welcomed += 1;
      else expect((await stream.end).status).toBe(Code.ResourceExhausted);
      await delay(50);
    }
    expect(welcomed).toBeGreaterThan(0);
  });
});

test('messages beyond the size limit are refused before the controller stores them in memory', async () => {
  await scenes.play('giant messages', async (fixture) => {
    const giant = Buffer.alloc(256 * 1024, 0x0a);
    const attack = async ({ identity }: { identity: AgentIdentity }) => {
      using session = await connectAgent(fixture, identity);
      const { stream } = session;
      stream.sendFrame(giant, 31 * 1024 * 1024);
      for (let i = 0; i < 123 && !stream.ended; i += 1) if (!stream.sendRaw(giant)) await stream.drained();
      await within(10_000, stream.end);
    };
    await Promise.all(hostile.agents.slice(0, 5).map(attack));
  });
});

test('a stolen key excludes the thief and the agent, and an event names it', async () => {
  await scenes.play('a stolen key', async (fixture) => {
    const { identity, agentNo = 0 } = hostile.agents[5] ?? {};
    using thief = openHostile({ ...fixture, identity });
    const stolen = thief.open();
    stolen.send(hello({ sessionCounter: 2n ** 40n }));
    expect(await stolen.until('welcome')).toBeDefined();
    using own = openHostile({ ...fixture, identity });
    const agent = own.open();
    agent.send(hello());
    expect((await agent.until('goodbye'))?.value.reason).toBe(Goodbye_Reason.FENCED);
    expect((await stolen.until('goodbye'))?.value.reason).toBe(Goodbye_Reason.FENCED);
    const row = await fixture.kysely
      .selectFrom('agents')
      .select('state')
      .where('agent_no', '=', agentNo)
      .executeTakeFirstOrThrow();
    expect(row.state).toBe('Fenced');
  });
});
