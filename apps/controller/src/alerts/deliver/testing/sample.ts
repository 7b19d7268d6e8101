import type { NewNotification } from '@vantage/alerts';
import { newId } from '@vantage/kernel';
import type { Tables } from '@vantage/storage';
import { createFixtures } from '@vantage/testing/fixtures';
import type { Kysely } from 'kysely';

/** A notification of a device that went down, for tests. */
export const sampleNotification: NewNotification = {
  accountNo: 1,
  contactNo: 1,
  alertNo: null,
  orderKey: 'device:1',
  kind: 'device.down',
  severity: 'critical',
  data: {
    alert_id: 'a'.repeat(48),
    device_id: 'd'.repeat(48),
    ShortName: 'web',
    FullName: 'Web server',
    Method: 'HTTP',
    URL: 'https://www.example.org/',
    Status: 'Down',
    Since: 1_795_000_000_000_000,
    CheckResult: 'HTTP 500',
    Location: 'Oslo',
    check_id: 'c'.repeat(48),
    Master: null,
    Severity: 'critical',
    Reason: null,
  },
  atUs: 1_795_000_000_000_000,
};

/** Adds an account with two contacts. `ids` are their public ids, `first` and `second` their numbers. */
export async function addTwoContacts(kysely: Kysely<Tables>) {
  const rows = createFixtures(kysely);
  const accountNo = await rows.account();
  const ids = [newId(), newId()] as const;
  const first = await rows.contact(accountNo, { contact_id: ids[0] });
  const second = await rows.contact(accountNo, { contact_id: ids[1] });
  return { accountNo, ids, first, second };
}

/** State and attempts of the alert's notifications, oldest first. */
export async function statesOfNotifications(kysely: Kysely<Tables>, alertNo: number): Promise<string[]> {
  const rows = await kysely
    .selectFrom('notifications')
    .select(['state', 'attempts'])
    .where('alert_no', '=', alertNo)
    .orderBy('notification_no')
    .execute();
  return rows.map(({ state, attempts }) => `${state} ${attempts}`);
}
