import { newAlertState } from '@vantage/alerts';
import { checkId } from '@vantage/domain';
import { createLog, newId } from '@vantage/kernel';
import { createPartitions } from '@vantage/storage';
import { sql } from 'kysely';
import type { RestFixture } from './rest-fixture.ts';
import { addDeviceChange, addUser } from './sample-keys.ts';

/** A webhook whose address has credentials. */
export const sampleContact = {
  Name: 'hook',
  Type: 'webhook',
  Address: 'https://me:pw@hooks.example.org/a?token=t',
  Secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
};

/** A hook whose address has credentials. */
export const sampleHook = {
  Name: 'all events',
  Address: 'https://me:pw@hooks.example.org/events?token=t',
  Secret: sampleContact.Secret,
};

/** A status page with a note; it needs a Path. */
export const samplePage = {
  Name: 'Our services',
  Access: 'Password',
  Password: 'see-our-status',
  Notes: [{ At: '2026-01-04T02:30:00Z', Kind: 'Resolved', Text: 'The router was replaced.' }],
  Accent: { Light: '#a3123f', Dark: '#ff8fab' },
  Footer: 'Example Ltd.',
};

/** A maintenance schedule with a rule. */
export const sampleMschedule = {
  Name: 'Patch Sunday',
  Start: '2026-01-04T02:30',
  Duration: '02:00',
  Recurrence: 'FREQ=WEEKLY;BYDAY=SU',
};

/** A notification schedule of two steps. */
const sampleNschedule = (contactId: string) => ({
  Name: 'Office hours',
  Steps: [
    { DelayMinutes: 0, Contacts: [contactId], Days: ['Mon', 'Tue'], From: '08:00', To: '18:00' },
    { DelayMinutes: 15, Contacts: [contactId], RepeatMinutes: 60, Severities: ['critical'] },
  ],
});

/** Ids of one account's things, by the names of path placeholders. */
export interface SampleAccount {
  readonly ids: Readonly<Record<string, string>>;
  readonly deviceNo: number;
  readonly agentNo: number;
}

/** A contact, a notification schedule that names it, a maintenance schedule, a hook, a status page and a report. */
async function createSchedules(create: (path: string, name: string, body: object) => Promise<string>) {
  const contact_id = await create('/contacts', 'contact_id', sampleContact);
  const nschedule_id = await create('/nschedules', 'nschedule_id', sampleNschedule(contact_id));
  const mschedule_id = await create('/mschedules', 'mschedule_id', sampleMschedule);
  const hook_id = await create('/hooks', 'hook_id', sampleHook);
  const page_id = await create('/pages', 'page_id', {
    ...samplePage,
    Path: `sample-${newId().slice(0, 20)}`,
  });
  const Name = 'Reader';
  const email = { Name, Type: 'email', Address: 'reader@example.org', ExternalKey: 'reader' };
  const reader = await create('/contacts', 'contact_id', email);
  const report_id = await create('/reports', 'report_id', {
    Name: 'Monthly',
    Contacts: [reader],
    Objective: 99.9,
  });
  return { contact_id, nschedule_id, mschedule_id, hook_id, page_id, report_id };
}

/**
 * Gives an account a device with a check and an event, a tag, an agent, a contact, a schedule that names it, and an
 * open alert.
 */
export async function createSampleAccount(
  rest: RestFixture,
  account: { readonly accountNo: number; readonly locationNo: number },
  key: string,
): Promise<SampleAccount> {
  const { db, clock } = rest;
  await createPartitions({ db, clock, log: createLog('test', 'silent'), retentionDays: 2 }).ensure();
  const id = async (path: string, name: string, body: object) => {
    const { json, text } = await rest.send('POST', path, { key, body });
    if (typeof json !== 'object' || json === null || !(name in json)) throw new Error(text);
    return String(Object.values(json)[0]);
  };
  const device_id = await id('/devices', 'device_id', {
    Method: 'TCP',
    URL: '127.0.0.1:9',
    ShortName: 'dev',
  });
  const tag_id = await id('/tags', 'tag_id', { Name: '=SUM(A1) & <tag>' });
  const secret_id = await id('/secrets', 'secret_id', { Name: 'kept', Value: 'hunter2' });
  const schedules = await createSchedules(id);
  const { device_no } = await db.kysely
    .selectFrom('devices')
    .select('device_no')
    .where('device_id', '=', device_id)
    .executeTakeFirstOrThrow();
  const alert_id = await addAlert(rest, { ...account, deviceNo: device_no, deviceId: device_id });
  const { agent_id, agent_no } = await addAgent(rest, account);
  const { location_id } = await db.kysely
    .selectFrom('locations')
    .select('location_id')
    .where('location_no', '=', account.locationNo)
    .executeTakeFirstOrThrow();
  const start = clock.nowUs() - 30_000_000;
  await addChecks(rest, { ...account, deviceNo: device_no, agentNo: agent_no }, [start]);
  const check_id = checkId({ deviceNo: device_no, startUs: start, agentNo: agent_no });
  await addTraceroute(rest, device_no);
  const { keyId: key_id } = await rest.key(account.accountNo, 'UR');
  const user_id = await addUser(rest, account.accountNo);
  const past = await addPast(rest, device_no, schedules.contact_id);
  const change_id = await addDeviceChange(rest, account.accountNo);
  const mark_id = await id('/marks', 'mark_id', { Kind: 'Note', Text: 'ticket 1', Devices: [device_id] });
  return {
    ids: {
      device_id,
      tag_id,
      secret_id,
      agent_id,
      location_id,
      check_id,
      alert_id,
      key_id,
      user_id,
      change_id,
      mark_id,
      ...schedules,
      ...past,
    },
    deviceNo: device_no,
    agentNo: agent_no,
  };
}

/** Maintenance and an outage of the device, and a message to the contact. */
async function addPast(rest: RestFixture, deviceNo: number, contactId: string) {
  const maintenance_id = await addMaintenance(rest, deviceNo);
  const outage_id = await addOutage(rest, deviceNo);
  return { maintenance_id, outage_id, delivery_id: await addDelivery(rest, contactId) };
}

async function addAgent(
  { db, clock }: Pick<RestFixture, 'db' | 'clock'>,
  account: { readonly accountNo: number; readonly locationNo: number },
): Promise<{ readonly agent_id: string; readonly agent_no: number }> {
  const agent_id = newId();
  const { agent_no } = await db.kysely
    .insertInto('agents')
    .values({
      agent_id,
      account_no: account.accountNo,
      location_no: account.locationNo,
      name: 'agent',
      token_hash: Buffer.from(newId(), 'hex'),
      token_expires_us: clock.nowUs(),
      state: 'Connected',
      version: '0.2.0',
      architecture: 'amd64',
      last_seen_us: clock.nowUs(),
    })
    .returning('agent_no')
    .executeTakeFirstOrThrow();
  return { agent_id, agent_no };
}

/** Gives the checks of a device a traceroute, as agents send them on request. */
async function addTraceroute({ db }: Pick<RestFixture, 'db'>, deviceNo: number): Promise<void> {
  const Hops = [{ TTL: 1, Address: '127.0.0.1', RTTMs: 0.05, Text: 'connected' }];
  const trace = JSON.stringify({ Traceroute: { Reached: true, Hops } });
  await sql`
    update check_rows r set extended = c.extended || ${trace}::jsonb from checks c
    where c.device_no = r.device_no and c.start_us = r.start_us and c.agent_no = r.agent_no
      and r.device_no = ${deviceNo}::int`.execute(db.kysely);
}

/** A message that a contact got, and returns the id. */
async function addDelivery(
  { db, clock }: Pick<RestFixture, 'db' | 'clock'>,
  contactId: string,
): Promise<string> {
  const notification_id = newId();
  const atUs = clock.nowUs();
  await sql`insert into notifications (notification_id, account_no, contact_no, order_key, kind, severity, data, at_us, created_us, state,
      attempts, due_us, first_attempt_us, ended_us, answer, tries)
    select ${notification_id}, account_no, contact_no, 'sample', 'device.down', 'critical', '{}', ${atUs}::bigint, ${atUs}::bigint, 'Delivered',
      1, ${atUs}::bigint, ${atUs}::bigint, ${atUs}::bigint, 'HTTP 204 No Content', jsonb_build_array(jsonb_build_object('AtUs', ${atUs}::bigint, 'Answer', 'HTTP 204 No Content'))
    from contacts where contact_id = ${contactId}`.execute(db.kysely);
  return notification_id;
}

/** Gives a device an outage of a minute, a day ago, and returns the id. */
async function addOutage(
  { db, clock }: Pick<RestFixture, 'db' | 'clock'>,
  deviceNo: number,
): Promise<string> {
  const startUs = clock.nowUs() - 86_400_000_000;
  const intervals = [
    { device_no: deviceNo, from_us: startUs, status: 'Down' as const },
    { device_no: deviceNo, from_us: startUs + 60_000_000, status: 'Up' as const },
  ];
  await db.kysely.insertInto('status_intervals').values(intervals).execute();
  return checkId({ deviceNo, startUs, agentNo: 0 });
}

/** Plans maintenance of a device for tomorrow, and returns the id. */
export async function addMaintenance(
  { db, clock }: Pick<RestFixture, 'db' | 'clock'>,
  deviceNo: number,
): Promise<string> {
  const from_us = clock.nowUs() + 86_400_000_000;
  const { maintenance_id } = await db.kysely
    .insertInto('maintenance_windows')
    .values({ device_no: deviceNo, from_us, to_us: from_us + 3_600_000_000, start_notified: false })
    .returning('maintenance_id')
    .executeTakeFirstOrThrow();
  return maintenance_id;
}

/** Opens an alert about a device that is Down, and returns its id. */
export async function addAlert(
  { db, clock }: Pick<RestFixture, 'db' | 'clock'>,
  about: {
    readonly accountNo: number;
    readonly locationNo: number;
    readonly deviceNo: number;
    readonly deviceId: string;
  },
): Promise<string> {
  const nowUs = clock.nowUs();
  const alert_id = newId();
  await db.kysely
    .insertInto('alerts')
    .values({
      alert_id,
      account_no: about.accountNo,
      kind: 'device.down',
      severity: 'critical',
      device_no: about.deviceNo,
      device_id: about.deviceId,
      location_no: about.locationNo,
      opened_us: nowUs,
      since_us: nowUs - 60_000_000,
      reason: 'master gw not verified: it is paused',
      state: JSON.stringify(newAlertState('active', nowUs)),
      opening: JSON.stringify({ CheckResult: 'connection refused' }),
    })
    .execute();
  return alert_id;
}

/** Writes good checks that started at these moments (microseconds since 1970). */
export async function addChecks(
  { db }: Pick<RestFixture, 'db'>,
  who: { readonly deviceNo: number; readonly agentNo: number; readonly locationNo: number },
  startsUs: readonly number[],
): Promise<void> {
  await db.kysely
    .insertInto('checks')
    .values(
      startsUs.map((start_us) => ({
        device_no: who.deviceNo,
        start_us,
        agent_no: who.agentNo,
        location_no: who.locationNo,
        end_us: start_us + 4_200,
        arrived_us: start_us + 10_000,
        revision: 1,
        attempt: 0,
        code: 1,
        perf: 0,
        block_ms: 1.5,
        dns_ms: 0,
        connect_ms: 1.1,
        ssl_ms: 0,
        ttfb_ms: 2.05,
        ttlb_ms: 1.05,
        data_size: 1000,
        check_result: 'connected',
        extended: JSON.stringify({ Address: '127.0.0.1', Sent: 4, Received: 3 }),
      })),
    )
    .execute();
}
