import { z } from 'zod';
import type { Api } from '../harness/api.ts';

/** The secret of the webhook contact. */
export const secret = `whsec_${Buffer.alloc(24, 'lab').toString('base64')}`;
/** The address of the e-mail contact. */
export const mailAddress = 'noc@lab.example';

/** The contacts of the lab. */
export interface Contacts {
  readonly hook: string;
  readonly mail: string;
  /** The account's schedule: both contacts, no delay. */
  readonly schedule: string;
}

const contact = z.object({ contact_id: z.string() });
const schedule = z.object({ nschedule_id: z.string() });

/** The contact_id in an answer to POST /contacts. */
export function contactIdOf(answer: unknown): string {
  return contact.parse(answer).contact_id;
}

/**
 * Creates a webhook and an e-mail contact and a schedule that notifies both at once, and gives it to the account.
 * `isShadow`: what they would get is only recorded.
 */
export async function createContacts(api: Api, url: string, isShadow: boolean): Promise<Contacts> {
  const make = async (body: Record<string, unknown>) =>
    contactIdOf(await api.ok('POST', '/contacts', { ...body, Shadow: isShadow }));
  const hook = await make({ Name: 'hook', Type: 'webhook', Address: url, Secret: secret });
  const mail = await make({ Name: 'mail', Type: 'email', Address: mailAddress });
  const id = await createSchedule(api, 'Everybody', [{ DelayMinutes: 0, Contacts: [hook, mail] }]);
  await api.ok('PUT', '/account', { nschedule_id: id });
  return { hook, mail, schedule: id };
}

/** Creates a notification schedule. */
export async function createSchedule(
  api: Api,
  Name: string,
  Steps: readonly Record<string, unknown>[],
): Promise<string> {
  return schedule.parse(await api.ok('POST', '/nschedules', { Name, Steps })).nschedule_id;
}
