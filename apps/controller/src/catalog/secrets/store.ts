import { secretSealContext } from '@vantage/domain';
import { newId } from '@vantage/kernel';
import { sql } from 'kysely';
import type { Db } from '../../db/index.ts';
import type { Sealer } from '../../secrets/seal.ts';

/** A secret without its value. */
export interface SecretRow {
  readonly secret_id: string;
  readonly name: string;
  readonly updated_us: number;
}

/** A device with its sealed settings, for who looks for references. */
export interface SealedDevice {
  readonly device_no: number;
  readonly device_id: string;
  readonly method: string;
  readonly short_name: string;
  readonly url: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly sealed: Uint8Array;
}

const columns = sql<SecretRow>`secret_id, name, (extract(epoch from updated_at) * 1000000)::bigint as updated_us`;

/** A page of the account's secrets by name, and how many there are. */
export async function listSecrets(
  { kysely }: Db,
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
  { kysely }: Db,
  accountNo: number,
  secretId: string,
): Promise<SecretRow | undefined> {
  const { rows } = await sql<SecretRow>`select ${columns} from secrets
    where account_no = ${accountNo} and secret_id = ${secretId}`.execute(kysely);
  return rows[0];
}

/** Which of these names the account has no secret of. */
export async function unknownSecrets(
  kysely: Db['kysely'],
  accountNo: number,
  names: readonly string[],
): Promise<readonly string[]> {
  if (names.length === 0) return [];
  const rows = await kysely
    .selectFrom('secrets')
    .select('name')
    .where('account_no', '=', accountNo)
    .where('name', 'in', names)
    .execute();
  return names.filter((name) => !rows.some((row) => row.name === name));
}

/** Creates a secret; undefined when the name is taken. */
export async function insertSecret(
  { kysely }: Db,
  sealer: Sealer,
  secret: { readonly accountNo: number; readonly name: string; readonly value: string },
): Promise<string | undefined> {
  const secretId = newId();
  const row = await kysely
    .insertInto('secrets')
    .values({
      account_no: secret.accountNo,
      name: secret.name,
      secret_id: secretId,
      sealed: sealer.seal(secret.value, secretSealContext(secretId)),
    })
    .onConflict((conflict) => conflict.columns(['account_no', 'name']).doNothing())
    .returning('secret_id')
    .executeTakeFirst();
  return row?.secret_id;
}

/** Gives a secret another value. */
export async function replaceSecret(
  { kysely }: Db,
  sealer: Sealer,
  secretId: string,
  value: string,
): Promise<void> {
  await kysely
    .updateTable('secrets')
    .set({
      sealed: sealer.seal(value, secretSealContext(secretId)),
      updated_at: sql<Date>`clock_timestamp()`,
    })
    .where('secret_id', '=', secretId)
    .execute();
}

/** Deletes a secret. */
export async function deleteSecret(trx: Db['kysely'], secretId: string): Promise<void> {
  await trx.deleteFrom('secrets').where('secret_id', '=', secretId).execute();
}

/** The next devices of an account by number, for a walk over all of them. */
export async function sealedDevices(
  trx: Db['kysely'],
  accountNo: number,
  afterNo: number,
): Promise<readonly SealedDevice[]> {
  return trx
    .selectFrom('devices')
    .select(['device_no', 'device_id', 'method', 'short_name', 'url', 'options', 'sealed'])
    .where('account_no', '=', accountNo)
    .where('device_no', '>', afterNo)
    .orderBy('device_no')
    .limit(500)
    .execute();
}

/** Numbers of the account's connected agents: they are told when a secret changes. */
export async function connectedAgents({ kysely }: Db, accountNo: number): Promise<readonly number[]> {
  const rows = await kysely
    .selectFrom('agents')
    .select('agent_no')
    .where('account_no', '=', accountNo)
    .where('state', '=', 'Connected')
    .execute();
  return rows.map(({ agent_no }) => agent_no);
}
