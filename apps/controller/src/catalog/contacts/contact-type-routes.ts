import { contactOptionNames, contactTypeNames, contactTypes } from '@vantage/alerts';
import type { Route } from '@vantage/rest-kit/route';
import { noSubject, route } from '@vantage/rest-kit/route-factories';
import { z } from 'zod';

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
export const contactTypesRoute: Route = route({
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
