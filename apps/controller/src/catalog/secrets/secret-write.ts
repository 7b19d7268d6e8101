import { secretSealContext } from '@vantage/domain';
import { newId } from '@vantage/kernel';
import { publish, type Tables } from '@vantage/storage';
import type { Secret } from '@vantage/storage/entities';
import type { Sealer } from '@vantage/storage/secrets/seal';
import { referencesOf } from '@vantage/storage/secrets/sealed-device';
import type { Kysely } from 'kysely';
import { lockAccount } from '../../resources/account-lock.ts';
import type { ChangeTransaction } from '../../resources/change.ts';
import { createdFields, deletedFields, secretField } from '../../resources/field-changes.ts';
import { refuseBeyondLimit } from '../../resources/limited-kinds.ts';
import { nameConflict } from '../../resources/name-conflict.ts';
import type { Conflict, Invalid, Missing } from '../../resources/refusal.ts';
import { openOrShown } from '../devices/stored-target.ts';
import { connectedAgents, deleteSecret, insertSecret, sealedDevices, updateSecret } from './secret-store.ts';

/** Stores a secret. After the commit the gateways send it to the agents whose devices refer to it. */
export async function createSecret(
  transaction: ChangeTransaction,
  sealer: Sealer,
  { accountNo, name, value }: { readonly accountNo: number; readonly name: string; readonly value: string },
): Promise<{ readonly kind: 'created'; readonly secretId: string } | Conflict | Invalid> {
  await lockAccount(transaction.trx, accountNo);
  const refusal = await refuseBeyondLimit(transaction, 'secrets', accountNo);
  if (refusal !== undefined) return refusal;
  const taken = await nameConflict(
    transaction.trx,
    { kind: 'secret', what: 'secret', accountNo },
    name,
    undefined,
  );
  if (taken !== undefined) return taken;
  const secretId = newId();
  const sealed = sealer.seal(value, secretSealContext(secretId));
  await insertSecret(transaction, { accountNo, name, secretId, sealed });
  await notifyAgents(transaction, accountNo);
  const fields = [...createdFields({ Name: name }), secretField('Value', false)];
  transaction.record({ action: 'create', kind: 'secret', accountNo, id: secretId, fields });
  return { kind: 'created', secretId };
}

/** Changes the value of a secret. Its name stays, because devices may refer to it. */
export async function changeSecret(
  transaction: ChangeTransaction,
  sealer: Sealer,
  {
    secret,
    name,
    value,
  }: { readonly secret: Secret; readonly name?: string | undefined; readonly value?: string | undefined },
): Promise<{ readonly kind: 'changed' } | Conflict> {
  if (name !== undefined && name !== secret.name)
    return {
      kind: 'conflict',
      reason: 'fixed_field',
      message: `Name cannot be changed: this secret is ${secret.name}. Create a secret named as you wish, and delete this one.`,
      faults: [{ field: 'Name', message: 'cannot be changed' }],
    };
  if (value === undefined) return { kind: 'changed' };
  const { accountNo, secretId } = secret;
  await updateSecret(transaction, secretId, sealer.seal(value, secretSealContext(secretId)));
  await notifyAgents(transaction, accountNo);
  const fields = [secretField('Value', true)];
  transaction.record({ action: 'update', kind: 'secret', accountNo, id: secretId, fields });
  return { kind: 'changed' };
}

/** Deletes a secret to which no device refers. */
export async function removeSecret(
  transaction: ChangeTransaction,
  sealer: Sealer,
  secret: Secret,
): Promise<{ readonly kind: 'deleted' } | Conflict | Missing> {
  const { trx } = transaction;
  const { accountNo, name, secretId } = secret;
  await lockAccount(trx, accountNo);
  const users = await usersOfSecret(trx, sealer, secret, maxNamed);
  if (users.length > 0)
    return {
      kind: 'conflict',
      reason: 'in_use',
      message: `Devices refer to this secret: ${users.map((user) => `${user.short_name} (${user.device_id})`).join(', ')}.`,
    };
  if (!(await deleteSecret(transaction, secretId))) return { kind: 'missing', what: 'secret' };
  transaction.record({
    action: 'delete',
    kind: 'secret',
    accountNo,
    id: secretId,
    fields: deletedFields({ Name: name }),
  });
  return { kind: 'deleted' };
}

async function notifyAgents({ trx }: ChangeTransaction, accountNo: number): Promise<void> {
  await publish(trx, 'plan', { agent_nos: [...(await connectedAgents(trx, accountNo))] });
}

/** A refusal names this many devices. */
const maxNamed = 10;

/** A device that refers to a secret. */
export interface SecretUser {
  readonly device_id: string;
  readonly short_name: string;
}

/** At most `max` devices that refer to a secret, in the order of their creation. */
export async function usersOfSecret(
  kysely: Kysely<Tables>,
  sealer: Sealer,
  { accountNo, name }: Pick<Secret, 'accountNo' | 'name'>,
  max: number,
): Promise<readonly SecretUser[]> {
  const users: SecretUser[] = [];
  let afterNo = 0;
  let rows = await sealedDevices(kysely, accountNo, afterNo);
  while (rows.length > 0 && users.length < max) {
    for (const row of rows) {
      afterNo = row.device_no;
      const { url, options } = referencesOf(row.method, openOrShown(sealer, row));
      if (url.has(name) || options.has(name)) users.push(row);
    }
    rows = await sealedDevices(kysely, accountNo, afterNo);
  }
  return users.slice(0, max);
}
