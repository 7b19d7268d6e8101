import { raw } from '@mikro-orm/core';
import type { Reader, Tables } from '@vantage/storage';
import { Secret } from '@vantage/storage/entities';
import { type Kysely, sql } from 'kysely';
import type { ChangeTransaction } from '../../resources/change.ts';

/** A secret in a list, without its value. */
export interface SecretRow {
  readonly secret_id: string;
  readonly name: string;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** A device with its sealed settings, in which references to secrets stand. */
export interface DeviceWithSecrets {
  readonly device_no: number;
  readonly device_id: string;
  readonly method: string;
  readonly short_name: string;
  readonly url: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly sealed: Uint8Array;
}

const columns = sql<SecretRow>`secret_id, name, created_at, updated_at`;

/** A page of the account's secrets by name, and how many there are. */
export async function listSecrets(
  { kysely }: Reader,
  accountNo: number,
  page: { readonly limit: number; readonly offset: number },
): Promise<{ readonly rows: readonly SecretRow[]; readonly total: number }> {
  const [found, count] = await Promise.all([
    sql<SecretRow>`select ${columns} from secrets where account_no = ${accountNo}
      order by name limit ${page.limit} offset ${page.offset}`.execute(kysely),
    sql<{
      total: number;
    }>`select count(*)::int as total from secrets where account_no = ${accountNo}`.execute(kysely),
  ]);
  return { rows: found.rows, total: count.rows[0]?.total ?? 0 };
}

/** The account's secret with this id. */
export async function findSecret(
  db: Pick<Reader, 'entities'>,
  accountNo: number,
  secretId: string,
): Promise<Secret | undefined> {
  return (await (await db.entities()).findOne(Secret, { secretId, accountNo })) ?? undefined;
}

/**
 * Inserts a secret. False, and nothing is written, when the account has one of this name. The caller holds the
 * account's lock.
 */
export async function insertSecret(
  { em }: ChangeTransaction,
  secret: Pick<Secret, 'accountNo' | 'name' | 'secretId' | 'sealed'>,
): Promise<void> {
  em.create(Secret, secret);
  await em.flush();
}

/** Gives a secret another sealed value. */
export async function updateSecret(
  { em }: ChangeTransaction,
  secretId: string,
  sealed: Uint8Array,
): Promise<void> {
  await em.nativeUpdate(Secret, { secretId }, { sealed, updatedAt: raw<Date>('clock_timestamp()') });
}

/** Deletes a secret. False: it was gone before. */
export async function deleteSecret({ em }: ChangeTransaction, secretId: string): Promise<boolean> {
  return (await em.nativeDelete(Secret, { secretId })) > 0;
}

/** The next 500 devices of an account by number, after `afterNo`. */
export async function sealedDevices(
  trx: Kysely<Tables>,
  accountNo: number,
  afterNo: number,
): Promise<readonly DeviceWithSecrets[]> {
  return trx
    .selectFrom('devices')
    .select(['device_no', 'device_id', 'method', 'short_name', 'url', 'options', 'sealed'])
    .where('account_no', '=', accountNo)
    .where('device_no', '>', afterNo)
    .orderBy('device_no')
    .limit(500)
    .execute();
}

/** Numbers of the account's connected agents. */
export async function connectedAgents(trx: Kysely<Tables>, accountNo: number): Promise<readonly number[]> {
  const rows = await trx
    .selectFrom('agents')
    .select('agent_no')
    .where('account_no', '=', accountNo)
    .where('state', '=', 'Connected')
    .execute();
  return rows.map(({ agent_no }) => agent_no);
}
