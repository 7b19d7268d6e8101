import { cleanLine, secretNamePattern } from '@vantage/domain';
import { boundedText, isId } from '@vantage/kernel';
import { idField, shownTimes, showTimes, timeNames } from '@vantage/rest-kit/field';
import { nextPage, wholeOrPageQuery } from '@vantage/rest-kit/paging';
import { missing } from '@vantage/rest-kit/problem';
import type { Route } from '@vantage/rest-kit/route';
import { noSubject, route } from '@vantage/rest-kit/route-factories';
import type { Session } from '@vantage/rest-kit/session';
import type { Zone } from '@vantage/rest-kit/zone';
import type { Reader } from '@vantage/storage';
import type { Secret } from '@vantage/storage/entities';
import type { Sealer } from '@vantage/storage/secrets/seal';
import { z } from 'zod';
import type { Catalog } from '../../resources/change.ts';
import { actorOf } from '../../resources/change.ts';
import { accepted } from '../../resources/refusal.ts';
import { findSecret, listSecrets, type SecretRow } from './secret-store.ts';
import { changeSecret, createSecret, removeSecret, usersOfSecret } from './secret-write.ts';

const tag = 'Secrets';
const names = { root: 'secret', id: 'secret_id' } as const;
const idAnswer = z.strictObject({ secret_id: idField });
const readOnly = ['secret_id', 'Devices', ...timeNames] as const;

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

/** The maximum of devices in the answer about a secret. */
const maxUsers = 100;

const secretFull = secretEntry
  .extend({
    Devices: z
      .array(
        z.strictObject({
          device_id: idField,
          ShortName: z.string().describe('Short name of the device.').meta({ example: 'web-1' }),
        }),
      )
      .max(maxUsers)
      .describe(`Devices that refer to it, at most ${maxUsers}. It cannot be deleted while there is one.`)
      .meta({
        example: [{ device_id: '8dddb028ef293a7190ff4d6b4e26af36e7a743c83e60866d', ShortName: 'web-1' }],
      }),
  })
  .meta({ id: 'SecretFull', description: 'A secret without its value, and the devices that refer to it.' });

/** The parts that the routes of secrets need. */
interface SecretRouteDeps {
  readonly catalog: Catalog;
  readonly sealer: Sealer;
}

/** Write-only values, sealed at rest. */
export function secretRoutes(deps: SecretRouteDeps): Route[] {
  return [createRoute(deps), listRoute(), ...oneSecretRoutes(deps)];
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
    handler: async ({ db, session, body }) => {
      const given = { accountNo: session.accountNo, name: body.Name, value: body.Value };
      const outcome = await catalog.change(db, actorOf(session), (transaction) =>
        createSecret(transaction, sealer, given),
      );
      return { body: { secret_id: accepted(outcome).secretId } };
    },
  });
}

function listRoute(): Route {
  return route({
    method: 'GET',
    path: '/secrets',
    limitedCallers: 'refused',
    level: 'UR',
    tag,
    summary: 'Lists secrets by name, without their values.',
    subject: noSubject,
    query: z.object(wholeOrPageQuery),
    response: z.array(secretEntry),
    names: { root: 'secrets', row: 'secret', id: 'secret_id' },
    handler: async ({ db, session, query: { Limit, Offset } }) => {
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

function oneSecretRoutes({ catalog, sealer }: SecretRouteDeps): Route[] {
  const subject = {
    what: 'secret' as const,
    find: async ({ accountNo }: Session, { secret_id = '' }: Readonly<Record<string, string>>, db: Reader) =>
      isId(secret_id) ? findSecret(db, accountNo, secret_id) : undefined,
  };
  const shared = { path: '/secrets/{secret_id}', tag, subject, names } as const;
  const showFull = async (
    { kysely }: Reader,
    secret: Secret,
    zone: Zone,
  ): Promise<z.input<typeof secretFull>> => {
    const users = await usersOfSecret(kysely, sealer, secret, maxUsers);
    const Devices = users.map(({ device_id, short_name }) => ({
      device_id,
      ShortName: cleanLine(short_name),
    }));
    return { ...showSecret(secret, zone), Devices };
  };
  return [
    route({
      ...shared,
      method: 'GET',
      limitedCallers: 'refused',
      level: 'UR',
      summary: 'A secret without its value, and the devices that refer to it.',
      response: secretFull,
      handler: async ({ db, session, subject: secret }) => ({
        body: await showFull(db, secret, session.zone),
      }),
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
      response: secretFull,
      handler: async ({ db, session, subject: secret, body }) => {
        const change = { secret, name: body.Name, value: body.Value };
        accepted(
          await catalog.change(db, actorOf(session), (transaction) =>
            changeSecret(transaction, sealer, change),
          ),
        );
        const changed = await findSecret(db, session.accountNo, secret.secretId);
        if (changed === undefined) throw missing('secret');
        return { body: await showFull(db, changed, session.zone) };
      },
    }),
    route({
      ...shared,
      method: 'DELETE',
      level: 'UW',
      summary: 'Deletes a secret. Refused while devices refer to it.',
      response: idAnswer,
      handler: async ({ db, session, subject: secret }) => {
        accepted(
          await catalog.change(db, actorOf(session), (transaction) =>
            removeSecret(transaction, sealer, secret),
          ),
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
