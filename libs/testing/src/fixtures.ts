import { createHash, randomBytes } from 'node:crypto';
import { invitationMinutes, minuteUs } from '@vantage/domain';
import { newId } from '@vantage/kernel';
import type { NewRow, Tables } from '@vantage/storage';
import type { Kysely } from 'kysely';

/** The account and Location of an agent. */
export interface AgentLocation {
  readonly accountNo: number;
  readonly locationNo: number;
}

/** Rows that tests need before they can say what they are about; each returns the row's number. */
export interface Fixtures {
  account(): Promise<number>;
  location(accountNo: number, values?: Partial<NewRow<'locations'>>): Promise<number>;
  /** An agent that is invited; also returns the token with which it enrols. */
  agent(
    place: AgentLocation,
    values?: Partial<NewRow<'agents'>>,
  ): Promise<{ readonly agentNo: number; readonly token: string }>;
  /** A TCP device at these Locations; `sealed` must be given where somebody opens it. */
  device(
    accountNo: number,
    locationNos: readonly number[],
    values?: Partial<NewRow<'devices'>>,
  ): Promise<number>;
  /** An e-mail contact; `sealed` must be given where somebody opens it. */
  contact(accountNo: number, values?: Partial<NewRow<'contacts'>>): Promise<number>;
  /** The agent holds the device, alone, from a moment on. */
  hold(span: {
    readonly deviceNo: number;
    readonly agentNo: number;
    readonly locationNo: number;
    readonly fromUs: number;
    readonly toUs?: number;
  }): Promise<void>;
}

/** Creates the fixtures of one database. */
export function createFixtures(kysely: Kysely<Tables>): Fixtures {
  const fixtures: Fixtures = {
    async account() {
      const { account_no } = await kysely
        .insertInto('accounts')
        .values({ account_id: newId(), name: `account ${newId()}` })
        .returning('account_no')
        .executeTakeFirstOrThrow();
      return account_no;
    },
    async location(accountNo, values = {}) {
      const { location_no } = await kysely
        .insertInto('locations')
        .values({ location_id: newId(), account_no: accountNo, name: newId(), ...values })
        .returning('location_no')
        .executeTakeFirstOrThrow();
      return location_no;
    },
    async agent({ accountNo, locationNo }, values = {}) {
      const token = randomBytes(32).toString('base64url');
      const { agent_no } = await kysely
        .insertInto('agents')
        .values({
          agent_id: newId(),
          account_no: accountNo,
          location_no: locationNo,
          name: 'agent',
          token_hash: createHash('sha256').update(token).digest(),
          token_expires_us: Date.now() * 1000 + invitationMinutes * minuteUs,
          ...values,
        })
        .returning('agent_no')
        .executeTakeFirstOrThrow();
      return { agentNo: agent_no, token };
    },
    async device(accountNo, locationNos, values = {}) {
      const { device_no } = await kysely
        .insertInto('devices')
        .values({
          device_id: newId(),
          account_no: accountNo,
          method: 'TCP',
          url: '127.0.0.1:9',
          sealed: Buffer.alloc(1),
          short_name: 'device',
          frequency_min: 1,
          timeout_s: 10,
          retries: 1,
          retry_delay_s: 10,
          locations_given: true,
          changed_us: 1,
          created_us: 1,
          updated_us: 1,
          ...values,
        })
        .returning('device_no')
        .executeTakeFirstOrThrow();
      if (locationNos.length > 0)
        await kysely
          .insertInto('device_locations')
          .values(
            locationNos.map((location_no, rotation_index) => ({ device_no, location_no, rotation_index })),
          )
          .execute();
      return device_no;
    },
    async contact(accountNo, values = {}) {
      const { contact_no } = await kysely
        .insertInto('contacts')
        .values({
          contact_id: newId(),
          account_no: accountNo,
          name: 'contact',
          type: 'email',
          address: 'noc@example.org',
          sealed: Buffer.alloc(1),
          ...values,
        })
        .returning('contact_no')
        .executeTakeFirstOrThrow();
      return contact_no;
    },
    async hold({ deviceNo, agentNo, locationNo, fromUs, toUs }) {
      await kysely
        .insertInto('assignment_spans')
        .values({
          device_no: deviceNo,
          agent_no: agentNo,
          location_no: locationNo,
          from_us: fromUs,
          to_us: toUs ?? null,
          rotation_index: 0,
          rotation_size: 1,
          retries_locally: true,
          run_immediately: true,
        })
        .execute();
    },
  };
  return fixtures;
}
