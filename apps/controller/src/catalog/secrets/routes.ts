import { secretNamePattern } from '@vantage/domain';
import { boundedText, isId } from '@vantage/kernel';
import { z } from 'zod';
import type { Secret } from '../../platform/db/entities.ts';
import type { Db } from '../../platform/db/index.ts';
import type { Sealer } from '../../platform/secrets/seal.ts';
import { idField, shownTimes, showTimes, timeNames } from '../../rest/http/field.ts';
import { nextPage, wholeOrPageQuery } from '../../rest/http/paging.ts';
import { missing } from '../../rest/http/problem.ts';
import { noSubject, type Route, route } from '../../rest/http/route.ts';
import type { Session } from '../../rest/http/session.ts';
import type { Zone } from '../../rest/http/zone.ts';
import type { Catalog } from '../change.ts';
import { actorOf } from '../change.ts';
import { accepted } from '../refusal.ts';
import { findSecret, listSecrets, type SecretRow } from './store.ts';
import { changeSecret, createSecret, removeSecret } from './write.ts';

const tag = 'Secrets';
const names = { root: 'secret', id: 'secret_id' } as const;
const idAnswer = z.strictObject({ secret_id: idField });
const readOnly = ['secret_id', ...timeNames] as const;

const name = boundedText(1000)
  .regex(secretNamePattern, "must be 1 to 100 letters, digits, '_', '.' or '-', for example db-password")
  .describe(`Used as \${secret:NAME} in URL and Options, and as secret("NAME") in scripts.`);
const value = boundedText(65_536, 1).meta({ description: 'Never returned.', writeOnly: true });

const secretEntry = z
  .strictObject({
    secret_id: idField,
    Name: z.string(),
    UpdatedAt: shownTimes.UpdatedAt,
    CreatedAt: shownTimes.CreatedAt,
  })
  .meta({ id: 'Secret' });

/** The parts that the routes of secrets need. */
interface SecretRouteDeps {
  readonly db: Db;
  readonly catalog: Catalog;
  readonly sealer: Sealer;
}

/** Write-only values, sealed at rest. */
export function secretRoutes(deps: SecretRouteDeps): Route[] {
  return [createRoute(deps), listRoute(deps), ...oneSecretRoutes(deps)];
}

function createRoute({ catalog, sealer }: SecretRouteDeps): Route {
  return route({
    method: 'POST',
    path: '/secrets',
    level: 'UW',
    tag,
    summary: 'Keeps a secret.',
    subject: noSubject,
    body: z.strictObject({ Name: name, Value: value }).meta({ id: 'SecretCreate' }),
    readOnly,
    response: idAnswer,
    names,
    handler: async ({ session, body }) => {
      const given = { accountNo: session.accountNo, name: body.Name, value: body.Value };
      const outcome = await catalog.change(actorOf(session), (transaction) =>
        createSecret(transaction, sealer, given),
      );
      return { body: { secret_id: accepted(outcome).secretId } };
    },
  });
}

function listRoute({ db }: SecretRouteDeps): Route {
  return route({
    method: 'GET',
    path: '/secrets',
    level: 'UR',
    tag,
    summary: 'Lists secrets by name, without their values.',
    subject: noSubject,
    query: z.object(wholeOrPageQuery),
    response: z.array(secretEntry),
    names: { root: 'secrets', row: 'secret', id: 'secret_id' },
    handler: async ({ session, query: { Limit, Offset } }) => {
      const page = { limit: Limit, offset: Offset };
      const { rows, total } = await listSecrets(db, session.accountNo, page);
      return {
        body: rows.map((row) => show(row, session.zone)),
        total,
        next: nextPage(total, { Limit, Offset }),
      };
    },
  });
}

function oneSecretRoutes({ db, catalog, sealer }: SecretRouteDeps): Route[] {
  const subject = {
    what: 'secret' as const,
    find: async ({ accountNo }: Session, { secret_id = '' }: Readonly<Record<string, string>>) =>
      isId(secret_id) ? findSecret(db, accountNo, secret_id) : undefined,
  };
  const shared = { path: '/secrets/{secret_id}', tag, subject, names } as const;
  return [
    route({
      ...shared,
      method: 'GET',
      level: 'UR',
      summary: 'A secret without its value.',
      response: secretEntry,
      handler: async ({ session, subject: secret }) => ({ body: showSecret(secret, session.zone) }),
    }),
    route({
      ...shared,
      method: 'PUT',
      level: 'UW',
      summary: 'Gives a secret another value; its name stays.',
      body: z
        .strictObject({ Name: boundedText(1000).optional(), Value: value.optional() })
        .meta({ id: 'SecretUpdate' }),
      readOnly,
      response: secretEntry,
      handler: async ({ session, subject: secret, body }) => {
        const change = { secret, name: body.Name, value: body.Value };
        accepted(
          await catalog.change(actorOf(session), (transaction) => changeSecret(transaction, sealer, change)),
        );
        const changed = await findSecret(db, session.accountNo, secret.secretId);
        if (changed === undefined) throw missing('secret');
        return { body: showSecret(changed, session.zone) };
      },
    }),
    route({
      ...shared,
      method: 'DELETE',
      level: 'UW',
      summary: 'Deletes a secret. Refused while devices refer to it.',
      response: idAnswer,
      handler: async ({ session, subject: secret }) => {
        accepted(
          await catalog.change(actorOf(session), (transaction) => removeSecret(transaction, sealer, secret)),
        );
        return { body: { secret_id: secret.secretId } };
      },
    }),
  ];
}

function show(row: SecretRow, zone: Zone): z.input<typeof secretEntry> {
  return { secret_id: row.secret_id, Name: row.name, ...showTimes(row, zone) };
}

function showSecret({ secretId, name: own, createdAt, updatedAt }: Secret, zone: Zone) {
  return show({ secret_id: secretId, name: own, created_at: createdAt, updated_at: updatedAt }, zone);
}
