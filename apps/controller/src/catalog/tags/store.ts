import { newId } from '@vantage/kernel';
import { sql } from 'kysely';
import { Tag } from '../../db/entities.ts';
import type { Db } from '../../db/index.ts';

/** A tag of an account. */
export interface TagRow {
  readonly tag_no: number;
  readonly tag_id: string;
  readonly name: string;
}

/** The account's tag with this id. */
export async function findTag(db: Db, accountNo: number, tagId: string): Promise<TagRow | undefined> {
  return db.kysely
    .selectFrom('tags')
    .select(['tag_no', 'tag_id', 'name'])
    .where('tag_id', '=', tagId)
    .where('account_no', '=', accountNo)
    .executeTakeFirst();
}

/** A page of the account's tags by name, and how many there are. */
export async function listTags(
  { kysely }: Db,
  accountNo: number,
  page: { readonly limit: number; readonly offset: number },
): Promise<{ readonly rows: readonly TagRow[]; readonly total: number }> {
  const own = kysely.selectFrom('tags').where('account_no', '=', accountNo);
  const [rows, { total }] = await Promise.all([
    own
      .select(['tag_no', 'tag_id', 'name'])
      .orderBy('name')
      .orderBy('tag_no')
      .limit(page.limit)
      .offset(page.offset)
      .execute(),
    own.select(sql<number>`count(*)::int`.as('total')).executeTakeFirstOrThrow(),
  ]);
  return { rows, total };
}

/** Creates a tag; returns its id. */
export async function createTag(db: Db, accountNo: number, name: string): Promise<string> {
  const em = db.orm.em.fork();
  const tag = em.create(Tag, { tagId: newId(), accountNo, name });
  await em.persist(tag).flush();
  return tag.tagId;
}

/** Gives a tag another name. */
export async function renameTag(db: Db, tagNo: number, name: string): Promise<void> {
  await db.orm.em.fork().nativeUpdate(Tag, { tagNo }, { name });
}

/** Deletes a tag; its devices stay. */
export async function deleteTag(db: Db, tagNo: number): Promise<void> {
  await db.orm.em.fork().nativeDelete(Tag, { tagNo });
}

/** Attaches a tag; nothing happens when it is attached already, or one of both is gone meanwhile. */
export async function attachTag({ kysely }: Db, tagNo: number, deviceNo: number): Promise<void> {
  await sql`
    insert into device_tags (tag_no, device_no)
    select tag_no, device_no from tags, devices where tag_no = ${tagNo} and device_no = ${deviceNo}
    on conflict do nothing`.execute(kysely);
}

/** Takes a tag off a device; nothing happens when it was not attached. */
export async function detachTag({ kysely }: Db, tagNo: number, deviceNo: number): Promise<void> {
  await kysely
    .deleteFrom('device_tags')
    .where('tag_no', '=', tagNo)
    .where('device_no', '=', deviceNo)
    .execute();
}

/** Numbers of the devices that have a tag. */
export async function deviceNosOf({ kysely }: Db, tagNo: number): Promise<readonly number[]> {
  const rows = await kysely
    .selectFrom('device_tags')
    .select('device_no')
    .where('tag_no', '=', tagNo)
    .orderBy('device_no')
    .execute();
  return rows.map(({ device_no }) => device_no);
}
