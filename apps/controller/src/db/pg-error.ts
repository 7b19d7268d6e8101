import { actionOf } from '@vantage/kernel';

/** What a failed transaction means: the same again later, or never. */
export type DbFailure = 'retry' | 'no-partition' | 'refused';

/** Connection lost, too many connections, server ending or starting, serialization, deadlock, lock and statement timeouts, disk full. */
const transient = /^(08|53|57|40|58|55P03|25P0[0-9]|XX)/;

/** Reads the SQLSTATE of anything thrown by a query; what has none never reached the database, or is a connection's end. */
export function dbFailure(error: unknown): DbFailure {
  const code = sqlState(error);
  if (code === undefined) return isConnectionEnd(error) ? 'retry' : actionOf(error) === 'drop' ? 'refused' : 'retry';
  if (code === '23514' && error instanceof Error && error.message.startsWith('no partition')) return 'no-partition';
  return transient.test(code) ? 'retry' : 'refused';
}

/** The five characters of an SQLSTATE, or undefined. */
export function sqlState(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' && /^[0-9A-Z]{5}$/.test(error.code) ? error.code : undefined;
}

function isConnectionEnd(error: unknown): boolean {
  return error instanceof Error && /connection|timeout|ECONN|EPIPE|socket/i.test(error.message);
}
