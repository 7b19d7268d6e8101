import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { createSchedule } from './contacts.ts';
import { type LabFixture, until } from './lab-fixture.ts';
import type { ServiceMessage } from './service-messages.ts';
import { createMailContact, createServiceContact, type ServiceType } from './services.ts';
import { otherMessages } from './verdict.ts';

/** The id of a device by its name. */
export function idOf({ devices }: LabFixture, name: string): string {
  const id = devices.find((one) => one.name === name)?.id;
  if (id === undefined) throw new Error(`no device ${name}`);
  return id;
}

/** Creates a contact whose messages the verdict counts under its name. `email`: an address of the lab. */
async function addContact(
  { api, receivers, serviceTypes }: LabFixture,
  name: string,
  type: ServiceType | 'email',
): Promise<string> {
  if (type === 'email') return createMailContact(api, name);
  serviceTypes.set(name, type);
  return createServiceContact(api, receivers, { name, type });
}

/** Creates several contacts. Resolves with their ids by their names. */
export async function addContacts(
  fixture: LabFixture,
  all: Readonly<Record<string, ServiceType | 'email'>>,
): Promise<(name: string) => string> {
  const ids = new Map<string, string>();
  for (const [name, type] of Object.entries(all)) ids.set(name, await addContact(fixture, name, type));
  return (name) => {
    const id = ids.get(name);
    if (id === undefined) throw new Error(`no contact ${name}`);
    return id;
  };
}

/** Creates a schedule and gives it to devices. */
export async function giveSchedule(
  fixture: LabFixture,
  names: readonly string[],
  steps: readonly Record<string, unknown>[],
): Promise<string> {
  const id = await createSchedule(fixture.api, `for ${names.join(', ')}`, steps);
  for (const name of names)
    await fixture.api.ok('PUT', `/devices/${idOf(fixture, name)}`, { nschedule_id: id });
  return id;
}

const alerts = z.array(z.object({ alert_id: z.string(), ShortName: z.string().nullable() }));

/** Acknowledges the open alert of a device. */
export async function acknowledge({ api }: LabFixture, name: string): Promise<void> {
  const all = alerts.parse(await api.ok('GET', '/alerts?State=Open&Limit=100'));
  const id = all.find(({ ShortName }) => ShortName === name)?.alert_id;
  await api.ok('PUT', `/alerts/${id}/acknowledge`, { Note: 'seen' });
}

/** The account's schedule: its two contacts, open on each day, so that also news for office hours go at once. */
export async function openAlways({ api, contacts }: LabFixture): Promise<void> {
  const Days = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
  const Steps = [{ DelayMinutes: 0, Contacts: [contacts.hook, contacts.mail], Days }];
  await api.ok('PUT', `/nschedules/${contacts.schedule}`, { Steps });
}

/** Lets minutes of the rules pass. */
export function minutes({ scale }: LabFixture, count: number): Promise<void> {
  return delay((count * 60_000) / scale);
}

/** The messages of these contacts about a device. */
export function messagesTo(
  fixture: LabFixture,
  { contact, what, about }: { readonly contact: string; readonly what?: string; readonly about?: string },
): readonly ServiceMessage[] {
  return otherMessages(fixture).filter(
    (one) =>
      one.contact === contact &&
      (what === undefined || one.what === what) &&
      (about === undefined || one.about === about),
  );
}

/** Waits until a contact has `count` messages; one sentence if it has not within the time. */
export async function expectMessages(
  fixture: LabFixture,
  wanted: { readonly contact: string; readonly what?: string; readonly about?: string },
  { count = 1, maxMs = 15_000 }: { readonly count?: number; readonly maxMs?: number } = {},
): Promise<readonly string[]> {
  const got = () => messagesTo(fixture, wanted).length;
  const did = await until(async () => got() >= count, maxMs);
  const shown = [wanted.contact, wanted.what ?? 'any message', wanted.about ?? ''].join(' ').trim();
  fixture.note(`${shown}: ${got()} of ${count}`);
  return did ? [] : [`${shown}: ${got()} of ${count} after ${maxMs / 1000} s`];
}

/** Counts of messages, each as `contact what about`. */
export function countsOf(
  all: readonly (readonly [contacts: readonly string[], what: string, about: string, count: number])[],
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const [contacts, what, about, count] of all.filter((row) => row[3] > 0))
    for (const contact of contacts) {
      const name = `${contact} ${what} ${about}`;
      counts.set(name, (counts.get(name) ?? 0) + count);
    }
  return counts;
}
