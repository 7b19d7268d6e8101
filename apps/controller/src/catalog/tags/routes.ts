import { cleanLine } from '@vantage/domain';
import { type Clock, isId } from '@vantage/kernel';
import { z } from 'zod';
import type { Tag } from '../../platform/db/entities.ts';
import type { Db } from '../../platform/db/index.ts';
import { idField, lineField, shownTimes, showTimes, timeNames } from '../../rest/http/field.ts';
import { nextPage, wholeOrPageQuery } from '../../rest/http/paging.ts';
import { missing } from '../../rest/http/problem.ts';
import { noSubject, type Route, route } from '../../rest/http/route.ts';
import type { Session } from '../../rest/http/session.ts';
import type { Catalog } from '../change.ts';
import { actorOf } from '../change.ts';
import { deviceEntry } from '../devices/fields.ts';
import { byCreation } from '../devices/list-ask.ts';
import { listDevices } from '../devices/list-store.ts';
import { findDeviceNo } from '../devices/references.ts';
import { completeResults } from '../devices/store.ts';
import { showEntry } from '../devices/to-rest.ts';
import {
  identityFields,
  identityQuery,
  resolveIdentity,
  shownIdentity,
  showRowIdentity,
} from '../external-key.ts';
import { accepted } from '../refusal.ts';
import { findTag, listTags } from './store.ts';
import { attach, changeTag, createTag, detach, removeTag } from './write.ts';

const tag = 'Tags';
const names = { root: 'tag', id: 'tag_id' } as const;
const name = lineField(200, 1).describe(
  'Name of the tag, unique in the account without regard to letter case.',
);
const idAnswer = z.strictObject({ tag_id: idField });
const pairAnswer = z.strictObject({ tag_id: idField, device_id: idField });
const tagEntry = z
  .strictObject({ tag_id: idField, Name: z.string(), ...shownIdentity, ...shownTimes })
  .meta({ id: 'TagEntry' });
/** A tag with its devices. */
export const tagFull = z
  .strictObject({
    ...tagEntry.omit({ CreatedAt: true, UpdatedAt: true }).shape,
    Devices: z.array(deviceEntry).describe('All devices of the tag.'),
    ...shownTimes,
  })
  .meta({ id: 'Tag' });
const readOnly = ['tag_id', 'Devices', ...timeNames] as const;

/** Most devices that one answer about a tag holds; more are read by `GET /devices?Filter=<tag_id>`. */
const maxDevices = 10_000;

/** The parts that the routes of tags need. */
interface TagRouteDeps {
  readonly db: Db;
  readonly catalog: Catalog;
  readonly clock: Clock;
}

/** Finds the tag that a path names. */
export function tagSubject(db: Db) {
  return {
    what: 'tag' as const,
    find: async ({ accountNo }: Session, { tag_id = '' }: Readonly<Record<string, string>>) =>
      isId(tag_id) ? findTag(db, accountNo, tag_id) : undefined,
  };
}

/** Finds the tag and the device that a path names. */
function pairSubject(db: Db) {
  return {
    what: 'tag or device' as const,
    find: async (session: Session, params: Readonly<Record<string, string>>) => {
      const { device_id = '' } = params;
      const found = await tagSubject(db).find(session, params);
      const device = isId(device_id)
        ? await findDeviceNo(db.kysely, session.accountNo, device_id)
        : undefined;
      return found && device && { tag: found, deviceNo: device.device_no, device_id };
    },
  };
}

/** Reads a tag with its devices as its GET shows it. */
export function createTagReader({ db, clock }: Pick<TagRouteDeps, 'db' | 'clock'>) {
  return async ({ accountNo, zone }: Session, row: Tag): Promise<z.input<typeof tagFull>> => {
    const nowUs = clock.nowUs();
    const filter = { tagNos: [[row.tagNo]] };
    const page = { accountNo, filter, sort: byCreation, limit: maxDevices, offset: 0, nowUs };
    const { rows: found } = await listDevices(db, page);
    const rows = found.slice(0, maxDevices);
    const resultOf = await completeResults(db, rows, nowUs);
    return {
      tag_id: row.tagId,
      Name: cleanLine(row.name),
      ExternalKey: row.externalKey ?? null,
      Source: row.source ?? null,
      Devices: rows.map((device) => showEntry(device, resultOf(device), zone)),
      ...showTimes({ created_at: row.createdAt, updated_at: row.updatedAt }, zone),
    };
  };
}

/** Creating, listing, reading, renaming and deleting tags; attaching them to devices. */
export function tagRoutes(deps: TagRouteDeps): Route[] {
  return [
    createRoute(deps),
    listRoute(deps),
    ...oneTagRoutes(deps),
    pairRoute(deps, 'PUT'),
    pairRoute(deps, 'DELETE'),
  ];
}

function createRoute({ catalog }: TagRouteDeps): Route {
  return route({
    method: 'POST',
    path: '/tags',
    level: 'UW',
    tag,
    summary: 'Creates a tag.',
    subject: noSubject,
    body: z.strictObject({ Name: name, ...identityFields }).meta({ id: 'TagCreate' }),
    readOnly,
    response: idAnswer,
    names,
    handler: async ({ session, body }) => {
      const given = {
        accountNo: session.accountNo,
        name: body.Name,
        ...resolveIdentity(body, undefined),
      };
      const { tagId } = accepted(
        await catalog.change(actorOf(session), (transaction) => createTag(transaction, given)),
      );
      return { body: { tag_id: tagId } };
    },
  });
}

function listRoute({ db }: TagRouteDeps): Route {
  return route({
    method: 'GET',
    path: '/tags',
    level: 'UR',
    tag,
    summary: 'Lists tags by name.',
    subject: noSubject,
    query: z.object({ ...identityQuery, ...wholeOrPageQuery }),
    response: z.array(tagEntry),
    names: { root: 'tags', row: 'tag', id: 'tag_id' },
    handler: async ({ session, query: { ExternalKey, Source, Limit, Offset } }) => {
      const page = { externalKey: ExternalKey, source: Source, limit: Limit, offset: Offset };
      const { rows, total } = await listTags(db, session.accountNo, page);
      return {
        body: rows.map((row) => ({
          tag_id: row.tag_id,
          Name: cleanLine(row.name),
          ...showRowIdentity(row),
          ...showTimes(row, session.zone),
        })),
        total,
        next: nextPage(total, { Limit, Offset }),
      };
    },
  });
}

function oneTagRoutes(deps: TagRouteDeps): Route[] {
  const { db, catalog } = deps;
  const read = createTagReader(deps);
  const shared = { path: '/tags/{tag_id}', tag, subject: tagSubject(db), names } as const;
  return [
    route({
      ...shared,
      method: 'GET',
      level: 'UR',
      summary: 'A tag and its devices.',
      response: tagFull,
      handler: async ({ session, subject: row }) => ({ body: await read(session, row) }),
    }),
    route({
      ...shared,
      method: 'PUT',
      level: 'UW',
      summary: 'Changes a tag.',
      body: z.strictObject({ Name: name.optional(), ...identityFields }).meta({ id: 'TagUpdate' }),
      readOnly,
      response: tagFull,
      handler: async ({ session, subject: row, body }) => {
        accepted(await catalog.change(actorOf(session), (transaction) => changeTag(transaction, row, body)));
        const renamed = await findTag(db, session.accountNo, row.tagId);
        if (renamed === undefined) throw missing('tag');
        return { body: await read(session, renamed) };
      },
    }),
    route({
      ...shared,
      method: 'DELETE',
      level: 'UW',
      summary: 'Deletes a tag; its devices stay.',
      response: idAnswer,
      handler: async ({ session, subject: row }) => {
        accepted(await catalog.change(actorOf(session), (transaction) => removeTag(transaction, row)));
        return { body: { tag_id: row.tagId } };
      },
    }),
  ];
}

function pairRoute({ db, catalog }: TagRouteDeps, method: 'PUT' | 'DELETE'): Route {
  return route({
    method,
    path: '/tags/{tag_id}/devices/{device_id}',
    level: 'UW',
    tag,
    summary: method === 'PUT' ? 'Attaches a tag to a device.' : 'Takes a tag off a device.',
    subject: pairSubject(db),
    response: pairAnswer,
    names,
    handler: async ({ session, subject }) => {
      const write = method === 'PUT' ? attach : detach;
      const device = { deviceNo: subject.deviceNo, deviceId: subject.device_id };
      await catalog.change(actorOf(session), (transaction) => write(transaction, subject.tag, device));
      return { body: { tag_id: subject.tag.tagId, device_id: subject.device_id } };
    },
  });
}
