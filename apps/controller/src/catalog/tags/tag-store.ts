import type { Reader, Row } from '@vantage/storage';
import { DeviceTag, Tag } from '@vantage/storage/entities';
import { sql } from 'kysely';
import type { ChangeTransaction } from '../../resources/change.ts';
import type { SourceIdentity } from '../../resources/external-key.ts';

/** The account's tag with this id. */
export async function findTag(
  db: Pick<Reader, 'entities'>,
  accountNo: number,
  tagId: string,
): Promise<Tag | undefined> {
  return (await (await db.entities()).findOne(Tag, { tagId, accountNo })) ?? undefined;
}

/** A page of the account's tags by name, and how many there are. */
export async function listTags(
  { kysely }: Reader,
  accountNo: number,
  page: {
    readonly externalKey?: string | undefined;
    readonly source?: string | undefined;
    readonly limit: number;
    readonly offset: number;
  },
): Promise<{
  readonly rows: readonly Pick<
    Row<'tags'>,
    'tag_id' | 'name' | 'external_key' | 'source' | 'created_at' | 'updated_at'
  >[];
  readonly total: number;
}> {
  const { externalKey, source } = page;
  let own = kysely.selectFrom('tags').where('account_no', '=', accountNo);
  if (externalKey !== undefined) own = own.where('external_key', '=', externalKey);
  if (source !== undefined) own = own.where('source', '=', source);
  const [rows, { total }] = await Promise.all([
    own
      .select(['tag_id', 'name', 'external_key', 'source', 'created_at', 'updated_at'])
      .orderBy('name')
      .orderBy('tag_no')
      .limit(page.limit)
      .offset(page.offset)
      .execute(),
    own.select(sql<number>`count(*)::int`.as('total')).executeTakeFirstOrThrow(),
  ]);
  return { rows, total };
}

/** Inserts a tag. */
export async function insertTag(
  { em }: ChangeTransaction,
  tag: Pick<Tag, 'tagId' | 'accountNo' | 'name' | 'externalKey' | 'source'>,
): Promise<void> {
  em.create(Tag, tag);
  await em.flush();
}

/** Writes changed settings of a tag. */
export async function updateTag(
  { em }: ChangeTransaction,
  tagNo: number,
  changes: SourceIdentity & { readonly name: string },
): Promise<void> {
  await em.nativeUpdate(Tag, { tagNo }, changes);
}

/** Deletes a tag; its devices stay. False: it was gone before. */
export async function deleteTag({ em }: ChangeTransaction, tagNo: number): Promise<boolean> {
  return (await em.nativeDelete(Tag, { tagNo })) > 0;
}

/** Attaches a tag. False: it was attached before, or one of both is gone. */
export async function attachTag(
  { trx }: ChangeTransaction,
  tagNo: number,
  deviceNo: number,
): Promise<boolean> {
  const { rows } = await sql`
    insert into device_tags (tag_no, device_no)
    select tag_no, device_no from tags, devices where tag_no = ${tagNo} and device_no = ${deviceNo}
    on conflict do nothing returning tag_no`.execute(trx);
  return rows.length > 0;
}

/** Detaches a tag from a device. False: it was not attached. */
export async function detachTag(
  { em }: ChangeTransaction,
  tagNo: number,
  deviceNo: number,
): Promise<boolean> {
  return (await em.nativeDelete(DeviceTag, { tagNo, deviceNo })) > 0;
}

/** Numbers of the devices that have a tag. */
export async function deviceNosOf({ kysely }: Reader, tagNo: number): Promise<readonly number[]> {
  const rows = await kysely
    .selectFrom('device_tags')
    .select('device_no')
    .where('tag_no', '=', tagNo)
    .orderBy('device_no')
    .execute();
  return rows.map(({ device_no }) => device_no);
}
