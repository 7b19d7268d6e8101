import { Fault } from '@vantage/kernel';

/**
 * `retry`: the same transaction may succeed later. `no-partition`: it needs a partition first. `refused`: it will never
 * succeed.
 */
type DbFailure = 'retry' | 'no-partition' | 'refused';

/**
 * Classes and codes of SQLSTATE (PostgreSQL, appendix A) after which the same statement may succeed: connection (08),
 * not supported (0A: Citus rejects statements, never values, while a part of the history is distributed), login and
 * database (28, 3D: while the server is restored or its roles change), rollback by deadlock or serialization (40),
 * resources (53), shutdown and timeouts (57), system (58), lock timeout (55P03), transaction timeouts (25P), internal
 * errors (XX).
 */
const transientStates = /^(08|0A|28|3D|40|53|57|58|55P03|25P0[0-9]|XX)/;
/** Errors without a code, from node-postgres and Kysely: a connection ended or cannot be opened. */
const connectionTexts =
  /connection|timeout|terminated|destroyed|cannot use a pool|not queryable|client was closed|socket/i;
const maxCauses = 8;

/**
 * Classifies an error of a transaction. An error that comes from neither the database nor a connection is `refused`,
 * because the data caused it.
 */
export function dbFailure(error: unknown): DbFailure {
  if (error instanceof Fault) return error.action === 'drop' ? 'refused' : 'retry';
  if (isNoPartition(error)) return 'no-partition';
  return isTransientDbError(error) ? 'retry' : 'refused';
}

/** Whether the error, or one of its causes, means that the database is unreachable or overloaded at the moment. */
export function isTransientDbError(error: unknown): boolean {
  return errorsOf(error).some(
    (cause) =>
      isTransient(cause) || (cause instanceof AggregateError && cause.errors.some(isTransientDbError)),
  );
}

/** The error and its causes. */
function errorsOf(error: unknown): readonly Error[] {
  const errors: Error[] = [];
  for (let cause = error; cause instanceof Error && errors.length < maxCauses; cause = cause.cause)
    errors.push(cause);
  return errors;
}

/**
 * Whether the error, or one of its causes, says that the server is running but accepts no connection at the moment: it
 * has too many (53300), or is starting or recovering (57P03).
 */
export function isServerBusy(error: unknown): boolean {
  return errorsOf(error).some((cause) => ['53300', '57P03'].includes(codeOf(cause)));
}

/**
 * System codes of an unreachable server: it (or its socket) does not exist yet, or its machine, the network or the name
 * server does not answer.
 */
const unreachableCodes = new Set([
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
const unreachableTexts = /^(timeout expired|timeout exceeded when trying to connect|Connection terminated)/;

/**
 * Whether the error, or one of its causes, says that the server cannot be reached at the moment. A wrong name, password
 * or certificate is no such error.
 */
export function isServerUnreachable(error: unknown): boolean {
  return errorsOf(error).some(
    (cause) =>
      unreachableCodes.has(codeOf(cause)) ||
      unreachableTexts.test(cause.message) ||
      (cause instanceof AggregateError && cause.errors.some(isServerUnreachable)),
  );
}

/** System codes of a host that sends nothing, not even a refusal. */
const silentCodes = new Set(['ETIMEDOUT', 'EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH']);
const silentTexts = /^(timeout expired|Query read timeout)/;

/** Whether the error, or one of its causes, says that the server's host sent nothing. */
export function isServerSilent(error: unknown): boolean {
  return errorsOf(error).some(
    (cause) =>
      silentCodes.has(codeOf(cause)) ||
      silentTexts.test(cause.message) ||
      (cause instanceof AggregateError && cause.errors.length > 0 && cause.errors.every(isServerSilent)),
  );
}

/** The SQLSTATE of the error, or of the first of its causes that has one; empty: none has. */
export function stateOf(error: unknown): string {
  return errorsOf(error).map(codeOf).find(isSqlState) ?? '';
}

function isTransient(error: Error): boolean {
  const code = codeOf(error);
  if (isSqlState(code)) return transientStates.test(code);
  // A mistake in our own code, possibly with a code of Node (ERR_INVALID_ARG_TYPE).
  if (error instanceof TypeError || error instanceof RangeError) return false;
  return /^E[A-Z_]+$/.test(code) || connectionTexts.test(error.message);
}

function isNoPartition(error: unknown): boolean {
  return error instanceof Error && codeOf(error) === '23514' && error.message.startsWith('no partition');
}

/** An SQLSTATE has five characters, at least one of them a digit. A system error (`EPIPE`) has no digit. */
function isSqlState(code: string): boolean {
  return /^(?=.*\d)[0-9A-Z]{5}$/.test(code);
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}
