import { secretSealContext } from '@vantage/domain';
import { newId } from '@vantage/kernel';
import type { Secret } from '../../platform/db/entities.ts';
import { publish } from '../../platform/db/index.ts';
import type { Sealer } from '../../platform/secrets/seal.ts';
import { referencesOf } from '../../platform/secrets/sealed-device.ts';
import { type ChangeTransaction, createdFields, deletedFields, lockAccount, secretField } from '../change.ts';
import { openOrShown } from '../devices/target.ts';
import type { Conflict, Invalid, Missing } from '../refusal.ts';
import { nameConflict, refuseBeyondLimit } from '../refusal.ts';
import { connectedAgents, deleteSecret, insertSecret, sealedDevices, updateSecret } from './store.ts';

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
  { accountNo, name, secretId }: Secret,
): Promise<{ readonly kind: 'deleted' } | Conflict | Missing> {
  const { trx } = transaction;
  await lockAccount(trx, accountNo);
  const users = await usersOf(trx, sealer, accountNo, name);
  if (users.length > 0)
    return {
      kind: 'conflict',
      reason: 'in_use',
      message: `Devices refer to this secret: ${users.slice(0, maxNamed).join(', ')}.`,
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

/** Some devices that refer to a secret. */
async function usersOf(
  trx: ChangeTransaction['trx'],
  sealer: Sealer,
  accountNo: number,
  wanted: string,
): Promise<readonly string[]> {
  const users: string[] = [];
  let afterNo = 0;
  let rows = await sealedDevices(trx, accountNo, afterNo);
  while (rows.length > 0 && users.length < maxNamed) {
    for (const row of rows) {
      afterNo = row.device_no;
      const { url, options } = referencesOf(row.method, openOrShown(sealer, row));
      if (url.has(wanted) || options.has(wanted)) users.push(`${row.short_name} (${row.device_id})`);
    }
    rows = await sealedDevices(trx, accountNo, afterNo);
  }
  return users;
}
