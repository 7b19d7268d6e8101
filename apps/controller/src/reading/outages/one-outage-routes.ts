import { parseCheckId } from '@vantage/domain';
import type { Clock } from '@vantage/kernel';
import type { Route } from '@vantage/rest-kit/route';
import { route } from '@vantage/rest-kit/route-factories';
import type { Session } from '@vantage/rest-kit/session';
import type { Reader, Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';
import type { ChangeByCaller } from '../../resources/change.ts';
import type { OutageRow } from './outage-page.ts';
import { outageId, outageRecord, outageUpdate, readOnlyFields, showOutage } from './outage-record.ts';
import { hasDevice, listOutages } from './outage-store.ts';

/** Reading an outage, and what people say about it. */
export function oneOutageRoutes({
  clock,
  change,
}: {
  readonly clock: Clock;
  readonly change: ChangeByCaller;
}): Route[] {
  const shared = {
    path: '/outages/{outage_id}',
    tag: 'Outages',
    names: { root: 'outage', id: 'outage_id' },
    response: outageRecord,
    subject: {
      what: 'outage' as const,
      find: ({ accountNo }: Session, { outage_id: id = '' }: Readonly<Record<string, string>>, db: Reader) =>
        findOutage(db, { accountNo, id, nowUs: clock.nowUs() }),
    },
  } as const;
  return [
    route({
      ...shared,
      method: 'GET',
      readsHistory: true,
      level: 'UR',
      summary: 'An outage.',
      handler: async ({ session: { zone }, subject }) => ({
        body: showOutage(subject, zone, clock.nowUs()),
      }),
    }),
    route({
      ...shared,
      method: 'PUT',
      limitedCallers: 'permitted',
      level: 'UW',
      summary: 'Notes what people say about an outage, or leaves it out of uptime.',
      description: 'A field that is not sent stays as it is.',
      body: outageUpdate,
      readOnly: readOnlyFields,
      handler: async ({ db, session, subject, body: { Note, Excluded } }) => {
        const note = Note === undefined ? subject.note : Note === '' ? null : Note;
        const excluded = Excluded ?? subject.excluded;
        const fields = [
          { field: 'Note', old: subject.note, new: note },
          { field: 'Excluded', old: subject.excluded, new: excluded },
        ].filter(({ old, new: written }) => old !== written);
        if (fields.length > 0)
          await change(db, session, async ({ trx, record }) => {
            await writeOutageNote(trx, subject, { note, excluded });
            const { accountNo } = session;
            record({ action: 'update', kind: 'outage', accountNo, id: outageId(subject), fields });
          });
        return { body: showOutage({ ...subject, note, excluded }, session.zone, clock.nowUs()) };
      },
    }),
  ];
}

/** The account's outage with this id; undefined: there is none. */
async function findOutage(
  db: Reader,
  { accountNo, id, nowUs }: { readonly accountNo: number; readonly id: string; readonly nowUs: number },
): Promise<OutageRow | undefined> {
  const position = parseCheckId(id);
  if (
    position === undefined ||
    position.agentNo !== 0 ||
    !(await hasDevice(db, accountNo, position.deviceNo))
  )
    return undefined;
  const page = { fromUs: undefined, untilUs: undefined, before: undefined, firstErrorUs: position.startUs };
  const ask = { ...page, limit: 1, offset: 0, nowUs };
  return (await listOutages(db, { deviceNo: position.deviceNo }, ask)).rows[0];
}

/** People's notes about an outage. */
interface OutageNote {
  readonly note: string | null;
  readonly excluded: boolean;
}

/**
 * Stores the note of people about the outage of this device from its first error to its end (null: open), replacing an
 * earlier note.
 */
async function writeOutageNote(
  trx: Kysely<Tables>,
  outage: { readonly device_no: number; readonly from_us: number; readonly end_us: number | null },
  { note, excluded }: OutageNote,
): Promise<void> {
  const { device_no, from_us, end_us } = outage;
  await sql`delete from outage_notes where device_no = ${device_no}::int and from_us >= ${from_us}::bigint
    and (${end_us}::bigint is null or from_us < ${end_us}::bigint)`.execute(trx);
  if (note === null && !excluded) return;
  await trx.insertInto('outage_notes').values({ device_no, from_us, note, excluded }).execute();
}
