import { Fault } from '@vantage/kernel';

/** What a failed transaction means: the same again later, or never. */
export type DbFailure = 'retry' | 'no-partition' | 'refused';

/** Connection lost, too many connections, server ending or starting, serialization, deadlock, lock and statement timeouts, disk full. */
const transient = /^(08|53|57|40|58|55P03|25P0[0-9]|XX)/;
/** What node-postgres and Kysely say when the connection is gone or none is to be had; they have no code for it. */
const connectionTexts = /connection|timeout|terminated|destroyed|cannot use a pool|not queryable|socket/i;

/** Reads anything thrown inside a transaction. What is neither the database's word nor a connection's end is the data's fault. */
export function dbFailure(error: unknown): DbFailure {
  if (error instanceof Fault) return error.action === 'drop' ? 'refused' : 'retry';
  const code = sqlState(error);
  if (code === undefined) return isConnectionEnd(error) ? 'retry' : 'refused';
  if (code === '23514' && error instanceof Error && error.message.startsWith('no partition'))
    return 'no-partition';
  return transient.test(code) ? 'retry' : 'refused';
}

/** The five characters of an SQLSTATE, or undefined. (A system's error, `EPIPE`, may have five characters too, but no digit.) */
export function sqlState(error: unknown): string | undefined {
  const code = codeOf(error);
  return code !== undefined && /^(?=.*\d)[0-9A-Z]{5}$/.test(code) ? code : undefined;
}

function isConnectionEnd(error: unknown): boolean {
  if (/^E[A-Z_]+$/.test(codeOf(error) ?? '')) return true;
  return error instanceof Error && connectionTexts.test(error.message);
}

function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
