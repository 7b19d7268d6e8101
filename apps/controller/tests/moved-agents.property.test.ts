import { create } from '@bufbuild/protobuf';
import { createLog, newId } from '@vantage/kernel';
import { createFakeClock, propertyRuns } from '@vantage/kernel/testing';
import { BatchSchema, HelloSchema } from '@vantage/proto';
import { createPartitions, type Database } from '@vantage/storage';
import { createFixtures } from '@vantage/testing/fixtures';
import { useDatabase } from '@vantage/testing/use-database';
import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { createPlanRequests } from '../src/agents/assign/plan-requests.ts';
import { createPlanRound } from '../src/agents/assign/plan-round.ts';
import { loadVersions } from '../src/agents/gateway/assigned-device-store.ts';
import { closeSession } from '../src/agents/gateway/gateway-store.ts';
import { openSession } from '../src/agents/gateway/open-session-store.ts';
import { runRequests } from '../src/agents/run-requests/index.ts';
import { changeAgent } from '../src/catalog/agents/agent-write.ts';
import { agentPresence } from '../src/catalog/agents/presence-store.ts';
import { locationVisibility } from '../src/catalog/locations/visibility-store.ts';
import { createTimeScale } from '../src/config/time-scale.ts';
import { createCatalog } from '../src/resources/change.ts';
import { recordEvents } from '../src/results/events/record-events.ts';
import { createIngest } from '../src/results/ingest/index.ts';
import { rollUps } from '../src/results/roll-up/index.ts';
import { createHealth, insertStates, uptimes } from '../src/results/status/index.ts';

const log = createLog('moved agents', 'silent');
const startUs = Date.UTC(2027, 2, 14, 12) * 1000;
const clock = createFakeClock(startUs);
const stepMs = 20_000;
let db: Database;
useDatabase(async (opened) => {
  db = opened;
  await createPartitions({ db, clock, log, retentionDays: 3 }).ensure();
});

/** A check that the agent ran, and the Location that it had then. */
interface Ran {
  readonly deviceNo: number;
  readonly startUs: number;
  readonly locationNo: number;
  readonly code: number;
}

/** The steps that a result passes, and the planner of these Locations. */
function joinSteps(locationNos: readonly number[]) {
  const { kysely } = db;
  const health = createHealth({ clock, log, recordEvents, runRequests, locations: locationVisibility });
  const ingest = createIngest({
    db,
    clock,
    log,
    rollUps,
    runRequests,
    retentionDays: 3,
    fold: (trx, inserted, nowUs) => health.fold(trx, inserted, nowUs),
    partitions: { ensure: async () => {} },
  });
  const catalog = createCatalog({ recordChanges: async () => {} });
  const timeScale = createTimeScale(1);
  const planner = createPlanRound({ kysely, clock, log, controllerId: 'one', timeScale });
  const requests = createPlanRequests({ clock, keepMs: 1 });
  const plan = async () => {
    requests.add(locationNos);
    await planner.run(requests);
  };
  return { ingest, catalog, plan };
}

/** The device as users see it, created at this moment. */
function readsOf(createdUs: number) {
  const { kysely } = db;
  return {
    events: (deviceNo: number) =>
      kysely
        .selectFrom('events')
        .select(['type', 'location_no', 'late'])
        .where('device_no', '=', deviceNo)
        .orderBy('at_us')
        .orderBy('event_no')
        .execute(),
    uptime: async (deviceNo: number) => {
      const nowUs = clock.nowUs();
      const device = { deviceNo, createdUs, fromUs: createdUs };
      return (await uptimes(kysely, { devices: [device], toUs: nowUs, nowUs })).get(deviceNo);
    },
  };
}

/**
 * One agent between three Locations: a device of each of the first two, and one of both. The agent's line to the
 * controller may be cut.
 */
async function createScene() {
  const { kysely } = db;
  const rows = createFixtures(kysely);
  const accountNo = await rows.account();
  const locationNos = await Promise.all([1, 2, 3].map(() => rows.location(accountNo)));
  const [first = 0, second = 0] = locationNos;
  const agentId = newId();
  const { agentNo } = await rows.agent({ accountNo, locationNo: first }, { agent_id: agentId });
  const times = { created_us: clock.nowUs(), changed_us: clock.nowUs() };
  const deviceNos: number[] = [];
  for (const at of [[first], [second], [first, second]]) {
    const deviceNo = await rows.device(accountNo, at, { ...times, retries: 0 });
    await kysely.transaction().execute((trx) => insertStates(trx, [deviceNo], clock.nowUs()));
    deviceNos.push(deviceNo);
  }
  const { ingest, catalog, plan } = joinSteps(locationNos);

  let locationNo = first;
  let sessions = 0;
  let sessionId: string | undefined;
  let known: readonly number[] = [];
  let coveredUs = clock.nowUs();
  let waiting: Ran[] = [];
  const ran: Ran[] = [];

  const connect = async () => {
    sessions += 1;
    const hello = create(HelloSchema, { sessionCounter: BigInt(sessions), version: '1', hostName: 'h' });
    sessionId = newId();
    const row = { agentNo, hello, sessionId, gatewayId: 'one', nowUs: clock.nowUs() };
    const opened = await openSession({ kysely, agents: agentPresence }, row);
    expect(opened).toMatchObject({ kind: 'open', agent: { locationNo } });
    await plan();
    const versions = await loadVersions(kysely, { agentNo, locationNo }, clock.nowUs());
    known = versions.map(({ device_no }) => device_no);
    await deliver();
  };
  const disconnect = async () => {
    if (sessionId === undefined) return;
    await closeSession({ kysely, agents: agentPresence }, { agentNo, sessionId, toUs: clock.nowUs() });
    sessionId = undefined;
  };
  const deliver = async () => {
    const records = waiting.map(({ deviceNo, startUs: at, code }) => ({
      case: 'result' as const,
      value: { deviceNo, startUs: BigInt(at), revision: 1, resultCode: code, checkResult: `code ${code}` },
    }));
    const span = { fromUs: BigInt(coveredUs), toUs: BigInt(clock.nowUs()) };
    const coverage = span.toUs > span.fromUs ? [{ case: 'coverage' as const, value: span }] : [];
    const batch = create(BatchSchema, {
      batchId: 1n,
      records: [...records, ...coverage].map((record) => ({ record })),
    });
    const taken = await ingest.accept({ agentNo, accountNo }, batch);
    expect(taken).toEqual({ inserted: waiting.length, repeated: 0, quarantined: 0 });
    coveredUs = clock.nowUs();
    waiting = [];
  };

  return {
    accountNo,
    agentNo,
    deviceNos,
    locationNos,
    ran,
    connect,
    cut: disconnect,
    restore: async () => {
      if (sessionId === undefined) await connect();
    },
    /** The agent checks every device that it knows of; while its line is cut, the results wait. */
    check: async (code = 1) => {
      const nowUs = clock.nowUs();
      const checks = known.map((deviceNo) => ({ deviceNo, startUs: nowUs, locationNo, code }));
      ran.push(...checks);
      waiting.push(...checks);
      if (sessionId !== undefined) await deliver();
    },
    /** A user moves the agent. A connected one connects again at once. */
    move: async (to: number) => {
      const isConnected = sessionId !== undefined;
      const isOther = to !== locationNo;
      const row = await kysely
        .selectFrom('locations')
        .select('name')
        .where('location_no', '=', to)
        .executeTakeFirstOrThrow();
      const moved = await catalog.change(db, { kind: 'command-line' }, (transaction) =>
        changeAgent(
          transaction,
          { agentId, accountNo },
          { sent: { Location: row.name }, nowUs: clock.nowUs() },
        ),
      );
      expect(moved.kind).toBe('changed');
      locationNo = to;
      await plan();
      if (!isConnected || !isOther) return;
      await disconnect();
      await connect();
    },
    assignedNow: async () =>
      (
        await kysely
          .selectFrom('assignment_spans')
          .select(['device_no', 'location_no'])
          .where('agent_no', '=', agentNo)
          .where('to_us', 'is', null)
          .execute()
      ).map((span) => ({ ...span, here: locationNo })),
    ...readsOf(times.created_us),
  };
}

/** The rows of an agent, as far as they say which check counts for which Location. */
async function storedOf(agentNo: number): Promise<Ran[]> {
  return db.kysely
    .selectFrom('checks')
    .select(['device_no as deviceNo', 'start_us as startUs', 'location_no as locationNo', 'code'])
    .where('agent_no', '=', agentNo)
    .orderBy('start_us')
    .orderBy('device_no')
    .execute();
}

const step = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ kind: 'check' } as const) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('move' as const), to: fc.nat({ max: 2 }) }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'cut' } as const) },
  { weight: 1, arbitrary: fc.constant({ kind: 'restore' } as const) },
);

test('property: however an agent is moved and cut off, each check counts once, for the Location that the agent had at its start', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 16 }), async (steps) => {
      const scene = await createScene();
      /** Seconds in which each device was the agent's, since its first check. */
      const covered = new Map(scene.deviceNos.map((deviceNo) => [deviceNo, 0]));
      await scene.connect();
      for (const one of [...steps, { kind: 'restore' } as const, { kind: 'check' } as const]) {
        const assigned = (await scene.assignedNow()).map(({ device_no }) => device_no);
        for (const deviceNo of assigned)
          if (scene.ran.some((check) => check.deviceNo === deviceNo))
            covered.set(deviceNo, (covered.get(deviceNo) ?? 0) + stepMs / 1000);
        await clock.advance(stepMs);
        if (one.kind === 'move') await scene.move(scene.locationNos[one.to] ?? 0);
        else await scene[one.kind]();
        for (const { location_no, here } of await scene.assignedNow()) expect(location_no).toBe(here);
      }
      const stored = await storedOf(scene.agentNo);
      expect(stored).toEqual(scene.ran.toSorted((a, b) => a.startUs - b.startUs || a.deviceNo - b.deviceNo));
      const { rows: counts } = await sql<{ locationNo: number; checks: number }>`
        select location_no as "locationNo", sum(checks)::int as checks from check_counts
        where agent_no = ${scene.agentNo} group by 1`.execute(db.kysely);
      for (const no of scene.locationNos)
        expect(counts.find(({ locationNo }) => locationNo === no)?.checks ?? 0).toBe(
          stored.filter(({ locationNo }) => locationNo === no).length,
        );
      for (const deviceNo of scene.deviceNos)
        expect(await scene.uptime(deviceNo)).toMatchObject({
          UpSeconds: covered.get(deviceNo),
          DownSeconds: 0,
          Outages: 0,
        });
    }),
    { numRuns: propertyRuns(8) },
  );
});

test('an outage that a cut-off agent saw before it was moved is shown late, at the old Location', async () => {
  const scene = await createScene();
  const [device = 0] = scene.deviceNos;
  const [first = 0, second = 0] = scene.locationNos;
  await scene.connect();
  await scene.check();
  await scene.cut();
  for (const code of [3, 3, 1]) {
    await clock.advance(stepMs);
    await scene.check(code);
  }
  await clock.advance(stepMs);
  await scene.move(second);
  for (let i = 0; i < 5; i += 1) await clock.advance(stepMs);
  await scene.restore();
  expect(await scene.events(device)).toEqual([
    { type: 'Up', location_no: first, late: false },
    { type: 'Error', location_no: first, late: true },
    { type: 'Down', location_no: first, late: true },
    { type: 'Up', location_no: first, late: true },
  ]);
  expect((await storedOf(scene.agentNo)).every(({ locationNo }) => locationNo === first)).toBe(true);
  expect(await scene.uptime(device)).toMatchObject({ DownSeconds: 40, UpSeconds: 40, Outages: 1 });
});
