import { secretNamePattern } from '@vantage/domain';
import { boundedText } from '@vantage/kernel';
import { z } from 'zod';
import { type Db, publish } from '../../db/index.ts';
import { idField, isId, timestampField } from '../../http/field.ts';
import { nextPage, wholeOrPageQuery } from '../../http/paging.ts';
import { conflict, missing } from '../../http/problem.ts';
import { noSubject, type Route, route } from '../../http/route.ts';
import type { Session } from '../../http/session.ts';
import type { Zone } from '../../http/zone.ts';
import type { Sealer } from '../../secrets/seal.ts';
import { lockAccount } from '../devices/lookup-store.ts';
import { openOrShown, referencesOf } from '../devices/sealed.ts';
import {
  connectedAgents,
  deleteSecret,
  findSecret,
  insertSecret,
  listSecrets,
  replaceSecret,
  type SecretRow,
  sealedDevices,
} from './store.ts';

const tag = 'Secrets';
const names = { root: 'secret', id: 'secret_id' } as const;
const idAnswer = z.strictObject({ secret_id: idField });
const readOnly = ['secret_id', 'UpdatedAt'] as const;

const name = boundedText(1000)
  .regex(secretNamePattern, "must be 1 to 100 characters: letters, digits, '_', '.' or '-'")
  .describe(`Used as \${secret:NAME} in URL and Options, and as secret("NAME") in scripts.`);
const value = boundedText(65_536, 1).describe('Write-only: never returned.');

const secretEntry = z
  .strictObject({ secret_id: idField, Name: z.string(), UpdatedAt: timestampField })
  .meta({ id: 'Secret' });

/** Write-only values, sealed at rest. */
export function secretRoutes({ db, sealer }: { readonly db: Db; readonly sealer: Sealer }): Route[] {
  const subject = {
    what: 'secret',
    find: async ({ accountNo }: Session, { secret_id = '' }: Readonly<Record<string, string>>) =>
      isId(secret_id) ? findSecret(db, accountNo, secret_id) : undefined,
  };
  const tellAgents = async ({ accountNo }: Session) => {
    const agents = await connectedAgents(db, accountNo);
    await publish(db.kysely, 'plan', { agent_nos: agents });
  };

  /** Some devices that refer to a secret. */
  const usersOf = async (
    trx: Db['kysely'],
    accountNo: number,
    wanted: string,
  ): Promise<readonly string[]> => {
    const users: string[] = [];
    let afterNo = 0;
    let rows = await sealedDevices(trx, accountNo, afterNo);
    while (rows.length > 0 && users.length < 10) {
      for (const row of rows) {
        afterNo = row.device_no;
        const { url, options } = referencesOf(row.method, openOrShown(sealer, row));
        if (url.has(wanted) || options.has(wanted)) users.push(`${row.short_name} (${row.device_id})`);
      }
      rows = await sealedDevices(trx, accountNo, afterNo);
    }
    return users;
  };

  return [
    route({
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
        const { accountNo } = session;
        const secretId = await insertSecret(db, sealer, { accountNo, name: body.Name, value: body.Value });
        if (secretId === undefined)
          throw conflict(`There is a secret named ${body.Name} already.`, [
            { field: 'Name', message: 'is taken' },
          ]);
        await tellAgents(session);
        return { body: { secret_id: secretId } };
      },
    }),
    route({
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
    }),
    route({
      method: 'GET',
      path: '/secrets/{secret_id}',
      level: 'UR',
      tag,
      summary: 'A secret without its value.',
      subject,
      response: secretEntry,
      names,
      handler: async ({ session, subject: row }) => ({ body: show(row, session.zone) }),
    }),
    route({
      method: 'PUT',
      path: '/secrets/{secret_id}',
      level: 'UW',
      tag,
      summary: 'Gives a secret another value; its name stays.',
      subject,
      body: z
        .strictObject({ Name: boundedText(1000).optional(), Value: value.optional() })
        .meta({ id: 'SecretUpdate' }),
      readOnly,
      response: secretEntry,
      names,
      handler: async ({ session, subject: row, body }) => {
        if (body.Name !== undefined && body.Name !== row.name)
          throw conflict('Name cannot be changed: devices refer to it.', [
            { field: 'Name', message: 'cannot be changed' },
          ]);
        if (body.Value !== undefined) {
          await replaceSecret(db, sealer, row.secret_id, body.Value);
          await tellAgents(session);
        }
        const changed = await findSecret(db, session.accountNo, row.secret_id);
        if (changed === undefined) throw missing('secret');
        return { body: show(changed, session.zone) };
      },
    }),
    route({
      method: 'DELETE',
      path: '/secrets/{secret_id}',
      level: 'UW',
      tag,
      summary: 'Deletes a secret. Refused while devices refer to it.',
      subject,
      response: idAnswer,
      names,
      handler: async ({ session, subject: row }) => {
        await db.kysely.transaction().execute(async (trx) => {
          await lockAccount(trx, session.accountNo);
          const users = await usersOf(trx, session.accountNo, row.name);
          if (users.length > 0)
            throw conflict(`Devices refer to this secret: ${users.slice(0, 10).join(', ')}.`);
          await deleteSecret(trx, row.secret_id);
        });
        return { body: { secret_id: row.secret_id } };
      },
    }),
  ];
}

function show(row: SecretRow, zone: Zone): z.input<typeof secretEntry> {
  return { secret_id: row.secret_id, Name: row.name, UpdatedAt: zone.format(row.updated_us) };
}
