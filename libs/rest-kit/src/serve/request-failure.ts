import { type LogSummary, messageOf } from '@vantage/kernel';
import { isTransientDbError, ScopeNotReady } from '@vantage/storage';
import { HistoryAway } from '@vantage/storage/packed';
import { unavailable } from '../limits/storage-guard.ts';
import { internal, malformed, Problem } from './problem.ts';

/** The failed request, for the log. */
interface FailedRequest {
  readonly request_id: string;
  readonly method: string;
  readonly path: string;
}

/** The Problem that a caller reads of what was thrown. */
export type ReadFailure = (error: unknown, where: FailedRequest) => Problem;

/** Logs every error that is no Problem; the caller gets a general Problem instead. */
export function createFailureReader(summary: LogSummary): ReadFailure {
  return (error, where) => {
    if (error instanceof Problem) return error;
    if (error instanceof URIError) return malformed('The address is not percent-encoded correctly.');
    if (error instanceof HistoryAway) {
      summary.count('a server with packed days did not answer', { ...where, error: messageWithCause(error) });
      return unavailable('The database server that has these old checks does not answer at the moment.');
    }
    if (isTransientDbError(error) || error instanceof ScopeNotReady) {
      summary.count('the database did not answer', { ...where, error: messageWithCause(error) });
      return unavailable();
    }
    const data = { ...where, error: messageWithCause(error), stack: stackOf(error) };
    summary.count('a request failed', data, 'error');
    return internal();
  };
}

function messageWithCause(error: unknown): string {
  if (!(error instanceof Error)) return messageOf(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}

function stackOf(error: unknown): string | undefined {
  return error instanceof Error ? error.stack : undefined;
}
