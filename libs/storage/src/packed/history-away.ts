import { Fault } from '@vantage/kernel';
import { stateOf } from '../pool/pg-error.ts';

/**
 * Packed days cannot be read at the moment: their worker of a Citus cluster does not answer. The same read may succeed
 * later.
 */
export class HistoryAway extends Fault {
  constructor(cause: unknown) {
    super('retry', 'history_away', 'the server that has these packed days does not answer', { cause });
  }
}

/** SQLSTATE of a connection that the coordinator lost or cannot open, a time limit, and the shutdown of a server. */
const awayStates = /^(08|57)/;

/** Runs a statement on packed days. Rejects with HistoryAway where their server does not answer. */
export async function askPacked<T>(statement: () => Promise<T>): Promise<T> {
  try {
    return await statement();
  } catch (error) {
    throw awayStates.test(stateOf(error)) ? new HistoryAway(error) : error;
  }
}
