import { isId } from '@vantage/kernel';
import { idField } from '@vantage/rest-kit/field';
import { nextPage, wholeOrPageQuery } from '@vantage/rest-kit/paging';
import { missing } from '@vantage/rest-kit/problem';
import type { Route } from '@vantage/rest-kit/route';
import { noSubject, route } from '@vantage/rest-kit/route-factories';
import type { Session } from '@vantage/rest-kit/session';
import type { Db } from '@vantage/storage';
import { z } from 'zod';
import type { Catalog } from '../../resources/change.ts';
import { actorOf } from '../../resources/change.ts';
import { accepted } from '../../resources/refusal.ts';
import { expires, keyFull, level, name, nameOrNone, parseExpires, readOnly, show } from './key-fields.ts';
import { scopeField } from './key-scope.ts';
import { listOwnKeys, readKey } from './key-store.ts';
import { changeKey, createKey, revokeKey } from './key-write.ts';

const tag = 'Keys';

const names = { root: 'key', id: 'key_id' } as const;

const idAnswer = z.strictObject({ key_id: idField });

/** The parts that the routes of keys need. */
export interface KeyRouteDeps {
  readonly catalog: Catalog;
  /** Called after a key was changed or revoked, so that this controller knows of it at once. */
  readonly onKeyChanged: (db: Db, keyNo: number) => void;
}

/** Keys of the account, for its admins. */
export function keyRoutes(deps: KeyRouteDeps): Route[] {
  return [createRoute(deps), listRoute(), ...oneKeyRoutes(deps)];
}

function createRoute({ catalog }: KeyRouteDeps): Route {
  return route({
    method: 'POST',
    path: '/keys',
    limitedCallers: 'permitted',
    level: 'UA',
    tag,
    summary: 'Issues a key; the answer shows it, once.',
    description:
      'A key cannot grant a higher level than its own, a later end, or other devices. The new key outlives the key that issued it.',
    subject: noSubject,
    body: z
      .strictObject({
        Name: name,
        Level: level,
        Tags: scopeField.optional(),
        Expires: expires.optional(),
      })
      .meta({ id: 'KeyCreate' }),
    readOnly,
    response: z
      .strictObject({
        key_id: idField,
        Key: z
          .string()
          .describe('The key itself. It is shown here only, because the database keeps its hash.')
          .meta({ example: '3f1c9a7e52d04b86a0c17e5f9d2b4863e8a1f0c5d7b92e4630f8d1a7c6e5b294' }),
      })
      .meta({ id: 'IssuedKey' }),
    names,
    handler: async ({ db, session, body }) => {
      const newKey = {
        accountNo: session.accountNo,
        name: body.Name,
        level: body.Level,
        expiresUs: parseExpires(body.Expires, session.zone) ?? null,
        tags: body.Tags,
      };
      const made = await catalog.change(db, actorOf(session), (transaction) =>
        createKey(transaction, newKey),
      );
      const { keyId, key } = accepted(made);
      return { body: { key_id: keyId, Key: key } };
    },
  });
}

function listRoute(): Route {
  return route({
    method: 'GET',
    path: '/keys',
    level: 'UA',
    tag,
    summary: 'Lists the keys that are not revoked, newest first.',
    subject: noSubject,
    query: z.object(wholeOrPageQuery),
    response: z.array(keyFull),
    names: { root: 'keys', row: 'key', id: 'key_id' },
    handler: async ({ db, session: { accountNo, zone }, query: { Limit, Offset } }) => {
      const { rows, total } = await listOwnKeys(db.kysely, accountNo, { limit: Limit, offset: Offset });
      return { body: rows.map((row) => show(row, zone)), total, next: nextPage(total, { Limit, Offset }) };
    },
  });
}

function oneKeyRoutes({ catalog, onKeyChanged }: KeyRouteDeps): Route[] {
  const subject = {
    what: 'key' as const,
    find: async ({ accountNo }: Session, { key_id = '' }: Readonly<Record<string, string>>, db: Db) =>
      isId(key_id) ? readKey(db.kysely, accountNo, key_id) : undefined,
  };
  const shared = { path: '/keys/{key_id}', tag, subject, names, level: 'UA' } as const;
  return [
    route({
      ...shared,
      method: 'GET',
      summary: 'A key, without the key itself.',
      response: keyFull,
      handler: async ({ session: { zone }, subject: row }) => ({ body: show(row, zone) }),
    }),
    route({
      ...shared,
      method: 'PUT',
      limitedCallers: 'permitted',
      summary: 'Changes a key: its name, its level, its tags, its end.',
      description: 'Its sessions change with it. Every controller knows of it within 5 seconds.',
      body: z
        .strictObject({
          Name: nameOrNone.optional(),
          Level: level.optional(),
          Tags: scopeField.optional(),
          Expires: expires.optional(),
        })
        .meta({ id: 'KeyUpdate' }),
      readOnly,
      response: keyFull,
      handler: async ({ db, session, subject: { keyId }, body }) => {
        const { accountNo, zone } = session;
        const expiresUs = parseExpires(body.Expires, zone);
        const sent = { name: body.Name, level: body.Level, expiresUs, tags: body.Tags };
        const changed = await catalog.change(db, actorOf(session), (transaction) =>
          changeKey(transaction, { accountNo, keyId, zone }, sent),
        );
        onKeyChanged(db, accepted(changed).keyNo);
        const row = await readKey(db.kysely, accountNo, keyId);
        if (row === undefined) throw missing('key');
        return { body: show(row, zone) };
      },
    }),
    route({
      ...shared,
      method: 'DELETE',
      limitedCallers: 'permitted',
      summary: 'Revokes a key. Its sessions end, and every controller refuses it within 5 seconds.',
      response: idAnswer,
      handler: async ({ db, session, subject: { keyId } }) => {
        const revoked = await catalog.change(db, actorOf(session), (transaction) =>
          revokeKey(transaction, keyId),
        );
        if (revoked.kind !== 'revoked') throw missing('key');
        onKeyChanged(db, revoked.keyNo);
        return { body: { key_id: keyId } };
      },
    }),
  ];
}
