import { cleanLine } from '@vantage/domain';
import { newId } from '@vantage/kernel';
import { Tag } from '@vantage/storage/entities';
import { lockAccount } from '../../resources/account-lock.ts';
import type { ChangeTransaction } from '../../resources/change.ts';
import {
  keyConflict,
  resolveIdentity,
  type SourceIdentity,
  showIdentity,
} from '../../resources/external-key.ts';
import {
  changedFields,
  createdFields,
  deletedFields,
  type FieldChange,
  present,
} from '../../resources/field-changes.ts';
import { refuseBeyondLimit } from '../../resources/limited-kinds.ts';
import { nameConflict } from '../../resources/name-conflict.ts';
import type { Conflict, Invalid, Missing } from '../../resources/refusal.ts';
import { usersOfTag } from '../hooks/hook-store.ts';
import { attachTag, deleteTag, detachTag, insertTag, updateTag } from './tag-store.ts';

/** Creates a tag. */
export async function createTag(
  transaction: ChangeTransaction,
  given: SourceIdentity & { readonly accountNo: number; readonly name: string },
): Promise<{ readonly kind: 'created'; readonly tagId: string } | Conflict | Invalid> {
  const { accountNo, externalKey } = given;
  await lockAccount(transaction.trx, accountNo);
  const refusal = await refuseBeyondLimit(transaction, 'tags', accountNo);
  if (refusal !== undefined) return refusal;
  const taken =
    (await keyConflict(transaction.trx, keyed(accountNo), externalKey, undefined)) ??
    (await nameConflict(transaction.trx, keyed(accountNo), given.name, undefined));
  if (taken !== undefined) return taken;
  const tagId = newId();
  await insertTag(transaction, { tagId, ...given });
  const fields = createdFields(present({ Name: given.name, ...showIdentity(given) }));
  transaction.record({ action: 'create', kind: 'tag', accountNo, id: tagId, fields });
  return { kind: 'created', tagId };
}

/**
 * Changes a tag's name and identity; undefined leaves one as it is. A name that comes back as it is shown changes
 * nothing.
 */
export async function changeTag(
  transaction: ChangeTransaction,
  { accountNo, tagId, tagNo }: Tag,
  sent: {
    readonly Name?: string | undefined;
    readonly ExternalKey?: string | null | undefined;
    readonly Source?: string | null | undefined;
  },
): Promise<{ readonly kind: 'changed' } | Conflict | Missing> {
  await lockAccount(transaction.trx, accountNo);
  const current = await transaction.em.findOne(Tag, { tagNo });
  if (current === null) return { kind: 'missing', what: 'tag' };
  const identity = resolveIdentity(sent, current);
  const old = { Name: cleanLine(current.name), ...showIdentity(resolveIdentity({}, current)) };
  const next = { Name: sent.Name ?? old.Name, ...showIdentity(identity) };
  const fields = (['Name', 'ExternalKey', 'Source'] as const).filter((field) => old[field] !== next[field]);
  if (fields.length === 0) return { kind: 'changed' };
  const isRenamed = old.Name !== next.Name;
  const taken =
    (await keyConflict(transaction.trx, keyed(accountNo), next.ExternalKey, tagNo)) ??
    (isRenamed ? await nameConflict(transaction.trx, keyed(accountNo), next.Name, tagNo) : undefined);
  if (taken !== undefined) return taken;
  const name = isRenamed ? next.Name : current.name;
  await updateTag(transaction, tagNo, { name, ...identity });
  const changes = changedFields(fields, old, next);
  transaction.record({ action: 'update', kind: 'tag', accountNo, id: tagId, fields: changes });
  return { kind: 'changed' };
}

const keyed = (accountNo: number) => ({ kind: 'tag', what: 'tag', accountNo }) as const;

/** Deletes a tag that no hook, status page or monthly report names; its devices stay. */
export async function removeTag(
  transaction: ChangeTransaction,
  { accountNo, name, tagId, tagNo }: Tag,
): Promise<{ readonly kind: 'deleted' } | Conflict | Missing> {
  const users = (await usersOfTag(transaction.trx, tagNo)).map(cleanLine);
  if (users.length > 0) {
    const shown = `${users.slice(0, 10).join(', ')}${users.length > 10 ? ' and others' : ''}`;
    return {
      kind: 'conflict',
      reason: 'in_use',
      message: `Tag ${cleanLine(name)} cannot be deleted while these use it: ${shown}.`,
    };
  }
  if (!(await deleteTag(transaction, tagNo))) return { kind: 'missing', what: 'tag' };
  const fields = deletedFields({ Name: cleanLine(name) });
  transaction.record({ action: 'delete', kind: 'tag', accountNo, id: tagId, fields });
  return { kind: 'deleted' };
}

/** A device that gets or loses a tag. */
interface TagHolder {
  readonly deviceNo: number;
  readonly deviceId: string;
}

/** Attaches a tag to a device. Nothing happens when it is attached already, or when one of both is gone. */
export async function attach(
  transaction: ChangeTransaction,
  tag: Tag,
  { deviceNo, deviceId }: TagHolder,
): Promise<void> {
  if (await attachTag(transaction, tag.tagNo, deviceNo))
    transaction.record(updateOf(tag, createdFields({ Devices: deviceId })));
}

/** Detaches a tag from a device. Nothing happens when it was not attached. */
export async function detach(
  transaction: ChangeTransaction,
  tag: Tag,
  { deviceNo, deviceId }: TagHolder,
): Promise<void> {
  if (await detachTag(transaction, tag.tagNo, deviceNo))
    transaction.record(updateOf(tag, deletedFields({ Devices: deviceId })));
}

function updateOf({ accountNo, tagId }: Tag, fields: readonly FieldChange[]) {
  return { action: 'update', kind: 'tag', accountNo, id: tagId, fields } as const;
}
