import type { Tables } from '@vantage/storage';
import type { Kysely } from 'kysely';

/** Reads the rows that a scene ends with. */
export function scenarioReads(kysely: Kysely<Tables>) {
  return {
    /** A device's events, oldest first. */
    async events(device: number | null) {
      const rows = await kysely
        .selectFrom('events')
        .select(['type', 'late', 'message', 'status', 'at_us', 'duration_s'])
        .where('device_no', device === null ? 'is' : '=', device)
        .orderBy('at_us')
        .orderBy('event_no')
        .execute();
      return rows;
    },

    async state(device: number) {
      return kysely
        .selectFrom('device_state')
        .select(['status', 'since_us', 'retrying', 'version', 'state'])
        .where('device_no', '=', device)
        .executeTakeFirst();
    },

    async runRequests(device: number) {
      return kysely
        .selectFrom('run_requests')
        .select(['run_request_id', 'kind', 'agent_no', 'attempt', 'state', 'not_before_us', 'deadline_us'])
        .where('device_no', '=', device)
        .orderBy('created_us')
        .orderBy('attempt', 'desc')
        .execute();
    },
  };
}
