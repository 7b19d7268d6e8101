import type { Clock } from '@vantage/kernel';
import { boundedText } from '@vantage/kernel';
import { z } from 'zod';
import { type Db, publish } from '../../db/index.ts';
import { idField, isId } from '../../http/field.ts';
import { conflict, type FieldFault, invalid } from '../../http/problem.ts';
import { noSubject, type Route, route, validatingRoute } from '../../http/route.ts';
import type { Session } from '../../http/session.ts';
import { isZoneName } from '../../http/zone.ts';
import { moveDefaultDevices } from '../devices/default-store.ts';
import { defaultLocations, findLocations, findNschedule, lockAccount } from '../devices/lookup-store.ts';
import { isNameTaken, readAccount, updateAccount } from './store.ts';

const tag = 'Account';
const names = { root: 'account', id: 'account_id' } as const;
const readOnly = ['account_id', 'RetentionDays'] as const;

const accountFull = z
  .strictObject({
    account_id: idField,
    Name: z.string(),
    Timezone: z.string().describe('IANA name; timestamps are shown in it.'),
    DefaultLocations: z.array(z.string()).describe('Locations of devices that name none.'),
    nschedule_id: z.string().nullable(),
    RetentionDays: z.int().describe("How long raw checks are kept; the operator's setting."),
  })
  .meta({ id: 'Account' });

const accountUpdate = z
  .strictObject({
    Name: boundedText(200, 1).optional(),
    Timezone: boundedText(100)
      .refine(isZoneName, 'must be an IANA time zone such as Europe/Berlin')
      .optional(),
    DefaultLocations: z
      .array(boundedText(200, 1))
      .max(1000)
      .nullable()
      .optional()
      .describe('Names or ids; null: the Location named local.'),
    nschedule_id: boundedText(100).nullable().optional(),
  })
  .meta({ id: 'AccountUpdate' });

/** Reading and changing the caller's own account. `onChanged` is told when what sessions know of it changed. */
export function accountRoutes({
  db,
  clock,
  retentionDays,
  onChanged,
}: {
  readonly db: Db;
  readonly clock: Clock;
  readonly retentionDays: number;
  readonly onChanged: (accountNo: number) => void;
}): Route[] {
  const read = async ({ accountNo }: Session): Promise<z.input<typeof accountFull>> => {
    const [row, locations] = await Promise.all([
      readAccount(db.kysely, accountNo),
      defaultLocations(db.kysely, accountNo),
    ]);
    return {
      account_id: row.account_id,
      Name: row.name,
      Timezone: row.timezone,
      DefaultLocations: locations.map(({ name }) => name),
      nschedule_id: row.nschedule_id,
      RetentionDays: retentionDays,
    };
  };

  const change = (
    { accountNo }: Session,
    sent: Partial<z.output<typeof accountUpdate>>,
    known: readonly FieldFault[],
  ): Promise<void> =>
    db.kysely.transaction().execute(async (trx) => {
      await lockAccount(trx, accountNo);
      const faults = [...known];
      const [row, before] = await Promise.all([
        readAccount(trx, accountNo),
        defaultLocations(trx, accountNo),
      ]);
      const locations = await readLocations(
        trx,
        accountNo,
        sent.DefaultLocations,
        row.default_location_ids,
        faults,
      );
      const nscheduleNo = await readSchedule(trx, accountNo, sent.nschedule_id, row.nschedule_no, faults);
      if (faults.length > 0) throw invalid(faults);
      if (sent.Name !== undefined && (await isNameTaken(trx, accountNo, sent.Name)))
        throw conflict('Another account has this Name.', [{ field: 'Name', message: 'is taken' }]);
      await updateAccount(trx, accountNo, {
        name: sent.Name ?? row.name,
        timezone: sent.Timezone ?? row.timezone,
        nscheduleNo,
        defaultLocationIds: locations,
      });
      const after = await defaultLocations(trx, accountNo);
      const numbers = after.map(({ location_no }) => location_no);
      if (numbers.join() === before.map(({ location_no }) => location_no).join()) return;
      const concerned = await moveDefaultDevices(trx, accountNo, numbers, clock.nowUs());
      await publish(trx, 'catalog', { location_nos: concerned });
    });

  return [
    route({
      method: 'GET',
      path: '/account',
      level: 'UR',
      tag,
      summary: "The caller's account.",
      subject: noSubject,
      response: accountFull,
      names,
      handler: async ({ session }) => ({ body: await read(session) }),
    }),
    validatingRoute({
      method: 'PUT',
      path: '/account',
      level: 'UW',
      tag,
      summary: 'Changes the account: what is absent stays.',
      subject: noSubject,
      body: accountUpdate,
      readOnly,
      response: accountFull,
      names,
      handler: async ({ session, body, faults }) => {
        await change(session, body, faults);
        onChanged(session.accountNo);
        return { body: await read(session) };
      },
    }),
  ];
}

/** The ids of the default Locations as they are to be kept; what is sent back unchanged changes nothing. */
async function readLocations(
  trx: Db['kysely'],
  accountNo: number,
  sent: readonly string[] | null | undefined,
  kept: readonly string[] | null,
  faults: FieldFault[],
): Promise<readonly string[] | null> {
  if (sent === undefined) return kept;
  if (sent === null || (kept === null && sent.join() === 'local')) return null;
  const known = await findLocations(trx, accountNo, sent);
  const ids = sent.flatMap((text) => {
    const row =
      known.find(({ location_id }) => location_id === text) ?? known.find(({ name }) => name === text);
    if (row === undefined)
      faults.push({
        field: 'DefaultLocations',
        message: `names ${JSON.stringify(text.slice(0, 60))}, which does not exist`,
      });
    return row?.location_id ?? [];
  });
  return [...new Set(ids)];
}

async function readSchedule(
  trx: Db['kysely'],
  accountNo: number,
  sent: string | null | undefined,
  kept: number | null,
  faults: FieldFault[],
): Promise<number | null> {
  if (sent === undefined) return kept;
  if (sent === null) return null;
  const found = isId(sent) ? await findNschedule(trx, accountNo, sent) : undefined;
  if (found === undefined) faults.push({ field: 'nschedule_id', message: 'names nothing that exists' });
  return found ?? null;
}
