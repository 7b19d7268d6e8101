import { type CheckKey, parseCheckId } from '@vantage/domain';
import { type Clock, isId } from '@vantage/kernel';
import { someOf } from '@vantage/rest-kit/members';
import { beforeQuery, cutCursor, readCursor } from '@vantage/rest-kit/paging';
import { conflict, missing, Problem, problemCode } from '@vantage/rest-kit/problem';
import type { Route, RouteSpec } from '@vantage/rest-kit/route';
import { route } from '@vantage/rest-kit/route-factories';
import type { Session } from '@vantage/rest-kit/session';
import type { Reader } from '@vantage/storage';
import { z } from 'zod';
import { seriesOf } from '../values/value-store.ts';
import {
  checkExtended,
  checkOfDevice,
  checkRecord,
  perfStats,
  showCheck,
  showExtended,
} from './check-record.ts';
import { type CheckPage, findCheck, hasCheck, idOf, listChecks } from './check-store.ts';
import { historyQuery, readHistoryFilter } from './list-filters.ts';

export { showTrial, trialRecord } from './check-record.ts';

/** The outcome of a check on request: its address, or the reason why no agent ran it. */
export type CheckNowResult =
  | { readonly kind: 'done'; readonly checkId: string }
  | { readonly kind: 'noAgent'; readonly message: string };

/** Has a device checked at once; `traceroute`: the agent traces the path to the device after it. */
export type CheckDeviceNow = (
  deviceNo: number,
  signal: AbortSignal,
  traceroute?: boolean,
) => Promise<CheckNowResult>;

/** A device that a path names, as the catalog finds it. */
interface FoundDevice {
  readonly device_no: number;
  readonly created_us: number;
}

/** Finds the device of a path. */
export type DeviceSubject = RouteSpec<FoundDevice, z.ZodObject, z.ZodObject, z.ZodType>['subject'];

const tag = 'Checks';

/** The parts that the routes of checks need. */
interface CheckRouteDeps {
  readonly clock: Clock;
  readonly device: DeviceSubject;
  readonly checkNow: CheckDeviceNow;
}

/** Reading checks, and having one made. */
export function checkRoutes(deps: CheckRouteDeps): Route[] {
  const check = {
    what: 'check' as const,
    find: (session: Session, { check_id = '' }: Readonly<Record<string, string>>, db: Reader) =>
      findCheckById(db, session, check_id),
  };
  return [
    route({
      method: 'GET',
      path: '/checks/{check_id}',
      readsHistory: true,
      level: 'UR',
      tag,
      summary: 'One check.',
      subject: check,
      response: checkOfDevice,
      names: { root: 'check', id: 'check_id' },
      handler: async ({ db, session, subject }) => {
        const series = await seriesOf(db, [subject]);
        return { body: { ...showCheck(subject, session.zone, series), device_id: subject.device_id } };
      },
    }),
    route({
      method: 'GET',
      path: '/checks/{check_id}/extended',
      readsHistory: true,
      level: 'UR',
      tag,
      summary: 'Everything else that is known about a check.',
      subject: check,
      response: checkExtended,
      names: { root: 'check', id: 'check_id' },
      handler: async ({ db, session, subject }) => ({
        body: showExtended(subject, session.zone, await seriesOf(db, [subject])),
      }),
    }),
    ...checksOfDevice(deps),
  ];
}

async function findCheckById(db: Reader, { accountNo }: Session, checkId: string) {
  const key = parseCheckId(checkId);
  return key === undefined ? undefined : findCheck(db, accountNo, key);
}

function checksOfDevice({ clock, device, checkNow }: CheckRouteDeps): Route[] {
  return [
    route({
      method: 'GET',
      path: '/devices/{device_id}/checks',
      readsHistory: true,
      level: 'UR',
      tag,
      summary: "A device's checks, newest first.",
      // The statement that reads the checks finds the device, because programs read them often.
      subject: {
        what: 'device' as const,
        find: async (_: Session, { device_id: deviceId = '' }: Readonly<Record<string, string>>) =>
          isId(deviceId) ? { deviceId } : undefined,
      },
      query: checksQuery,
      response: z.array(checkRecord),
      names: { root: 'checks', row: 'check', id: 'check_id' },
      handler: async ({ db, session, subject: { deviceId }, query }) => {
        const page = await readCheckPage(db, session, query);
        const { accountNo } = session;
        const found = await listChecks(db, { accountNo, deviceId }, page, clock.nowUs());
        if (found === undefined) throw missing('device');
        if (page.before !== undefined && !(await isOf(db, page.before, found.deviceNo, clock.nowUs())))
          throw missing('check');
        const { rows, next } = cutCursor(found.rows, page.limit, 'before', idOf);
        const series = await seriesOf(db, rows);
        return { body: rows.map((row) => showCheck(row, session.zone, series)), next };
      },
    }),
    route({
      method: 'POST',
      path: '/devices/{device_id}/check',
      limitedCallers: 'permitted',
      waits: true,
      level: 'UO',
      tag,
      summary: 'Checks a device now and answers with the record.',
      description:
        'A check of the device that already runs ends first, so the answer may take twice its Timeout, and twice more for each caller who already waits, at most four minutes. 1005: no agent is connected, or it did not answer; the message has the reason.',
      subject: device,
      response: checkOfDevice,
      names: { root: 'check', id: 'check_id' },
      handler: async ({ session, subject, scoped, signal }) => {
        const result = await checkNow(subject.device_no, signal);
        if (result.kind === 'noAgent') throw conflict('no_answer', result.message);
        const row = await scoped((db) => findCheckById(db, session, result.checkId));
        if (row === undefined) throw await scoped((db) => notStored(db, subject.device_no));
        const series = await scoped((db) => seriesOf(db, [row]));
        return { body: { ...showCheck(row, session.zone, series), device_id: row.device_id } };
      },
    }),
  ];
}

const codeTexts = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '10'] as const;

const checksQuery = z.object({
  ...historyQuery,
  ResultCode: someOf(codeTexts, 'Checks with these ResultCodes only.').meta({ example: ['2', '3'] }),
  PerfStat: someOf(perfStats, 'Checks with one of these PerfStats only.'),
  ...beforeQuery('check_id'),
});

/** Throws a Problem: 1004 for a wrong filter, 1003 for a Location that the account does not have. */
async function readCheckPage(
  db: Reader,
  session: Session,
  asked: z.output<typeof checksQuery>,
): Promise<CheckPage> {
  const { limit, offset, cursor } = readCursor(asked, 'check_id');
  const codes = asked.ResultCode?.map(Number);
  const perfs = asked.PerfStat?.map((name) => perfStats.indexOf(name));
  const filter = await readHistoryFilter(db, session, asked);
  const before = cursor === undefined ? undefined : (parseCheckId(cursor) ?? noCheck);
  return { ...filter, codes, perfs, before, limit, offset };
}

/** The key of no check, for an id that is none. */
const noCheck = { deviceNo: 0, startUs: 0, agentNo: 0 } as const;

async function isOf(db: Reader, key: CheckKey, deviceNo: number, nowUs: number): Promise<boolean> {
  return key.deviceNo === deviceNo && (await hasCheck(db, key, nowUs));
}

/** Why a check that was made is not found: its device was deleted meanwhile, or its row is not there yet. */
export async function notStored({ kysely }: Reader, deviceNo: number): Promise<Problem> {
  const row = await kysely
    .selectFrom('devices')
    .select('device_no')
    .where('device_no', '=', deviceNo)
    .executeTakeFirst();
  return row === undefined
    ? missing('device')
    : new Problem(problemCode.unavailable, 'The check was made, but its result is not stored yet.');
}
