import { readExpiryDays, secondUs, standardExpiryDays } from '@vantage/domain';
import { declareState } from '@vantage/kernel';
import { intArray, type Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';

/** The warning days of accounts that this process has read, each with the time of reading. */
export type AccountDays = Map<number, { readonly days: readonly number[]; readonly readUs: number }>;

/** A change holds after this time. Warnings are about days, so a minute does not matter. */
const validUs = 60 * secondUs;
/** An entry needs about 200 bytes. */
const maxKnown = 10_000;

const tracked = declareState({
  name: 'account_expiry_days',
  entries: maxKnown,
  entryBytes: 200,
  filledBy: 'accounts',
  atBound: 'all are forgotten, and read again',
});

/** The warning days that a process has read: none yet. */
export function createAccountDays(): AccountDays {
  return tracked(new Map());
}

/** The days at which the devices of these accounts warn that have no days of their own. */
export async function daysOfAccounts(
  trx: Kysely<Tables>,
  accountNos: readonly number[],
  { nowUs, known = new Map() }: { readonly nowUs: number; readonly known?: AccountDays | undefined },
): Promise<(accountNo: number) => readonly number[]> {
  const missing = accountNos.filter((no) => Math.abs(nowUs - (known.get(no)?.readUs ?? -validUs)) >= validUs);
  if (missing.length > 0) {
    const { rows } = await sql<{ account_no: number; expiry_warning_days: string | null }>`
      select account_no, expiry_warning_days from accounts
      where account_no = any(${intArray(missing)}::int[])`.execute(trx);
    if (known.size + rows.length > maxKnown) known.clear();
    for (const { account_no, expiry_warning_days: text } of rows)
      known.set(account_no, {
        days: text === null ? standardExpiryDays : readExpiryDays(text),
        readUs: nowUs,
      });
  }
  return (accountNo) => known.get(accountNo)?.days ?? standardExpiryDays;
}
