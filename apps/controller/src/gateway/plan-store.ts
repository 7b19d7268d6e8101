import { type Kysely, sql } from 'kysely';
import type { Row, Tables } from '../db/index.ts';

/** What tells whether an assignment changed. */
export interface Version {
  readonly device_no: number;
  readonly revision: number;
  readonly turn: number;
  readonly turns: number;
  readonly runs_chain: boolean;
  readonly first_look: boolean;
  /** About how long it is on the wire. */
  readonly bytes: number;
}

/** A device as its agent holds it. */
export type HeldDevice = Version &
  Pick<
    Row<'devices'>,
    | 'device_id'
    | 'method'
    | 'sealed'
    | 'frequency_min'
    | 'timeout_s'
    | 'retries'
    | 'retry_delay_s'
    | 'changed_us'
  >;

const held = sql`from assignment_spans s join devices d on d.device_no = s.device_no where s.to_us is null`;
const version = sql`s.device_no, d.revision, s.turn, s.turns, s.runs_chain, s.first_look, length(d.sealed) as bytes`;

/** Versions of all that the agent should watch now. */
export async function loadVersions(db: Kysely<Tables>, agentNo: number): Promise<Version[]> {
  const { rows } = await sql<Version>`
    select ${version} ${held} and s.agent_no = ${agentNo} order by s.device_no`.execute(db);
  return rows;
}

/** These devices in full; those that the agent does not hold any more are missing. */
export async function loadHeld(
  db: Kysely<Tables>,
  agentNo: number,
  deviceNos: readonly number[],
): Promise<HeldDevice[]> {
  if (deviceNos.length === 0) return [];
  const { rows } = await sql<HeldDevice>`
    select ${version}, d.device_id, d.method, d.sealed, d.frequency_min, d.timeout_s, d.retries, d.retry_delay_s,
      d.changed_us
    ${held} and s.agent_no = ${agentNo} and s.device_no = any(${deviceNos}::int[]) order by s.device_no`.execute(
    db,
  );
  return rows;
}
