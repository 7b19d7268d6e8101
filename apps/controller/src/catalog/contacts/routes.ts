import { alertKinds, contactTypeNames } from '@vantage/alerts';
import { cleanLine } from '@vantage/domain';
import { type Clock, isId } from '@vantage/kernel';
import { z } from 'zod';
import type { Db } from '../../db/index.ts';
import { idField } from '../../http/field.ts';
import { nextPage, wholeOrPageQuery } from '../../http/paging.ts';
import { missing } from '../../http/problem.ts';
import { noSubject, type Route, route, validatingRoute } from '../../http/route.ts';
import type { Session } from '../../http/session.ts';
import type { Zone } from '../../http/zone.ts';
import type { Sealer } from '../../secrets/seal.ts';
import type { Catalog } from '../change.ts';
import { externalKeyQuery } from '../external-key.ts';
import { accepted, actorOf } from '../from-rest.ts';
import { contactCreate, contactFull, contactReadOnly, contactUpdate } from './fields.ts';
import { type ContactRow, listContacts } from './store.ts';
import { changeContact, createContact, removeContact, rotateSecret } from './write.ts';

const tag = 'Contacts';
const names = { root: 'contact', id: 'contact_id' } as const;
const idAnswer = z.strictObject({ contact_id: idField });
const rotated = z
  .strictObject({
    contact_id: idField,
    Secret: z
      .string()
      .describe('The new secret. No later answer shows it.')
      .meta({ example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' }),
  })
  .meta({ id: 'RotatedSecret' });

/** The parts that the routes of contacts need. */
export interface ContactRouteDeps {
  readonly db: Db;
  readonly catalog: Catalog;
  readonly clock: Clock;
  readonly sealer: Sealer;
  readonly allowPrivateWebhooks: boolean;
}

/** Creating, listing, reading, changing and deleting contacts; rotating their secrets. */
export function contactRoutes(deps: ContactRouteDeps): Route[] {
  return [createRoute(deps), listRoute(deps), ...oneContactRoutes(deps), rotateRoute(deps)];
}

function createRoute({ catalog, sealer, allowPrivateWebhooks }: ContactRouteDeps): Route {
  const deps = { sealer, policy: { allowPrivate: allowPrivateWebhooks } };
  return validatingRoute({
    method: 'POST',
    path: '/contacts',
    level: 'UW',
    tag,
    summary: 'Creates a contact: where notifications go.',
    description:
      'It gets messages when a notification schedule names it. Webhooks to private or loopback addresses, and by plain HTTP, need the permission of the operator.',
    subject: noSubject,
    body: contactCreate,
    readOnly: contactReadOnly,
    response: idAnswer,
    names,
    handler: async ({ session, body, faults }) => {
      const { accountNo } = session;
      const given = { accountNo, type: body.Type, sent: { values: body, faults } };
      const { contactId } = accepted(
        await catalog.change(actorOf(session), (transaction) => createContact(transaction, deps, given)),
      );
      return { body: { contact_id: contactId } };
    },
  });
}

function listRoute({ db, clock }: ContactRouteDeps): Route {
  return route({
    method: 'GET',
    path: '/contacts',
    level: 'UR',
    tag,
    summary: 'Lists contacts by name.',
    subject: noSubject,
    query: z.object({ ExternalKey: externalKeyQuery, ...wholeOrPageQuery }),
    response: z.array(contactFull),
    names: { root: 'contacts', row: 'contact', id: 'contact_id' },
    handler: async ({ session, query: { ExternalKey, Limit, Offset } }) => {
      const page = { externalKey: ExternalKey, limit: Limit, offset: Offset };
      const { rows, total } = await listContacts(db, session.accountNo, page);
      const nowUs = clock.nowUs();
      return {
        body: rows.map((row) => show(row, session.zone, nowUs)),
        total,
        next: nextPage(total, { Limit, Offset }),
      };
    },
  });
}

/** What the routes of one contact share. */
function oneContact(db: Db) {
  const find = async (
    { accountNo }: Session,
    { contact_id: contactId = '' }: Readonly<Record<string, string>>,
  ) => {
    if (!isId(contactId)) return undefined;
    const { rows } = await listContacts(db, accountNo, { limit: 1, offset: 0, contactId });
    return rows[0];
  };
  return { path: '/contacts/{contact_id}', tag, subject: { what: 'contact', find }, names } as const;
}

function oneContactRoutes({ db, catalog, clock, sealer, allowPrivateWebhooks }: ContactRouteDeps): Route[] {
  const shared = oneContact(db);
  const deps = { sealer, policy: { allowPrivate: allowPrivateWebhooks } };
  return [
    route({
      ...shared,
      method: 'GET',
      level: 'UR',
      summary: 'A contact without its secrets.',
      response: contactFull,
      handler: async ({ session, subject }) => ({ body: show(subject, session.zone, clock.nowUs()) }),
    }),
    validatingRoute({
      ...shared,
      method: 'PUT',
      level: 'UW',
      summary: 'Changes a contact: what is absent stays.',
      description:
        'A new Secret signs at once, and the old one no longer. To keep the old one for 24 hours, rotate it instead.',
      body: contactUpdate,
      readOnly: contactReadOnly,
      response: contactFull,
      handler: async ({ session, subject: { contact_id: contactId }, body, faults }) => {
        const change = { accountNo: session.accountNo, contactId, sent: { values: body, faults } };
        accepted(
          await catalog.change(actorOf(session), (transaction) => changeContact(transaction, deps, change)),
        );
        const changed = await shared.subject.find(session, { contact_id: contactId });
        if (changed === undefined) throw missing('contact');
        return { body: show(changed, session.zone, clock.nowUs()) };
      },
    }),
    route({
      ...shared,
      method: 'DELETE',
      level: 'UW',
      summary: 'Deletes a contact that no notification schedule names.',
      description: '1005 names the schedules that are in the way.',
      response: idAnswer,
      handler: async ({ session, subject: { contact_id: contactId } }) => {
        const given = { accountNo: session.accountNo, contactId };
        accepted(await catalog.change(actorOf(session), (transaction) => removeContact(transaction, given)));
        return { body: { contact_id: contactId } };
      },
    }),
  ];
}

function rotateRoute({ db, catalog, clock, sealer }: ContactRouteDeps): Route {
  return route({
    ...oneContact(db),
    path: '/contacts/{contact_id}/rotate',
    method: 'POST',
    level: 'UW',
    summary: 'Gives a webhook a new secret, which this answer alone shows.',
    description:
      'For 24 hours messages carry the signatures of both secrets, so that the receiver can change its own at any time within them. A second rotation ends the secret before the first one.',
    response: rotated,
    handler: async ({ session, subject: { contact_id: contactId } }) => {
      const given = { accountNo: session.accountNo, contactId, nowUs: clock.nowUs() };
      const { secret } = accepted(
        await catalog.change(actorOf(session), (transaction) => rotateSecret(transaction, { sealer }, given)),
      );
      return { body: { contact_id: contactId, Secret: secret } };
    },
  });
}

function show(row: ContactRow, zone: Zone, nowUs: number): z.input<typeof contactFull> {
  const until = row.previous_secret_until_us;
  return {
    contact_id: row.contact_id,
    Name: cleanLine(row.name),
    Type: z.enum(contactTypeNames).parse(row.type),
    Address: row.address,
    Notify: row.notify && z.array(z.enum(alertKinds)).parse(row.notify),
    ExternalKey: row.external_key,
    PreviousSecretUntil: until === null || until <= nowUs ? null : zone.format(until),
    UpdatedAt: zone.format(row.updated_at.getTime() * 1000),
  };
}
