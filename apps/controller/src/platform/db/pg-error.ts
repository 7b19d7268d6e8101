import { Fault } from '@vantage/kernel';

/**
 * After `retry` the same transaction may succeed later, after `no-partition` it needs a partition first, after
 * `refused` it never succeeds.
 */
type DbFailure = 'retry' | 'no-partition' | 'refused';

/**
 * Classes and codes of SQLSTATE (PostgreSQL, appendix A) after which the same statement may succeed: connection (08),
 * not supported (0A: Citus refuses statements, never values, while a part of the history is distributed), login and
 * database (28, 3D: while the server is restored or its roles change), rollback by deadlock or serialization (40),
 * resources (53), shutdown and timeouts (57), system (58), lock timeout (55P03), transaction timeouts (25P), internal
 * errors (XX).
 */
const transientStates = /^(08|0A|28|3D|40|53|57|58|55P03|25P0[0-9]|XX)/;
/** Errors of node-postgres and Kysely about a connection that ended or cannot be opened. They have no code. */
const connectionTexts =
  /connection|timeout|terminated|destroyed|cannot use a pool|not queryable|client was closed|socket/i;
const deepestCause = 8;

/**
 * Classifies an error of a transaction. An error from neither the database nor a connection is `refused`: the data
 * cause it.
 */
export function dbFailure(error: unknown): DbFailure {
  if (error instanceof Fault) return error.action === 'drop' ? 'refused' : 'retry';
  if (isNoPartition(error)) return 'no-partition';
  return isTransientDbError(error) ? 'retry' : 'refused';
}

/** Whether the error, or one of its causes, means that the database is unreachable or too busy at the moment. */
export function isTransientDbError(error: unknown): boolean {
  for (let depth = 0, each = error; each instanceof Error && depth < deepestCause; depth += 1) {
    if (isTransient(each)) return true;
    if (each instanceof AggregateError && each.errors.some(isTransientDbError)) return true;
    each = each.cause;
  }
  return false;
}

/**
 * Whether the error, or one of its causes, says that the server is there and accepts no connection at the moment: too
 * many of them (53300), or it starts or recovers (57P03).
 */
export function isServerBusy(error: unknown): boolean {
  for (let depth = 0, each = error; each instanceof Error && depth < deepestCause; depth += 1) {
    if (['53300', '57P03'].includes(codeOf(each))) return true;
    each = each.cause;
  }
  return false;
}

/**
 * System codes of a server that is unreachable: it has not started (also its socket), or its machine, the network or
 * the name server does not answer.
 */
const awayCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'EPIPE',
  'EAI_AGAIN',
  'ENOENT',
]);
/** node-postgres has no code for these. */
const awayTexts = /^(timeout expired|timeout exceeded when trying to connect|Connection terminated)/;

/**
 * Whether the error, or one of its causes, says that no server is reached at the moment. A wrong name, password or
 * certificate is no such error.
 */
export function isServerAway(error: unknown): boolean {
  for (let depth = 0, each = error; each instanceof Error && depth < deepestCause; depth += 1) {
    if (awayCodes.has(codeOf(each)) || awayTexts.test(each.message)) return true;
    if (each instanceof AggregateError && each.errors.some(isServerAway)) return true;
    each = each.cause;
  }
  return false;
}

/** The SQLSTATE of the error, or of the first of its causes that has one; empty: none has. */
export function stateOf(error: unknown): string {
  for (let depth = 0, each = error; each instanceof Error && depth < deepestCause; depth += 1) {
    const code = codeOf(each);
    if (isSqlState(code)) return code;
    each = each.cause;
  }
  return '';
}

function isTransient(error: Error): boolean {
  const code = codeOf(error);
  if (isSqlState(code)) return transientStates.test(code);
  // A mistake in our own code; its code may be one of Node's (ERR_INVALID_ARG_TYPE).
  if (error instanceof TypeError || error instanceof RangeError) return false;
  return /^E[A-Z_]+$/.test(code) || connectionTexts.test(error.message);
}

function isNoPartition(error: unknown): boolean {
  return error instanceof Error && codeOf(error) === '23514' && error.message.startsWith('no partition');
}

/** An SQLSTATE has five characters, one of them a digit; a system error (`EPIPE`) has no digit. */
function isSqlState(code: string): boolean {
  return /^(?=.*\d)[0-9A-Z]{5}$/.test(code);
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}
