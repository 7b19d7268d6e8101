import { readFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import type { Tables } from '@vantage/storage';
import type { Kysely } from 'kysely';
import { sql } from 'kysely';

/**
 * A real attacker has another machine, and so has other work of this machine. Where that is allowed, the system and the
 * bystander get a higher priority than the attacker and all other work; else all share the processors equally.
 */
const ahead = -10;
const behind = 5;

/** Raises the priority of a process and of those that it starts from now on. */
export function putAhead(pid: number): void {
  setNice(pid, ahead);
}

/** Lowers the priority of the attacker's own process. */
export function putBehind(): void {
  setNice(process.pid, behind);
}

/** Raises the priority of new connections of the database. Leaves a database on another machine alone. */
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
    // not allowed; the measurement runs with equal priorities
  }
}
