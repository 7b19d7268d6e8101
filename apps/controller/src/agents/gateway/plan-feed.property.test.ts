import { systemClock as clock, createLog } from '@vantage/kernel';
import { propertyRuns } from '@vantage/kernel/testing';
import type { Assignment, Assignments } from '@vantage/proto';
import type { Db, Tables } from '@vantage/storage';
import { createSealer } from '@vantage/storage/secrets/seal';
import { createFixtures, type Fixtures } from '@vantage/testing/fixtures';
import { useDatabase } from '@vantage/testing/use-database';
import fc from 'fast-check';
import { type Kysely, sql } from 'kysely';
import { expect, test } from 'vitest';
import { createAssignmentBuilder, createSecretLookup } from './assignment.ts';
import { createPlanFeed } from './plan-feed.ts';

const log = createLog('plan feed test', 'silent');
const sealer = createSealer(new Uint8Array(32));
let db: Db;
let rows: Fixtures;
useDatabase((opened) => {
  db = opened;
  rows = createFixtures(db.kysely);
});

/** Something that happens between two readings of the plan, or a reading. */
const act = fc.oneof(
  fc.record({ kind: fc.constant('add' as const), usesSecret: fc.boolean() }),
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom('take' as const, 'give' as const, 'change' as const),
      which: fc.nat(2),
    }),
  },
  fc.record({ kind: fc.constantFrom('secret' as const, 'anchors' as const) }),
  {
    weight: 4,
    /** The database fails at this statement of the reading: three ask what there is, one or two are for each part. */
    arbitrary: fc.record({
      kind: fc.constant('read' as const),
      failsAt: fc.option(fc.nat(9), { nil: Number.NaN, freq: 3 }),
    }),
  },
);

type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;
const acts = fc.array(act, { minLength: 4, maxLength: 30, size: 'max' });

/** Remembers the messages as an agent does. */
function createFakeAgent() {
  const devices = new Map<number, Assignment>();
  let parts: Assignment[] = [];
  let anchors: string[] = [];
  const putAll = (assignments: readonly Assignment[]) => {
    for (const each of assignments) devices.set(each.deviceNo, each);
  };
  return {
    apply(message: Assignments) {
      anchors = message.anchors?.anchors.map((anchor) => anchor.name) ?? anchors;
      if (!message.snapshot) {
        for (const deviceNo of message.removedDeviceNos) devices.delete(deviceNo);
        putAll(message.upserts);
        return;
      }
      parts.push(...message.upserts);
      if (!message.final) return;
      devices.clear();
      putAll(parts);
      parts = [];
    },
    shown: () => ({
      anchors,
      urls: new Map([...devices].map(([deviceNo, { spec }]) => [deviceNo, spec?.url])),
    }),
  };
}

/** A database that fails at one statement. */
function createFailingDb(kysely: Kysely<Tables>) {
  let left = Number.NaN;
  return {
    failAt(statement: number) {
      left = statement;
    },
    kysely: kysely.withPlugin({
      transformQuery({ node }) {
        if (left === 0) throw new Error('Connection terminated unexpectedly');
        left -= 1;
        return node;
      },
      transformResult: async ({ result }) => result,
    }),
  };
}

/** An account whose agent has devices, and what its agent must know of them. */
async function createPlanned() {
  const { kysely } = db;
  const accountNo = await rows.account();
  const locationNo = await rows.location(accountNo);
  const { agentNo } = await rows.agent({ accountNo, locationNo });
  const secretId = `secret of ${accountNo}`;
  const sealedSecret = (value: string) => sealer.seal(value, `secret:${secretId}`);
  let secret = 'one';
  let anchors: string[] = [];
  const secretRow = {
    account_no: accountNo,
    name: 'host',
    secret_id: secretId,
    sealed: sealedSecret(secret),
  };
  await kysely.insertInto('secrets').values(secretRow).execute();
  const devices: { deviceNo: number; id: string; usesSecret: boolean; port: number; held: boolean }[] = [];
  const urlOf = (host: string, port: number) => `${host}:${port}`;
  const sealedOf = ({ id, usesSecret, port }: { id: string; usesSecret: boolean; port: number }) => {
    const host = usesSecret ? `$${'{secret:host}'}` : '192.0.2.1';
    return sealer.seal({ url: urlOf(host, port), options: {} }, `device:${id}`);
  };
  const hold = (deviceNo: number) => rows.hold({ deviceNo, agentNo, locationNo, fromUs: clock.nowUs() });
  const device = (which: number) => devices[which % Math.max(1, devices.length)];
  return {
    agent: { agentNo, accountNo, locationNo },
    async add(usesSecret: boolean) {
      const id = `device ${devices.length} of ${agentNo}`;
      const port = 1000 + devices.length;
      const sealed = sealedOf({ id, usesSecret, port });
      const deviceNo = await rows.device(accountNo, [locationNo], { device_id: id, method: 'TCP', sealed });
      await hold(deviceNo);
      devices.push({ deviceNo, id, usesSecret, port, held: true });
    },
    async take(which: number) {
      const taken = device(which);
      if (!taken?.held) return;
      taken.held = false;
      await sql`update assignment_spans set to_us = ${clock.nowUs()}::bigint
        where device_no = ${taken.deviceNo} and to_us is null`.execute(kysely);
    },
    async give(which: number) {
      const given = device(which);
      if (given === undefined || given.held) return;
      given.held = true;
      await hold(given.deviceNo);
    },
    async change(which: number) {
      const changed = device(which);
      if (changed === undefined) return;
      changed.port += 1;
      await sql`update devices set revision = revision + 1, sealed = ${sealedOf(changed)}
        where device_no = ${changed.deviceNo}`.execute(kysely);
    },
    async secret() {
      secret = `${secret}x`;
      await sql`update secrets set sealed = ${sealedSecret(secret)}, updated_at = clock_timestamp()
        where secret_id = ${secretId}`.execute(kysely);
    },
    async anchors() {
      anchors = anchors.length > 1 ? [] : [...anchors, `anchor ${anchors.length}`];
      const stored = anchors.map((Name) => ({ Name, Target: '192.0.2.9', Networks: [] }));
      await sql`update locations set anchors = ${JSON.stringify(stored)} where location_no = ${locationNo}`.execute(
        kysely,
      );
    },
    wanted: () => ({
      anchors,
      urls: new Map(
        devices
          .filter(({ held }) => held)
          .map(({ deviceNo, usesSecret, port }) => [
            deviceNo,
            urlOf(usesSecret ? secret : '192.0.2.1', port),
          ]),
      ),
    }),
  };
}

const whole = { kind: 'read' as const, failsAt: Number.NaN };
const failing = (failsAt: number) => ({ kind: 'read' as const, failsAt });
const take = { kind: 'take' as const, which: 0 };
const give = { kind: 'give' as const, which: 0 };
const change = (which: number) => ({ kind: 'change' as const, which });
/** Chance finds them rarely. Three statements ask what there is, then each part is one device. */
const examples: [boolean[], Act[]][] = [
  // The values of the secrets cannot be read.
  [[true], [failing(4)]],
  // A device goes after its part of the first list was sent, and comes back.
  [
    [false, false, false],
    [failing(5), take],
  ],
  [
    [false, false, false],
    [failing(5), take, whole, give],
  ],
  // A removal is not sent, because the database fails before it.
  [
    [false, false],
    [whole, take, change(1), failing(3)],
  ],
  // A device comes back after its removal was sent and the next part failed.
  [
    [false, false, false],
    [whole, take, change(1), change(2), failing(4), give],
  ],
  [
    [true, true],
    [whole, { kind: 'secret' }, failing(3)],
  ],
  [[false], [whole, change(0), { kind: 'anchors' }, failing(3)]],
];

test('property: wherever the database fails, an agent has its whole plan after the next reading that succeeds', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.boolean(), { minLength: 2, maxLength: 6 }), acts, async (first, acts) => {
      const planned = await createPlanned();
      for (const usesSecret of first) await planned.add(usesSecret);
      const broken = createFailingDb(db.kysely);
      const fake = createFakeAgent();
      const feed = createPlanFeed({
        kysely: broken.kysely,
        agent: planned.agent,
        build: createAssignmentBuilder({ sealer, log }),
        secretsNow: () =>
          createSecretLookup({ kysely: broken.kysely, sealer, accountNo: planned.agent.accountNo }),
        clock,
        log,
        max: { devices: 1, bytes: 1_000_000 },
      });
      /** Whether it succeeded. */
      const read = async (failsAt: number): Promise<boolean> => {
        broken.failAt(failsAt);
        try {
          for await (const part of feed.next()) fake.apply(part);
          return true;
        } catch {
          return false;
        }
      };
      for (const each of acts) {
        switch (each.kind) {
          case 'add':
            await planned.add(each.usesSecret);
            break;
          case 'secret':
          case 'anchors':
            await planned[each.kind]();
            break;
          case 'read':
            if (await read(each.failsAt)) expect(fake.shown()).toEqual(planned.wanted());
            break;
          default:
            await planned[each.kind](each.which);
        }
      }
      expect(await read(Number.NaN)).toBe(true);
      expect(fake.shown()).toEqual(planned.wanted());
    }),
    { numRuns: propertyRuns(40), examples },
  );
});
