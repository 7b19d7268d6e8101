import { readFileSync, readlinkSync } from 'node:fs';
import { Fault, isMissing, messageOf, readIfPresentSync } from '@vantage/kernel';
import pg from 'pg';
import { tooOld } from './baseline.ts';

/** The content of `postmaster.pid`. */
export interface Postmaster {
  readonly pid: number;
  readonly ready: boolean;
}

/**
 * Reads the lines of `postmaster.pid`: the first is the pid, the eighth the state. Undefined when the first line is no
 * pid.
 */
export function parsePostmasterPid(text: string): Postmaster | undefined {
  const lines = text.split('\n');
  const pid = Number(lines[0]);
  return Number.isInteger(pid) && pid > 1 ? { pid, ready: lines[7]?.trim() === 'ready' } : undefined;
}

/** The postmaster that the cluster's pid file names; it may be dead. Throws when the file exists and cannot be read. */
export function readPostmaster(cluster: string): Postmaster | undefined {
  const text = readIfPresentSync(`${cluster}/postmaster.pid`);
  return text === undefined ? undefined : parsePostmasterPid(text);
}

/** The state of a process. It is unknown when this process cannot check it (no file descriptors left, no rights). */
export type ProcessState = 'running' | 'dead' | 'unknown';

/**
 * Whether `pid` is a living process that was started with `mark` on its command line. A zombie is dead. Another program
 * may have the same pid by now (usual after a restart of a container), so a command line without `mark` is dead too.
 * Without /proc the pid decides alone.
 */
export function processState(pid: number, mark: string): ProcessState {
  if (process.platform !== 'linux') return signal(pid, 0) ? 'running' : 'dead';
  try {
    if (/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))) return 'dead';
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(mark) ? 'running' : 'dead';
  } catch (error) {
    return isGone(error) ? 'dead' : 'unknown';
  }
}

/**
 * Whether a postmaster of another starter runs on the cluster: the process of the pid file is alive and its working
 * folder is the cluster. Throws when the working folder cannot be read.
 */
export function isForeignPostmaster(pid: number, cluster: string): boolean {
  if (process.platform !== 'linux') return signal(pid, 0);
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === cluster;
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}

/** A process that ends while it is checked is ESRCH (proc(5)). */
function isGone(error: unknown): boolean {
  return isMissing(error) || (error instanceof Error && 'code' in error && error.code === 'ESRCH');
}

/** Sends a signal; false when there is no such process. */
export function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** The ordinary role of the controller and of the operator's commands. It owns the database and everything in it. */
export const ownerRole = 'vantage';
/** The role that initdb makes. Only `ensureOwner` uses it. */
export const superuserRole = 'vantage_superuser';

/** Connection URL of a role; `folder` holds the unix socket. */
export function urlOf(role: string, folder: string): string {
  return `postgresql://${role}@/postgres?host=${encodeURIComponent(folder)}`;
}

/** Creates the ordinary role that owns the database, unless it is there. */
export async function ensureOwner(folder: string): Promise<void> {
  try {
    await withClient(urlOf(superuserRole, folder), (client) => client.query(handOver));
  } catch (cause) {
    // Before version 0.2.0 the superuser had another name: "invalid_authorization_specification".
    if (cause instanceof pg.DatabaseError && cause.code === '28000') throw tooOld();
    const why = `the role of the embedded database cannot be set up: ${messageOf(cause)}`;
    throw new Fault('retry', 'database_role', why, { cause });
  }
}

/** One statement, so that it is one transaction. */
const handOver = `do $$ begin
  if to_regrole('${ownerRole}') is null then
    create role ${ownerRole} login;
    execute format('alter database %I owner to ${ownerRole}', current_database());
    alter schema public owner to ${ownerRole};
  end if;
end $$`;

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
