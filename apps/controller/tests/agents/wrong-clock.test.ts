// What a wrong clock does to maintenance windows, steps of schedules, ends of sessions and tokens, and cursors: the
// last rows of docs/clocks.md.
import { dayMs, hourMs } from '@vantage/domain';
import { newId } from '@vantage/kernel';
import { createFakeClock } from '@vantage/kernel/testing';
import { sessionCookieName } from '@vantage/rest-kit/session-cookie';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createSharedClock } from '../../src/agents/clocks/shared-clock.ts';
import { decideEnrolment } from '../../src/agents/enrol/decide-enrolment.ts';
import { createAlertFixture } from '../../src/alerts/decide/testing/alert-fixture.ts';
import { refreshScheduledWindows } from '../../src/results/status/scheduled-windows.ts';
import { second, startUs } from '../../src/results/status/testing/scenario.ts';
import { type OneAccount, startOneAccount } from '../../src/testing/one-account.ts';

const minuteUs = 60 * second;
const errors = [hourMs, -hourMs, 60 * dayMs, -60 * dayMs];

/** The controller's clock on a machine that starts so, and whose error is known. */
function startsWrong(wrongMs: number) {
  const wall = createFakeClock(startUs + wrongMs * 1000);
  const ignoredStep = createSharedClock(wall, () => wall.monoMs());
  ignoredStep.moveBy(-wrongMs * 1000);
  return { wall, ignoredStep };
}

/** The controller's clock on a machine whose clock jumps while it runs. */
function jumps(wrongMs: number) {
  const wall = createFakeClock(startUs);
  const ignoredStep = createSharedClock(wall, () => wall.monoMs());
  ignoredStep.nowUs();
  wall.stepWall(wrongMs);
  return { wall, ignoredStep };
}

const known = errors.flatMap((wrongMs) => [
  { how: `starts wrong by ${wrongMs / hourMs} h`, wrongMs, make: startsWrong },
  { how: `jumps by ${wrongMs / hourMs} h`, wrongMs, make: jumps },
]);

let fixture: Awaited<ReturnType<typeof createAlertFixture>>;
let place: { locationNo: number; agentNo: number };
let one: OneAccount;
beforeAll(async () => {
  [fixture, one] = await Promise.all([createAlertFixture(), startOneAccount()]);
  place = await fixture.location('here');
});
afterAll(async () => {
  await fixture[Symbol.asyncDispose]();
  await one[Symbol.asyncDispose]();
});

describe('maintenance windows', () => {
  const evenUs = Math.ceil(startUs / minuteUs) * minuteUs;

  /** A device with a window each day, the first in an hour. */
  async function scheduled() {
    const device = await fixture.device([place]);
    const start_local = new Date((evenUs + 60 * minuteUs) / 1000).toISOString().slice(0, 16);
    const { mschedule_no } = await fixture.kysely
      .insertInto('mschedules')
      .values({
        mschedule_id: newId(),
        account_no: fixture.accountNo,
        name: newId(),
        duration_s: 600,
        start_local,
        recurrence: 'FREQ=DAILY',
      })
      .returning('mschedule_no')
      .executeTakeFirstOrThrow();
    await fixture.kysely
      .updateTable('devices')
      .set({ mschedule_no })
      .where('device_no', '=', device)
      .execute();
    return device;
  }
  /** Begins of its windows in minutes. */
  async function begins(device: number) {
    const rows = await fixture.kysely
      .selectFrom('maintenance_windows')
      .select('from_us')
      .where('device_no', '=', device)
      .orderBy('from_us')
      .execute();
    return rows.map(({ from_us }) => (from_us - evenUs) / minuteUs);
  }

  test.each(known)('are those of a right clock where it $how', async ({ wrongMs, make }) => {
    const device = await scheduled();
    const { wall, ignoredStep } = make(wrongMs);
    await refreshScheduledWindows(fixture.kysely, ignoredStep.nowUs(), device);
    expect(await begins(device)).toEqual([60, 60 + 24 * 60]);
    await wall.advance(26 * hourMs);
    await refreshScheduledWindows(fixture.kysely, ignoredStep.nowUs(), device);
    expect(await begins(device)).toEqual([60, 1 * 1440 + 60, 2 * 1440 + 60, 3 * 1440 + 60]);
  });

  test.each(errors)(
    'of a machine alone follow a clock that is wrong by %s ms, and are right with it again',
    async (wrongMs) => {
      const device = await scheduled();
      await refreshScheduledWindows(fixture.kysely, startUs + wrongMs * 1000, device);
      await refreshScheduledWindows(fixture.kysely, startUs, device);
      await refreshScheduledWindows(fixture.kysely, startUs, device);
      expect(await begins(device)).toEqual([60, 60 + 24 * 60]);
    },
  );
});

describe('steps of schedules', () => {
  beforeAll(() => fixture.everybody({ DelayMinutes: 10 }));

  /** A device that is Down ten seconds after the begin, and the seconds after which its first message exists. */
  async function messagesAfter(decideAt: (atS: number) => Promise<void>) {
    const device = await fixture.device([place]);
    for (const [at, code] of [1, 3, 3, 3].entries())
      await fixture.take([
        { device, agent: place.agentNo, at: 10 + 2 * at, code, attempt: Math.max(0, at - 1) },
      ]);
    await decideAt(20);
    const early = await fixture.messages(device);
    await decideAt(20 + 660);
    return { device, early, late: await fixture.messages(device) };
  }

  test.each(known)('come when they are due where the clock $how', async ({ wrongMs, make }) => {
    const { wall, ignoredStep } = make(wrongMs);
    const found = await messagesAfter(async (atS) => {
      await wall.advance(atS * 1000 - wall.monoMs());
      await fixture.decide((ignoredStep.nowUs() - startUs) / second);
    });
    expect(found).toMatchObject({ early: [], late: ['device.down'] });
  });

  test.each([hourMs, 60 * dayMs])(
    'of a machine alone count by a clock that is ahead by %s ms, and come once',
    async (wrongMs) => {
      const found = await messagesAfter((atS) => fixture.decide(atS + wrongMs / 1000));
      expect(found).toMatchObject({ early: [], late: ['device.down'] });
      await fixture.decide(2_000);
      expect(await fixture.messages(found.device)).toEqual(['device.down']);
    },
  );

  test.each([-hourMs, -60 * dayMs])(
    'of a machine alone wait with a clock that is behind by %s ms, and count from when it is right',
    async (wrongMs) => {
      const { device, late } = await messagesAfter((atS) => fixture.decide(atS + wrongMs / 1000));
      expect(late).toEqual([]);
      for (const atS of [2_000, 2_660]) await fixture.decide(atS);
      expect(await fixture.messages(device)).toEqual(['device.down']);
    },
  );
});

describe('ends of sessions and tokens', () => {
  const answers = z.object({ CsrfToken: z.string() });

  test.each(errors)(
    'a session lives by the database, however wrong the clock is (%s ms)',
    async (wrongMs) => {
      const { rest } = one;
      const { key, keyNo } = await rest.key(one.accountNo, 'UR');
      const signed = await rest.send('POST', '/session', { body: { Key: key } });
      answers.parse(signed.json);
      const Cookie = signed.headers.get('Set-Cookie')?.split(';')[0] ?? '';
      expect(Cookie).toContain(sessionCookieName);
      const ask = async () => (await rest.send('GET', '/session', { headers: { Cookie } })).json;
      rest.clock.stepWall(wrongMs);
      try {
        await rest.clock.advance(60_000);
        expect(await ask()).toMatchObject({ Level: 'UR' });
        await rest.db.kysely
          .updateTable('sessions')
          .set({ ends_us: Date.now() * 1000 - 60_000_000 })
          .where('key_no', '=', keyNo)
          .execute();
        await rest.clock.advance(60_000);
        expect(await ask()).toMatchObject({ code: 1001 });
      } finally {
        rest.clock.stepWall(-wrongMs);
      }
    },
  );

  const row = {
    agentNo: 1,
    agentId: 'a',
    isRevoked: false,
    tokenExpiresUs: startUs + 15 * minuteUs,
    tokenUsedUs: null,
    keyHash: null,
    certificate: null,
    certificateEndUs: null,
  };
  const now = (nowUs: number) => ({ keyHash: Buffer.alloc(32), nowUs });
  const refused = { kind: 'refuse', reason: 'expired' };

  test.each(known)('a token ends after its 15 minutes where the clock $how', async ({ wrongMs, make }) => {
    const { wall, ignoredStep } = make(wrongMs);
    await wall.advance(15 * 60_000);
    expect(decideEnrolment(row, now(ignoredStep.nowUs()))).toEqual({ kind: 'issue' });
    await wall.advance(1000);
    expect(decideEnrolment(row, now(ignoredStep.nowUs()))).toEqual(refused);
  });

  test.each(errors)('a token of a machine alone ends by the wrong clock (%s ms)', (wrongMs) => {
    const decided = decideEnrolment(row, now(startUs + wrongMs * 1000));
    expect(decided).toEqual(wrongMs > 0 ? refused : { kind: 'issue' });
  });
});

describe('cursors', () => {
  const page = z.array(z.object({ event_id: z.string(), Message: z.string() }));

  test('a list that is paged meanwhile has each row once, whatever times the rows were written with', async () => {
    const { rest } = one;
    const record = (message: string, wrongMs: number) =>
      rest.db.kysely
        .insertInto('events')
        .values({
          account_no: one.accountNo,
          at_us: rest.clock.nowUs() + wrongMs * 1000,
          recorded_us: rest.clock.nowUs() + wrongMs * 1000,
          event_id: newId(),
          type: 'Partial',
          status: 'Up',
          message,
        })
        .execute();
    const written = [0, -hourMs, 0, -60 * dayMs, 0, hourMs, 60 * dayMs, -hourMs, 0];
    for (const [i, wrongMs] of written.entries()) await record(`event ${i}`, wrongMs);
    const read = async () => {
      const seen: string[] = [];
      let jumpMs = hourMs / 2;
      for (let before = ''; ; ) {
        const { json } = await one.send('GET', `/events?Type=Partial&Limit=1${before}`);
        const [row] = page.parse(json);
        if (row === undefined) break;
        seen.push(row.Message);
        before = `&Before=${row.event_id}`;
        // A clock that jumps between two pages moves nothing.
        rest.clock.stepWall(jumpMs);
        jumpMs = -jumpMs;
      }
      if (jumpMs < 0) rest.clock.stepWall(jumpMs);
      return seen.sort();
    };
    rest.clock.stepWall(61 * dayMs);
    expect(await read()).toEqual(written.map((_, i) => `event ${i}`));
    rest.clock.stepWall(-61 * dayMs);
    const past = written.flatMap((wrongMs, i) => (wrongMs <= 0 ? [`event ${i}`] : []));
    expect(await read()).toEqual(past);
  });
});
