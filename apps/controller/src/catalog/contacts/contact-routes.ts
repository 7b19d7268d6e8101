import { type AddressPolicy, contactTypeNames, notifyKinds } from '@vantage/alerts';
import { cleanLine } from '@vantage/domain';
import type { Clock } from '@vantage/kernel';
import { idField, showTimes } from '@vantage/rest-kit/field';
import { missing } from '@vantage/rest-kit/problem';
import type { Route } from '@vantage/rest-kit/route';
import { route } from '@vantage/rest-kit/route-factories';
import type { Session } from '@vantage/rest-kit/session';
import type { Sealer } from '@vantage/storage/secrets/seal';
import { z } from 'zod';
import type { Catalog } from '../../resources/change.ts';
import { actorOf } from '../../resources/change.ts';
import { showRowIdentity } from '../../resources/external-key.ts';
import { accepted } from '../../resources/refusal.ts';
import { resourceRoutes, resourceSubject } from '../../resources/resource-routes.ts';
import { contactCreate, contactFull, contactReadOnly, contactUpdate, readOptions } from './contact-fields.ts';
import { type ContactRow, listContacts } from './contact-store.ts';
import { contactTypesRoute } from './contact-type-routes.ts';
import { createContactWriter } from './contact-write.ts';
import { rotateSecret } from './rotate-contact-secret.ts';

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
  readonly catalog: Catalog;
  readonly clock: Clock;
  readonly sealer: Sealer;
  readonly installation: { readonly inForce: AddressPolicy };
  readonly sendTest: SendTest;
}

/** Creating, listing, reading, changing and deleting contacts; testing them and rotating their secrets. */
export function contactRoutes({ catalog, clock, sealer, installation, sendTest }: ContactRouteDeps): Route[] {
  return [
    ...resourceRoutes({
      limitedCallers: 'refused',
      names,
      texts,
      catalog,
      list: listContacts,
      create: contactCreate,
      update: contactUpdate,
      full: contactFull,
      readOnly: contactReadOnly,
      show: (row, session) => show(row, session, clock.nowUs()),
      write: createContactWriter({ sealer, policy: installation.inForce }),
    }),
    contactTypesRoute,
    testRoute(sendTest),
    route({
      ...resourceSubject({ names, list: listContacts }),
      path: '/contacts/{contact_id}/rotate',
      method: 'POST',
      level: 'UW',
      summary: 'Gives a webhook a new secret, which this answer alone shows.',
      description:
        'For 24 hours messages carry the signatures of both secrets, so that the receiver can change its own at any time within them. A second rotation ends the secret before the first one.',
      response: rotated,
      handler: async ({ db, session, subject: { id } }) => {
        const given = { accountNo: session.accountNo, contactId: id, nowUs: clock.nowUs() };
        const { secret } = accepted(
          await catalog.change(db, actorOf(session), (transaction) =>
            rotateSecret(transaction, sealer, given),
          ),
        );
        return { body: { contact_id: id, Secret: secret } };
      },
    }),
  ];
}

function testRoute(sendTest: SendTest): Route {
  return route({
    ...resourceSubject({ names, list: listContacts }),
    path: '/contacts/{contact_id}/test',
    method: 'POST',
    level: 'UW',
    waits: true,
    summary: 'Sends a test message to a contact now, and answers what its receiver said.',
    description: 'Makes one attempt, whatever Notify says. Delivered is false when it failed.',
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
