import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { operate } from '../harness/more-agents.ts';
import type { System } from '../harness/system.ts';

const record = z.record(z.string(), z.unknown());
const hourMs = 3_600_000;

/** The things of those who plan, account and share. */
export interface Planned {
  readonly schedule: string;
  readonly contact: string;
  readonly recurring: string;
  readonly page: string;
  /** A key of the level UA. */
  readonly adminKey: string;
}

type Create = (path: string, id: string, body: object) => Promise<string>;

/** Creates things with a key; resolves with the id that the answer has under this name. */
const createWith =
  (system: System, key: string): Create =>
  async (path, id, body) => {
    const answer = await system.api.call('POST', path, body, { 'Service-API-Key': key });
    if (answer.status !== 200) throw new Error(`POST ${path}: ${answer.text}`);
    return String(record.parse(answer.body)[id]);
  };

const at = (hours: number) => new Date(Date.now() + hours * hourMs).toISOString();
const timezone = 'Europe/Berlin';

/** A schedule of two steps, its contacts, and a monthly report to the first of them. */
async function planMessages(create: Create): Promise<Pick<Planned, 'schedule' | 'contact'>> {
  const mail = { Name: 'Night desk', Type: 'email', Address: 'night-desk@example.org' };
  const contact = await create('/contacts', 'contact_id', mail);
  const hook = 'https://chat.example.org/hooks/abcdefgh12345678';
  const chat = await create('/contacts', 'contact_id', {
    Name: 'Operations chat',
    Type: 'mattermost',
    Address: hook,
  });
  const Days = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri'];
  const schedule = await create('/nschedules', 'nschedule_id', {
    Name: 'Office hours, then the night desk',
    Timezone: timezone,
    Steps: [
      { DelayMinutes: 0, Contacts: [chat], Days, From: '08:00', To: '18:00' },
      { DelayMinutes: 15, Contacts: [contact], RepeatMinutes: 60, Severities: ['critical'] },
    ],
  });
  await create('/reports', 'report_id', { Name: 'The shop, monthly', Contacts: [contact], Objective: 99.9 });
  return { schedule, contact };
}

/** A page with an incident, colours and a footer. */
function makePage(create: Create): Promise<string> {
  const Text = 'Some customers cannot reach the shop.\nWe look for the cause.';
  return create('/pages', 'page_id', {
    Name: 'Example services',
    Path: 'customers',
    Tags: ['service/web', 'berlin/rack-1'],
    Notes: [
      { At: at(-1), Kind: 'Identified', Text: 'A router is broken. A new one is on its way.' },
      { At: at(-2), Kind: 'Investigating', Text },
    ],
    Accent: { Light: '#a3123f', Dark: '#ff8fab' },
    Footer: 'Example Ltd. · https://example.org/contact',
  });
}

/** A secret that a device uses, hooks, and what happened at a device. */
async function addOwnThings(create: Create, device: string): Promise<void> {
  const Secret = `whsec_${randomBytes(32).toString('base64')}`;
  await create('/secrets', 'secret_id', { Name: 'SHOP_PASSWORD', Value: 'correct horse battery' });
  await create('/secrets', 'secret_id', { Name: 'SNMP_COMMUNITY', Value: 'correct horse battery' });
  const Address = 'https://warehouse.example.org/events';
  await create('/hooks', 'hook_id', { Name: 'Data warehouse', Address, Secret, Events: null });
  const tickets = { Name: 'Tickets', Address: 'https://tickets.example.org/hooks/vantage', Secret };
  await create('/hooks', 'hook_id', { ...tickets, Events: ['Down', 'Up'] });
  const mark = { Kind: 'Deployment', Text: 'shop 4.18', Devices: [device], At: at(-5) };
  await create('/marks', 'mark_id', mark);
  const note = { Kind: 'Note', Text: 'provider ticket 48112 opened', Devices: [device], At: at(-2) };
  await create('/marks', 'mark_id', note);
}

async function invite(create: Create): Promise<void> {
  const person = { Name: 'Ada Lovelace', Email: 'ada@example.org', Level: 'UO' };
  await create('/users', 'user_id', { ...person, Tags: ['berlin/rack-1', 'berlin/rack-2'] });
  const key = { Name: 'Control room', Level: 'UR', Tags: ['service/web'], Expires: at(24 * 90) };
  await create('/keys', 'key_id', key);
}

/** Schedules, contacts, maintenance, a monthly report, a status page with an incident, people and keys. */
export async function makePlanned(system: System, devices: readonly string[]): Promise<Planned> {
  const issued = operate(system, 'keys', 'issue', '--level', 'UA', '--name', 'Jana Wolf');
  const { key: adminKey } = z.object({ key: z.string() }).parse(issued);
  const create = createWith(system, adminKey);
  const { schedule, contact } = await planMessages(create);
  await system.api.ok('PUT', '/account', { Timezone: timezone, nschedule_id: schedule });
  const recurring = await create('/mschedules', 'mschedule_id', {
    Name: 'Patch Sunday',
    Start: '2026-01-04T02:30',
    Duration: '02:00',
    Timezone: timezone,
    Recurrence: 'FREQ=WEEKLY;BYDAY=SU',
  });
  await system.api.ok('PUT', `/devices/${devices[6]}`, { mschedule_id: recurring });
  const window = { Start: at(26), Duration: '03:00', Reason: 'New disks' };
  await system.api.ok('PUT', `/devices/${devices[10]}/start-maintenance`, window);
  const page = await makePage(create);
  await addOwnThings(create, devices[6] ?? '');
  await invite(create);
  return { schedule, contact, recurring, page, adminKey };
}
