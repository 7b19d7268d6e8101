import type { MessageInitShape } from '@bufbuild/protobuf';
import type { DatabaseHistorySchema } from '@vantage/proto';
import { isText } from '@vantage/storage';
import type { AcceptedBatch } from './batch-queue.ts';

/** The gateway's view of the database's history; see `Continuity`. */
export interface DatabaseHistory {
  position(): { readonly epochId: string; readonly mark: number };
  known(
    epochIds: readonly string[],
  ): Promise<readonly { readonly epochId: string; readonly mark: number; readonly isWhole: boolean }[]>;
  onDoubt(listener: () => void): void;
}

/** Without a history acks have no position. */
export const noHistory: DatabaseHistory = {
  position: () => ({ epochId: '', mark: 0 }),
  known: async () => [],
  onDoubt() {},
};

const maxEpochs = 8;
const maxIdLength = 64;

/** The database's history for one agent. */
export interface HistoryFeed {
  /** Stores a batch, and says where its commit stands. */
  accept(store: () => Promise<AcceptedBatch>): Promise<AcceptedBatch>;
  /** The known ones of the epochs whose acks this agent remembers; undefined: it remembers none. */
  message(): Promise<MessageInitShape<typeof DatabaseHistorySchema> | undefined>;
}

/** Creates the feed. `epochIds` are the epochs that the agent's Hello names. */
export function createHistoryFeed(history: DatabaseHistory, epochIds: readonly string[]): HistoryFeed {
  const ids = new Set(epochIds.filter((id) => isText(id, maxIdLength)).slice(-maxEpochs));
  return {
    async accept(store) {
      const before = history.position();
      const outcome = await store();
      const after = history.position();
      const { epochId } = before;
      if (epochId === '') return outcome;
      ids.add(epochId);
      for (const oldest of [...ids].slice(0, -maxEpochs)) ids.delete(oldest);
      // A batch that waited while an epoch began may have been stored before or after that.
      const isSure = epochId === after.epochId;
      return { ...outcome, epochId, mark: isSure ? BigInt(after.mark) : BigInt(Number.MAX_SAFE_INTEGER) };
    },
    async message() {
      if (ids.size === 0) return undefined;
      const known = await history.known([...ids]);
      return {
        epochs: known.map(({ epochId, mark, isWhole: whole }) => ({ epochId, mark: BigInt(mark), whole })),
      };
    },
  };
}
