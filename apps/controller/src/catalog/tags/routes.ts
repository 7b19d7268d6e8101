import type { Clock } from '@vantage/kernel';
import { boundedText } from '@vantage/kernel';
import { z } from 'zod';
import type { Db } from '../../db/index.ts';
import { idField, isId } from '../../http/field.ts';
import { nextPage, wholeOrPageQuery } from '../../http/paging.ts';
import { missing } from '../../http/problem.ts';
import { noSubject, type Route, route } from '../../http/route.ts';
import type { Session } from '../../http/session.ts';
import { deviceEntry } from '../devices/fields.ts';
import { showEntry } from '../devices/show.ts';
import { findDeviceNo, lastResults, listDevices } from '../devices/store.ts';
import {
  attachTag,
  createTag,
  deleteTag,
  detachTag,
  findTag,
  listTags,
  renameTag,
  type TagRow,
} from './store.ts';

const tag = 'Tags';
const names = { root: 'tag', id: 'tag_id' } as const;
const name = boundedText(200, 1).describe('Name of the tag; need not be unique.');
const idAnswer = z.strictObject({ tag_id: idField });
const pairAnswer = z.strictObject({ tag_id: idField, device_id: idField });
const tagEntry = z.strictObject({ tag_id: idField, Name: z.string() }).meta({ id: 'TagEntry' });
/** A tag with its devices. */
export const tagFull = z
  .strictObject({ ...tagEntry.shape, Devices: z.array(deviceEntry).describe('All devices of the tag.') })
  .meta({ id: 'Tag' });
const readOnly = ['tag_id', 'Devices'] as const;

/** Most devices that one answer about a tag holds; more are read by `GET /devices?Filter=<tag_id>`. */
const maxDevices = 10_000;

/** Finds the tag that a path names. */
export function tagSubject(db: Db) {
  return {
    what: 'tag',
    find: async ({ accountNo }: Session, { tag_id = '' }: Readonly<Record<string, string>>) =>
      isId(tag_id) ? findTag(db, accountNo, tag_id) : undefined,
  };
}

/** Finds the tag and the device that a path names. */
function pairSubject(db: Db) {
  return {
    what: 'tag or device',
    find: async (session: Session, params: Readonly<Record<string, string>>) => {
      const { device_id = '' } = params;
      const found = await tagSubject(db).find(session, params);
      const device = isId(device_id)
        ? await findDeviceNo(db.kysely, session.accountNo, device_id)
        : undefined;
      return found && device && { ...found, device_no: device.device_no, device_id };
    },
  };
}

/** Reads a tag with its devices as its GET shows it. */
export function createTagReader({ db, clock }: { readonly db: Db; readonly clock: Clock }) {
  return async ({ accountNo, zone }: Session, row: TagRow): Promise<z.input<typeof tagFull>> => {
    const nowUs = clock.nowUs();
    const filter = { kind: 'tag', tagNo: row.tag_no } as const;
    const { rows } = await listDevices(db, { accountNo, filter, limit: maxDevices, offset: 0, nowUs });
    const results = await lastResults(
      db,
      rows.map(({ device_no }) => device_no),
      nowUs,
    );
    return {
      tag_id: row.tag_id,
      Name: row.name,
      Devices: rows.map((device) => showEntry(device, results.get(device.device_no), zone)),
    };
  };
}

/** Creating, listing, reading, renaming and deleting tags; attaching them to devices. */
export function tagRoutes({ db, clock }: { readonly db: Db; readonly clock: Clock }): Route[] {
  const subject = tagSubject(db);
  const read = createTagReader({ db, clock });

  return [
    route({
      method: 'POST',
      path: '/tags',
      level: 'UW',
      tag,
      summary: 'Creates a tag.',
      subject: noSubject,
      body: z.strictObject({ Name: name }).meta({ id: 'TagCreate' }),
      readOnly,
      response: idAnswer,
      names,
      handler: async ({ session, body }) => ({
        body: { tag_id: await createTag(db, session.accountNo, body.Name) },
      }),
    }),
    route({
      method: 'GET',
      path: '/tags',
      level: 'UR',
      tag,
      summary: 'Lists tags by name.',
      subject: noSubject,
      query: z.object(wholeOrPageQuery),
      response: z.array(tagEntry),
      names: { root: 'tags', row: 'tag', id: 'tag_id' },
      handler: async ({ session, query: { Limit, Offset } }) => {
        const { rows, total } = await listTags(db, session.accountNo, { limit: Limit, offset: Offset });
        return {
          body: rows.map((row) => ({ tag_id: row.tag_id, Name: row.name })),
          total,
          next: nextPage(total, { Limit, Offset }),
        };
      },
    }),
    route({
      method: 'GET',
      path: '/tags/{tag_id}',
      level: 'UR',
      tag,
      summary: 'A tag and its devices.',
      subject,
      response: tagFull,
      names,
      handler: async ({ session, subject: row }) => ({ body: await read(session, row) }),
    }),
    route({
      method: 'PUT',
      path: '/tags/{tag_id}',
      level: 'UW',
      tag,
      summary: 'Changes a tag.',
      subject,
      body: z.strictObject({ Name: name.optional() }).meta({ id: 'TagUpdate' }),
      readOnly,
      response: tagFull,
      names,
      handler: async ({ session, subject: row, body }) => {
        if (body.Name !== undefined) await renameTag(db, row.tag_no, body.Name);
        const renamed = await findTag(db, session.accountNo, row.tag_id);
        if (renamed === undefined) throw missing('tag');
        return { body: await read(session, renamed) };
      },
    }),
    route({
      method: 'DELETE',
      path: '/tags/{tag_id}',
      level: 'UW',
      tag,
      summary: 'Deletes a tag; its devices stay.',
      subject,
      response: idAnswer,
      names,
      handler: async ({ subject: row }) => {
        await deleteTag(db, row.tag_no);
        return { body: { tag_id: row.tag_id } };
      },
    }),
    ...(['PUT', 'DELETE'] as const).map((method) =>
      route({
        method,
        path: '/tags/{tag_id}/devices/{device_id}',
        level: 'UW',
        tag,
        summary: method === 'PUT' ? 'Attaches a tag to a device.' : 'Takes a tag off a device.',
        subject: pairSubject(db),
        response: pairAnswer,
        names,
        handler: async ({ subject: { tag_no, tag_id, device_no, device_id } }) => {
          await (method === 'PUT' ? attachTag : detachTag)(db, tag_no, device_no);
          return { body: { tag_id, device_id } };
        },
      }),
    ),
  ];
}
