import { checkId } from '@vantage/domain';
import { createLog, newId } from '@vantage/kernel';
import { createFakeClock } from '@vantage/kernel/testing';
import { runRequests } from '../../../agents/run-requests/index.ts';
import { createRecordEvents, recordEvents } from '../../../results/events/record-events.ts';
import { createScenario, second, startUs } from '../../../results/status/testing/scenario.ts';
import { enqueue } from '../../deliver/enqueue.ts';
import { withdraw, withdrawEnds } from '../../deliver/withdraw.ts';
import { touchRequested } from '../change-store.ts';
import { type DecideDeps, decideDue } from '../decide-due.ts';
import { dueAlertNos } from '../due-store.ts';
import { createOnEvents } from '../on-events.ts';
import { createOnFailed } from '../on-failed.ts';
import { createAlertTimes } from '../stored-alert-facts.ts';

const log = createLog('alerts test', 'silent');
const times = createAlertTimes((length) => length);
const onEvents = createOnEvents({ recordEvents, withdrawEnds, flappingWindowUs: times.quietUs });

/** The fixture of health, with alerts in the transactions of its events. Moments are seconds since its begin. */
export async function createAlertFixture() {
  const fixture = await createScenario(() => createRecordEvents({ onRecorded: onEvents }));
  const { kysely, accountNo } = fixture;
  const { createRunRequests } = runRequests;
  const deps: DecideDeps = { times, log, recordEvents, enqueue, withdraw, createRunRequests };
  return {
    ...fixture,
    clock: createFakeClock(startUs),

    /** A contact, and a schedule of one step that notifies it; the schedule is the account's. */
    async everybody(step: object = {}, notify: readonly string[] | null = null) {
      const contactId = newId();
      const contact = { contact_id: contactId, account_no: accountNo, name: 'NOC', type: 'email' };
      await kysely
        .insertInto('contacts')
        .values({
          ...contact,
          address: 'noc@example.org',
          sealed: Buffer.alloc(1),
          notify: notify === null ? null : [...notify],
        })
        .execute();
      const steps = JSON.stringify([{ DelayMinutes: 0, Contacts: [contactId], ...step }]);
      const { nschedule_no } = await kysely
        .insertInto('nschedules')
        .values({ nschedule_id: newId(), account_no: accountNo, name: 'Everybody', steps })
        .returning('nschedule_no')
        .executeTakeFirstOrThrow();
      await kysely
        .updateTable('accounts')
        .set({ nschedule_no })
        .where('account_no', '=', accountNo)
        .execute();
      return contactId;
    },

    /** Decides all alerts that are due at this second, by as many controllers at once. */
    async decide(at: number, controllers = 1) {
      const nowUs = startUs + at * second;
      const due = await dueAlertNos(kysely, nowUs, { limit: 1_000 });
      const one = () => kysely.transaction().execute((trx) => decideDue(trx, due, nowUs, deps));
      await Promise.all(Array.from({ length: controllers }, one));
    },

    /** As `decide`, by this connection. */
    async decideBy(by: typeof kysely, at: number) {
      const nowUs = startUs + at * second;
      const due = await dueAlertNos(kysely, nowUs, { limit: 1_000 });
      await by.transaction().execute((trx) => decideDue(trx, due, nowUs, deps));
    },

    onFailed: createOnFailed({ log, recordEvents, enqueue }),

    /** Kind of each message about this device (null: about Locations and the account), oldest first. */
    async messages(device: number | null) {
      const rows = await kysely
        .selectFrom('notifications as n')
        .leftJoin('alerts as a', 'a.alert_no', 'n.alert_no')
        .select(['n.kind', 'n.data'])
        .where('a.device_no', device === null ? 'is' : '=', device)
        .orderBy('n.notification_no')
        .execute();
      return rows.map(({ kind }) => kind);
    },

    /** The alerts about this device, oldest first. */
    async alerts(device: number) {
      return kysely
        .selectFrom('alerts')
        .selectAll()
        .where('device_no', '=', device)
        .orderBy('alert_no')
        .execute();
    },

    /** A run request is answered by this check, as ingest stores it. */
    async answer(runRequestId: string, { device, agent, at }: { device: number; agent: number; at: number }) {
      const check_id = checkId({ deviceNo: device, startUs: startUs + at * second, agentNo: agent });
      const answered = { state: 'Answered', check_id } as const;
      await kysely
        .updateTable('run_requests')
        .set(answered)
        .where('run_request_id', '=', runRequestId)
        .execute();
      await touchRequested(kysely, runRequestId, startUs + at * second);
    },

    /** The device's master. */
    async behind(device: number, master: number) {
      await kysely
        .updateTable('devices')
        .set({ master_no: master })
        .where('device_no', '=', device)
        .execute();
    },
  };
}
