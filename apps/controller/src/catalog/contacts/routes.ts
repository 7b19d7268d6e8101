import { contactOptionNames, contactTypeNames, contactTypes, notifyKinds } from '@vantage/alerts';
import { cleanLine } from '@vantage/domain';
import type { Clock } from '@vantage/kernel';
import { z } from 'zod';
import type { Db } from '../../platform/db/index.ts';
import type { Sealer } from '../../platform/secrets/seal.ts';
import { idField, showTimes } from '../../rest/http/field.ts';
import { missing } from '../../rest/http/problem.ts';
import { noSubject, type Route, route } from '../../rest/http/route.ts';
import type { Session } from '../../rest/http/session.ts';
import type { Catalog } from '../change.ts';
import { actorOf } from '../change.ts';
import { showRowIdentity } from '../external-key.ts';
import { accepted } from '../refusal.ts';
import { type ResourcePage, resourceRoutes, resourceSubject } from '../resource-routes.ts';
import { contactCreate, contactFull, contactReadOnly, contactUpdate, readOptions } from './fields.ts';
import { type ContactRow, listContacts } from './store.ts';
import { createContactWriter, rotateSecret } from './write.ts';

const names = { tag: 'Contacts', what: 'contact' as const, root: 'contact', id: 'contact_id' } as const;
const rotated = z
  .strictObject({
    contact_id: idField,
    Secret: z
      .string()
      .describe('The new secret. No later answer shows it.')
      .meta({ example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' }),
  })
  .meta({ id: 'RotatedSecret' });

const texts = {
  create: {
    summary: 'Creates a contact: where notifications go.',
    description:
      'It gets messages when a notification schedule names it. Webhooks to private or loopback addresses, and by plain HTTP, need the permission of the operator.',
  },
  list: { summary: 'Lists contacts by name.' },
  read: { summary: 'A contact without its secrets.' },
  change: {
    summary: 'Changes a contact: what is absent stays.',
    description:
      'A new Secret signs at once, the old one no longer. To keep the old one for 24 hours, rotate it instead.',
  },
  remove: {
    summary: 'Deletes a contact that no notification schedule names.',
    description: '1005 names the schedules that are in the way.',
  },
} as const;

const tested = z
  .strictObject({
    contact_id: idField,
    Delivered: z.boolean().describe('Whether the receiver accepted the message.'),
    Answer: z
      .string()
      .describe('What the receiver said, or why the message did not reach it.')
      .meta({ example: '200 OK' }),
  })
  .meta({ id: 'ContactTest' });

/** Sends one test message now; undefined: the contact is gone. `answer` is one line for people, without secrets. */
type SendTest = (
  contactNo: number,
  signal: AbortSignal,
) => Promise<{ readonly isDelivered: boolean; readonly answer: string } | undefined>;

/** The parts that the routes of contacts need. */
export interface ContactRouteDeps {
  readonly db: Db;
  readonly catalog: Catalog;
  readonly clock: Clock;
  readonly sealer: Sealer;
  readonly allowPrivateWebhooks: boolean;
  readonly sendTest: SendTest;
}

/** Creating, listing, reading, changing and deleting contacts; testing them and rotating their secrets. */
export function contactRoutes({
  db,
  catalog,
  clock,
  sealer,
  allowPrivateWebhooks,
  sendTest,
}: ContactRouteDeps): Route[] {
  const list = (accountNo: number, page: ResourcePage) => listContacts(db, accountNo, page);
  return [
    ...resourceRoutes({
      names,
      texts,
      catalog,
      list,
      create: contactCreate,
      update: contactUpdate,
      full: contactFull,
      readOnly: contactReadOnly,
      show: (row, session) => show(row, session, clock.nowUs()),
      write: createContactWriter({ sealer, policy: { allowPrivate: allowPrivateWebhooks } }),
    }),
    contactTypesRoute,
    testRoute({ list, sendTest }),
    route({
      ...resourceSubject({ names, list }),
      path: '/contacts/{contact_id}/rotate',
      method: 'POST',
      level: 'UW',
      summary: 'Gives a webhook a new secret, which this answer alone shows.',
      description:
        'For 24 hours messages carry the signatures of both secrets, so that the receiver can change its own at any time within them. A second rotation ends the secret before the first one.',
      response: rotated,
      handler: async ({ session, subject: { id } }) => {
        const given = { accountNo: session.accountNo, contactId: id, nowUs: clock.nowUs() };
        const { secret } = accepted(
          await catalog.change(actorOf(session), (transaction) => rotateSecret(transaction, sealer, given)),
        );
        return { body: { contact_id: id, Secret: secret } };
      },
    }),
  ];
}

function testRoute({
  list,
  sendTest,
}: {
  readonly list: (accountNo: number, page: ResourcePage) => ReturnType<typeof listContacts>;
  readonly sendTest: SendTest;
}): Route {
  return route({
    ...resourceSubject({ names, list }),
    path: '/contacts/{contact_id}/test',
    method: 'POST',
    level: 'UW',
    waits: true,
    summary: 'Sends a test message to a contact now, and answers what its receiver said.',
    description: 'One attempt is made, whatever Notify says. Delivered is false when it failed.',
    response: tested,
    handler: async ({ subject: { id, row }, signal }) => {
      const result = await sendTest(row.contact_no, signal);
      if (result === undefined) throw missing('contact');
      return { body: { contact_id: id, Delivered: result.isDelivered, Answer: result.answer } };
    },
  });
}

function show(row: ContactRow, { zone }: Session, nowUs: number): z.input<typeof contactFull> {
  const until = row.previous_secret_until_us;
  return {
    contact_id: row.contact_id,
    Name: cleanLine(row.name),
    Type: z.enum(contactTypeNames).parse(row.type),
    Address: row.address,
    Notify: row.notify && z.array(z.enum(notifyKinds)).parse(row.notify),
    Options: readOptions(row.options),
    Shadow: row.shadow,
    ...showRowIdentity(row),
    PreviousSecretUntil: until === null || until <= nowUs ? null : zone.format(until),
    ...showTimes(row, zone),
  };
}

const contactType = z
  .strictObject({
    Type: z
      .enum(contactTypeNames)
      .describe('The Type of contacts that these fields belong to.')
      .meta({ example: 'webhook' }),
    Address: z
      .string()
      .describe('An example of its Address.')
      .meta({ example: 'https://hooks.example.org/vantage' }),
    Secret: z
      .strictObject({
        Required: z.boolean().describe('A contact of this Type needs one.'),
        Signs: z
          .boolean()
          .describe('It signs messages, and POST /contacts/{contact_id}/rotate makes a new one.'),
        Hint: z
          .string()
          .describe('Its kind, and where people find it.')
          .meta({ example: 'the secret with which messages are signed' }),
      })
      .nullable()
      .describe('null: it has none.')
      .meta({
        example: {
          Required: false,
          Signs: true,
          Hint: 'the secret with which messages are signed',
        },
      }),
    Options: z
      .array(z.strictObject({ Name: z.enum(contactOptionNames), Required: z.boolean() }))
      .describe('The Options that it knows.')
      .meta({ example: [] }),
  })
  .meta({ id: 'ContactType', description: 'The fields that contacts of a Type have.' });

/** The fields that each type of contact has, as a form needs them. */
const contactTypesRoute: Route = route({
  method: 'GET',
  path: '/contact-types',
  level: 'UR',
  tag: 'Contacts',
  summary: 'The fields that each Type of contact has, for forms.',
  subject: noSubject,
  response: z.array(contactType),
  names: { root: 'contact-types', row: 'contact-type', id: 'Type' },
  handler: () => Promise.resolve({ body: contactTypeNames.map((type) => showType(type)) }),
});

function showType(Type: (typeof contactTypeNames)[number]): z.input<typeof contactType> {
  const { example, secret, options } = contactTypes[Type];
  return {
    Type,
    Address: example,
    Secret: secret && { Required: secret.isRequired, Signs: secret.signs, Hint: secret.hint },
    Options: (options?.known ?? []).map((Name) => ({
      Name,
      Required: options?.required.includes(Name) ?? false,
    })),
  };
}
