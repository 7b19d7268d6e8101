import { cleanLine } from '@vantage/domain';
import { isId } from '@vantage/kernel';
import { idField, showTimes } from '@vantage/rest-kit/field';
import { nextPage, wholeOrPageQuery } from '@vantage/rest-kit/paging';
import { missing } from '@vantage/rest-kit/problem';
import type { Route } from '@vantage/rest-kit/route';
import { noSubject, route } from '@vantage/rest-kit/route-factories';
import type { Session } from '@vantage/rest-kit/session';
import type { Reader } from '@vantage/storage';
import { z } from 'zod';
import { actorOf } from '../../resources/change.ts';
import {
  identityFields,
  identityQuery,
  resolveIdentity,
  showRowIdentity,
} from '../../resources/external-key.ts';
import { accepted } from '../../resources/refusal.ts';
import { findDeviceNo } from '../devices/find-device-no.ts';
import { name, readOnly, tagEntry, tagFull } from './tag-fields.ts';
import { createTagReader, type TagRouteDeps, tagSubject } from './tag-reader.ts';
import { findTag, listTags } from './tag-store.ts';
import { attach, changeTag, createTag, detach, removeTag } from './tag-write.ts';

const tag = 'Tags';

const names = { root: 'tag', id: 'tag_id' } as const;

const idAnswer = z.strictObject({ tag_id: idField });

const pairAnswer = z.strictObject({ tag_id: idField, device_id: idField });

/** Finds the tag and the device that a path names. */
const pairSubject = {
  what: 'tag or device',
  find: async (session: Session, params: Readonly<Record<string, string>>, db: Reader) => {
    const { device_id = '' } = params;
    const found = await tagSubject.find(session, params, db);
    const device = isId(device_id) ? await findDeviceNo(db.kysely, session.accountNo, device_id) : undefined;
    return found && device && { tag: found, deviceNo: device.device_no, device_id };
  },
} as const;

/** Creating, listing, reading, renaming and deleting tags; attaching them to devices. */
export function tagRoutes(deps: TagRouteDeps): Route[] {
  return [
    createRoute(deps),
    listRoute(),
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
    handler: async ({ db, session, body }) => {
      const given = {
        accountNo: session.accountNo,
        name: body.Name,
        ...resolveIdentity(body, undefined),
      };
      const { tagId } = accepted(
        await catalog.change(db, actorOf(session), (transaction) => createTag(transaction, given)),
      );
      return { body: { tag_id: tagId } };
    },
  });
}

function listRoute(): Route {
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
    handler: async ({ db, session, query: { ExternalKey, Source, Limit, Offset } }) => {
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
  const { catalog } = deps;
  const read = createTagReader(deps);
  const shared = { path: '/tags/{tag_id}', tag, subject: tagSubject, names } as const;
  return [
    route({
      ...shared,
      method: 'GET',
      level: 'UR',
      summary: 'A tag and its devices.',
      response: tagFull,
      handler: async ({ db, session, subject: row }) => ({ body: await read(db, session, row) }),
    }),
    route({
      ...shared,
      method: 'PUT',
      level: 'UW',
      summary: 'Changes a tag.',
      body: z.strictObject({ Name: name.optional(), ...identityFields }).meta({ id: 'TagUpdate' }),
      readOnly,
      response: tagFull,
      handler: async ({ db, session, subject: row, body }) => {
        accepted(
          await catalog.change(db, actorOf(session), (transaction) => changeTag(transaction, row, body)),
        );
        const renamed = await findTag(db, session.accountNo, row.tagId);
        if (renamed === undefined) throw missing('tag');
        return { body: await read(db, session, renamed) };
      },
    }),
    route({
      ...shared,
      method: 'DELETE',
      level: 'UW',
      summary: 'Deletes a tag; its devices stay.',
      response: idAnswer,
      handler: async ({ db, session, subject: row }) => {
        accepted(await catalog.change(db, actorOf(session), (transaction) => removeTag(transaction, row)));
        return { body: { tag_id: row.tagId } };
      },
    }),
  ];
}

function pairRoute({ catalog }: TagRouteDeps, method: 'PUT' | 'DELETE'): Route {
  return route({
    method,
    path: '/tags/{tag_id}/devices/{device_id}',
    limitedCallers: 'permitted',
    level: 'UW',
    tag,
    summary: method === 'PUT' ? 'Attaches a tag to a device.' : 'Takes a tag off a device.',
    subject: pairSubject,
    response: pairAnswer,
    names,
    handler: async ({ db, session, subject }) => {
      const write = method === 'PUT' ? attach : detach;
      const device = { deviceNo: subject.deviceNo, deviceId: subject.device_id };
      await catalog.change(db, actorOf(session), (transaction) => write(transaction, subject.tag, device));
      return { body: { tag_id: subject.tag.tagId, device_id: subject.device_id } };
    },
  });
}
