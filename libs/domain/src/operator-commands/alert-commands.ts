import { z } from 'zod';
import { line, newName, ofOneAccount, reference, timestamp } from './command-fields.ts';

const contact = z.object({
  contact_id: z.string(),
  account: z.string(),
  name: z.string(),
  type: z.string(),
  address: z.string().describe('Credentials are ***.'),
});

const alert = z.object({
  alert_id: z.string(),
  account: z.string(),
  kind: z.string(),
  state: z.string(),
  device: z.string().nullable().describe('ShortName; null: the alert is of a Location.'),
  location: z.string().nullable(),
  since: timestamp,
  check_result: z.string().nullable(),
});

export const alertCommands = {
  'contacts.add': {
    request: z.strictObject({
      account: reference,
      address: z.string().max(2048),
      name: newName.optional(),
      secret_key_file: z.string().describe('The key that seals the address.'),
      allow_private: z
        .boolean()
        .nullable()
        .describe('Webhooks may go to private addresses; null: as the installation permits.'),
    }),
    answer: z.object({
      contact_id: z.string(),
      type: z.string(),
      address: z.string(),
      secret: z.string().nullable().describe('Signs the messages of a webhook; null: it has none.'),
      schedule: z.string().nullable().describe('The schedule that notifies it now.'),
      note: z.string().describe('The effect of that, in a sentence.'),
    }),
  },
  'contacts.test': {
    request: z.strictObject({
      account: reference,
      contact: reference.describe('Its id, name, or address as lists show it.'),
    }),
    answer: z.object({ contact_id: z.string(), name: z.string(), answer: z.string() }),
  },
  'contacts.list': { request: ofOneAccount, answer: z.array(contact).readonly() },
  'alerts.list': {
    request: z.strictObject({ account: reference }),
    answer: z.array(alert).readonly().describe('Alerts that are not closed, up to 1,000, newest first.'),
  },
  'alerts.acknowledge': {
    request: z.strictObject({ account: reference, alert_id: z.string(), note: line.nullable() }),
    answer: z.object({ alert_id: z.string(), state: z.string() }),
  },
} as const;
