import type { Clock, Logger } from '@vantage/kernel';
import type { Db } from '@vantage/storage';
import { runRequests } from '../agents/run-requests/index.ts';
import { decideDue } from '../alerts/decide/decide-due.ts';
import { dueAlertNos } from '../alerts/decide/due-store.ts';
import { createOnEvents } from '../alerts/decide/on-events.ts';
import { createAlertTimes } from '../alerts/decide/stored-alert-facts.ts';
import { messages } from '../alerts/deliver/index.ts';
import { createRecordEvents, recordEvents } from '../results/events/record-events.ts';
import type { OneAccount } from './one-account.ts';

const times = createAlertTimes((length) => length);

/** Records events and opens the alerts that they cause, in their transaction. */
export const recordWithAlerts = createRecordEvents({
  onRecorded: createOnEvents({
    recordEvents,
    withdrawEnds: messages.withdrawEnds,
    flappingWindowUs: times.quietUs,
  }),
});

/** A contact that gets every alert of the account. */
interface NotifiedContact {
  /** Decides the alerts that are due. */
  decide(): Promise<void>;
  /** The kinds of the messages about a device, the oldest first. */
  messagesAbout(deviceNo: number): Promise<string[]>;
}

/** Creates the contact and the account's schedule. Its Location is online. */
export async function createNotifiedContact({
  one,
  db,
  clock,
  log,
}: {
  readonly one: OneAccount;
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
}): Promise<NotifiedContact> {
  const contact = await one.create('/contacts', { Name: 'NOC', Type: 'email', Address: 'noc@example.org' });
  const Steps = [{ DelayMinutes: 0, Contacts: [contact] }];
  const nschedule_id = await one.create('/nschedules', { Name: 'Everybody', Steps });
  const { status, text } = await one.send('PUT', '/account', { nschedule_id });
  if (status !== 200) throw new Error(text);
  const online = { online: true, online_since_us: clock.nowUs() };
  await db.kysely.updateTable('locations').set(online).where('location_no', '=', one.locationNo).execute();
  const { createRunRequests } = runRequests;
  const deps = { times, log, recordEvents, ...messages, createRunRequests };
  return {
    async decide() {
      const due = await dueAlertNos(db.kysely, clock.nowUs(), { limit: 1_000 });
      await db.kysely.transaction().execute((trx) => decideDue(trx, due, clock.nowUs(), deps));
    },
    async messagesAbout(deviceNo) {
      const rows = await db.kysely
        .selectFrom('notifications as n')
        .innerJoin('alerts as a', 'a.alert_no', 'n.alert_no')
        .select('n.kind')
        .where('a.device_no', '=', deviceNo)
        .orderBy('n.notification_no')
        .execute();
      return rows.map(({ kind }) => kind);
    },
  };
}
