import { boundedText, isId } from '@vantage/kernel';
import { z } from 'zod';
import type { Db } from '../../platform/db/index.ts';
import {
  idField,
  lineField,
  shownTimes,
  showTimes,
  timeNames,
  timestampField,
} from '../../rest/http/field.ts';
import { nextPage, wholeOrPageQuery } from '../../rest/http/paging.ts';
import { missing } from '../../rest/http/problem.ts';
import { noSubject, type Route, route } from '../../rest/http/route.ts';
import { levels, type Session } from '../../rest/http/session.ts';
import { timestampProblem, type Zone } from '../../rest/http/zone.ts';
import type { Catalog } from '../change.ts';
import { actorOf } from '../change.ts';
import { accepted } from '../refusal.ts';
import { scopeField, shownScope } from './scope.ts';
import { listOwnKeys, type OwnKeyRow, readKey } from './store.ts';
import { changeKey, createKey, revokeKey } from './write.ts';

const tag = 'Keys';
const names = { root: 'key', id: 'key_id' } as const;
const idAnswer = z.strictObject({ key_id: idField });
const readOnly = ['key_id', 'CreatedBy', 'LastUsed', 'LastAddress', ...timeNames] as const;

const name = lineField(200, 1).describe('What the key is for; the audit names the key by it.');
/** The operator's command may have issued a key without a name. */
const nameOrNone = lineField(200).describe('What the key is for; empty: nobody said it.');
const level = z
  .enum(levels)
  .describe(
    'UR views; UO also acknowledges, snoozes, starts and stops maintenance and checks now; UW views and changes everything but keys; UA also manages keys.',
  );
const expires = boundedText(100)
  .refine((text) => timestampProblem(text) === undefined, {
    error: ({ input }) => timestampProblem(String(input)) ?? '',
  })
  .nullable()
  .describe('When the key stops working; null: never.');

const keyFull = z
  .strictObject({
    key_id: idField,
    Name: nameOrNone,
    Level: level,
    Tags: shownScope,
    Expires: timestampField.nullable().describe('When the key stops working; null: never.'),
    LastUsed: timestampField
      .nullable()
      .describe('The last use of the key or of a session of it, noted at most once a minute; null: none.'),
    LastAddress: z.string().nullable().describe('The address of the caller then.'),
    CreatedAt: shownTimes.CreatedAt,
    CreatedBy: z
      .string()
      .nullable()
      .describe(
        'The name of the key that made it, or `command line`; null: it was made before this was noted.',
      ),
    UpdatedAt: shownTimes.UpdatedAt,
  })
  .meta({ id: 'Key' });

/** The parts that the routes of keys need. */
export interface KeyRouteDeps {
  readonly db: Db;
  readonly catalog: Catalog;
  /** Called after a key was changed or revoked, so that this controller knows of it at once. */
  readonly onKeyChanged: (keyNo: number) => void;
}

/** Keys of the account, for its admins. */
export function keyRoutes(deps: KeyRouteDeps): Route[] {
  return [createRoute(deps), listRoute(deps), ...oneKeyRoutes(deps)];
}

function createRoute({ catalog }: KeyRouteDeps): Route {
  return route({
    method: 'POST',
    path: '/keys',
    level: 'UA',
    tag,
    summary: 'Issues a key; the answer shows it, once.',
    description:
      'Nobody can give a higher level than their own, a later end, or other devices. The key stays when the key that issued it ends.',
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
    handler: async ({ session, body }) => {
      const given = {
        accountNo: session.accountNo,
        name: body.Name,
        level: body.Level,
        expiresUs: parseExpires(body.Expires, session.zone) ?? null,
        tags: body.Tags,
      };
      const made = await catalog.change(actorOf(session), (transaction) => createKey(transaction, given));
      const { keyId, key } = accepted(made);
      return { body: { key_id: keyId, Key: key } };
    },
  });
}

function listRoute({ db }: KeyRouteDeps): Route {
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
    handler: async ({ session: { accountNo, zone }, query: { Limit, Offset } }) => {
      const { rows, total } = await listOwnKeys(db.kysely, accountNo, { limit: Limit, offset: Offset });
      return { body: rows.map((row) => show(row, zone)), total, next: nextPage(total, { Limit, Offset }) };
    },
  });
}

function oneKeyRoutes({ db, catalog, onKeyChanged }: KeyRouteDeps): Route[] {
  const subject = {
    what: 'key' as const,
    find: async ({ accountNo }: Session, { key_id = '' }: Readonly<Record<string, string>>) =>
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
      handler: async ({ session, subject: { keyId }, body }) => {
        const { accountNo, zone } = session;
        const expiresUs = parseExpires(body.Expires, zone);
        const sent = { name: body.Name, level: body.Level, expiresUs, tags: body.Tags };
        const changed = await catalog.change(actorOf(session), (transaction) =>
          changeKey(transaction, { accountNo, keyId, zone }, sent),
        );
        onKeyChanged(accepted(changed).keyNo);
        const row = await readKey(db.kysely, accountNo, keyId);
        if (row === undefined) throw missing('key');
        return { body: show(row, zone) };
      },
    }),
    route({
      ...shared,
      method: 'DELETE',
      summary: 'Revokes a key. Its sessions end, and every controller refuses it within 5 seconds.',
      response: idAnswer,
      handler: async ({ session, subject: { keyId } }) => {
        const revoked = await catalog.change(actorOf(session), (transaction) =>
          revokeKey(transaction, keyId),
        );
        if (revoked.kind !== 'revoked') throw missing('key');
        onKeyChanged(revoked.keyNo);
        return { body: { key_id: keyId } };
      },
    }),
  ];
}

function parseExpires(sent: string | null | undefined, zone: Zone): number | null | undefined {
  return typeof sent === 'string' ? (zone.parse(sent) ?? null) : sent;
}

function show(row: OwnKeyRow, zone: Zone): z.input<typeof keyFull> {
  const time = (us: number | null) => (us === null ? null : zone.format(us));
  return {
    key_id: row.keyId,
    Name: row.name,
    Level: row.level,
    Tags: row.tags && [...row.tags],
    Expires: time(row.expiresUs),
    LastUsed: time(row.usedUs),
    LastAddress: row.address,
    CreatedBy: row.createdBy,
    ...showTimes({ created_at: row.createdAt, updated_at: row.updatedAt }, zone),
  };
}
