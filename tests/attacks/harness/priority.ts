import { readFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import type { Tables } from '../../../apps/controller/src/db/index.ts';

/**
 * In truth an attacker works on a machine of its own, and so does whatever else this machine does now. Where that is allowed, the system
 * and the bystander go before the attacker, and before all other work; else they take turns.
 */
const ahead = -10;
const behind = 5;

/** Lets a process and those that it starts from now on go before others. */
export function putAhead(pid: number): void {
  setNice(pid, ahead);
}

/** Lets the attacker's own process go after others. */
export function putBehind(): void {
  setNice(process.pid, behind);
}

/** Lets the connections that the database takes from now on go before others; one elsewhere is left alone. */
export async function putDatabaseAhead(kysely: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(kysely);
  try {
    const status = readFileSync(`/proc/${rows[0]?.pid}/status`, 'utf8');
    const parent = Number(/^PPid:\s+(\d+)$/m.exec(status)?.[1]);
    if (readFileSync(`/proc/${parent}/comm`, 'utf8').startsWith('postgres')) putAhead(parent);
  } catch {
    // not a process of this machine
  }
}

function setNice(pid: number, nice: number): void {
  try {
    setPriority(pid, nice);
  } catch {
    // not allowed: measured with what there is
  }
}
