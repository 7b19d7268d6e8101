import { cleanLine } from '@vantage/domain';
import { newId } from '@vantage/kernel';
import type { Tag } from '../../db/entities.ts';
import type { ChangeTransaction } from '../change.ts';
import { changedFields, createdFields, deletedFields, type FieldChange } from '../field-change.ts';
import type { Missing } from '../refusal.ts';
import { attachTag, deleteTag, detachTag, insertTag, renameTag } from './store.ts';

/** Creates a tag. Several tags may have one name. */
export async function createTag(
  transaction: ChangeTransaction,
  { accountNo, name }: { readonly accountNo: number; readonly name: string },
): Promise<{ readonly kind: 'created'; readonly tagId: string }> {
  const tagId = newId();
  await insertTag(transaction, { tagId, accountNo, name });
  const fields = createdFields({ Name: name });
  transaction.record({ action: 'create', kind: 'tag', accountNo, id: tagId, fields });
  return { kind: 'created', tagId };
}

/** Gives a tag another name. */
export async function changeTag(transaction: ChangeTransaction, tag: Tag, name: string): Promise<void> {
  if (await renameTag(transaction, tag.tagNo, name))
    transaction.record(updateOf(tag, changedFields(['Name'], { Name: cleanLine(tag.name) }, { Name: name })));
}

/** Deletes a tag; its devices stay. */
export async function removeTag(
  transaction: ChangeTransaction,
  { accountNo, name, tagId, tagNo }: Tag,
): Promise<{ readonly kind: 'deleted' } | Missing> {
  if (!(await deleteTag(transaction, tagNo))) return { kind: 'missing', what: 'tag' };
  const fields = deletedFields({ Name: cleanLine(name) });
  transaction.record({ action: 'delete', kind: 'tag', accountNo, id: tagId, fields });
  return { kind: 'deleted' };
}

/** A device that gets or loses a tag. */
interface TaggedDevice {
  readonly deviceNo: number;
  readonly deviceId: string;
}

/** Attaches a tag to a device. Nothing happens when it is attached already, or when one of both is gone. */
export async function attach(
  transaction: ChangeTransaction,
  tag: Tag,
  { deviceNo, deviceId }: TaggedDevice,
): Promise<void> {
  if (await attachTag(transaction, tag.tagNo, deviceNo))
    transaction.record(updateOf(tag, createdFields({ Devices: deviceId })));
}

/** Detaches a tag from a device. Nothing happens when it was not attached. */
export async function detach(
  transaction: ChangeTransaction,
  tag: Tag,
  { deviceNo, deviceId }: TaggedDevice,
): Promise<void> {
  if (await detachTag(transaction, tag.tagNo, deviceNo))
    transaction.record(updateOf(tag, deletedFields({ Devices: deviceId })));
}

function updateOf({ accountNo, tagId }: Tag, fields: readonly FieldChange[]) {
  return { action: 'update', kind: 'tag', accountNo, id: tagId, fields } as const;
}
