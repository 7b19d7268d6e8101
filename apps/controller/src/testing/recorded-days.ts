import { checkId, dayUs, minuteUs } from '@vantage/domain';
import type { Clock, Logger } from '@vantage/kernel';
import { createFakeClock } from '@vantage/kernel/testing';
import { type Db, startOfDay } from '@vantage/storage';
import { sampleDay } from '@vantage/storage/packed/testing/sample-day';
import { createFixtures } from '@vantage/testing/fixtures';
import { createDayPacker } from '../results/ingest/index.ts';
import { insertChecks } from '../results/ingest/insert-checks.ts';
import { rollUps } from '../results/roll-up/index.ts';
import type { OneAccount } from './one-account.ts';
import { createSampleAccount } from './sample-account.ts';

const methods = ['TCP', 'HTTP', 'PING'] as const;

/** The API with one account, and the database and clock behind it. */
interface Recorded {
  readonly one: OneAccount;
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
}

/** How much is recorded. */
interface Size {
  readonly devices: number;
  /** Of a device in a day. */
  readonly checks: number;
  /** Whole days before today. */
  readonly days: number;
  readonly retentionDays: number;
}

/** The numbers and ids of recorded things. */
export interface RecordedDays {
  readonly agentNo: number;
  readonly devices: readonly { readonly deviceNo: number; readonly deviceId: string }[];
  /** Checks that are rows, one of each device and day that is not packed. */
  readonly checkIds: readonly string[];
  /** Ids for the placeholders of paths, by name. */
  readonly ids: Readonly<Record<string, string>>;
}

/** Records whole days of checks of new devices, rolls them up, and packs those that ended two days ago. */
export async function recordDays(recorded: Recorded, size: Size): Promise<RecordedDays> {
  const { one, db, clock, log } = recorded;
  const { accountNo, locationNo } = one;
  const { ids } = await createSampleAccount(one.rest, one, one.key);
  const make = createFixtures(db.kysely);
  const { agentNo } = await make.agent({ accountNo, locationNo }, { state: 'Connected' });
  const firstUs = startOfDay(clock.nowUs() - size.days * dayUs);
  const devices: { readonly deviceNo: number; readonly deviceId: string }[] = [];
  const checkIds: string[] = [];
  for (let at = 0; at < size.devices; at += 1) {
    const method = methods[at % methods.length] ?? 'TCP';
    const device = { Method: 'TCP', URL: 'a.example:1', ShortName: `${method}-${at}` };
    const deviceId = await one.create('/devices', device);
    const { device_no: deviceNo } = await db.kysely
      .updateTable('devices')
      .set({ created_us: firstUs, changed_us: firstUs, retries: 0 })
      .where('device_id', '=', deviceId)
      .returning('device_no')
      .executeTakeFirstOrThrow();
    await make.hold({ deviceNo, agentNo, locationNo, fromUs: firstUs });
    devices.push({ deviceNo, deviceId });
    for (let day = firstUs; day < startOfDay(clock.nowUs()); day += dayUs) {
      const rows = sampleDay(method, { deviceNo, dayUs: day, checks: size.checks, agentNo, locationNo });
      await db.kysely.transaction().execute((trx) => insertChecks(trx, rows));
      const last = rows.at(-1);
      if (last !== undefined && day > clock.nowUs() - 2 * dayUs)
        checkIds.push(checkId({ deviceNo, startUs: last.start_us, agentNo }));
    }
  }
  await rollUps.createRollUp({ db, clock: createFakeClock(clock.nowUs() - dayUs), log }).run();
  await packDays(recorded, size.retentionDays);
  return { agentNo, devices, checkIds, ids };
}

/** Packs the days that ended so many days ago. */
export async function packDays(
  { db, clock, log }: Recorded,
  retentionDays: number,
  afterDays = 2,
): Promise<void> {
  const packer = createDayPacker({
    db,
    clock,
    log,
    afterDays,
    retentionDays,
    isRolledUp: rollUps.isRolledUp,
  });
  while (!(await packer.run()));
}

/** Their answers say how large the database is or what time it is; a key has no session. */
const leftOut = ['/installation', '/hello', '/session'];
/** Requests at a time. */
const atOnce = 8;

/** The answers of all routes that only read, of each thing that they can name (of so many devices), by path. */
export async function readAllRoutes(
  { one, clock }: Recorded,
  { devices: all, checkIds, ids }: RecordedDays,
  asked: number,
): Promise<ReadonlyMap<string, string>> {
  const iso = (us: number) => new Date(us / 1000).toISOString();
  const span = `Timestamp1=${iso(clock.nowUs() - 4 * dayUs)}&Timestamp2=${iso(clock.nowUs() - minuteUs)}`;
  const devices = all.slice(0, asked);
  const things: Readonly<Record<string, readonly string[]>> = {
    device_id: devices.map(({ deviceId }) => deviceId),
    check_id: checkIds.slice(0, 2 * asked),
  };
  const paths = one.rest.routes
    .filter(({ method, path }) => method === 'GET' && !leftOut.includes(path))
    .flatMap(({ path }) => {
      const [placeholder, name = ''] = /\{(\w+)\}/.exec(path) ?? [];
      if (placeholder === undefined) return [path];
      const known = [...(things[name] ?? []), ...(ids[name] === undefined ? [] : [ids[name]])];
      if (known.length === 0) throw new Error(`nothing is known for ${path}`);
      return known.map((id) => path.replace(placeholder, id));
    });
  paths.push(
    '/devices?Limit=2',
    `/outages?${span}`,
    `/events?${span}`,
    `/timeline?${span}`,
    `/uptime?${span}`,
  );
  for (const { deviceId } of devices)
    paths.push(
      `/devices/${deviceId}/checks?Limit=300`,
      `/devices/${deviceId}/checks?Limit=20&Offset=40`,
      `/devices/${deviceId}/checks?Limit=100&Offset=100`,
      `/devices/${deviceId}/checks?${span}&ResultCode=2`,
      `/devices/${deviceId}/uptime?${span}`,
      `/devices/${deviceId}/outages?${span}`,
      `/devices/${deviceId}/statistics?${span}`,
      `/devices/${deviceId}/statistics?${span}&Bucket=Hour&With=Phases,Histogram`,
    );
  const answers = new Map<string, string>();
  const left = paths.values();
  const reader = async () => {
    for (const path of left) {
      const { status, text } = await one.send('GET', path);
      answers.set(path, `${status} ${text}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, reader));
  return answers;
}
