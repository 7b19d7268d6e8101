import { type Clock, clientNetwork, declareState } from '@vantage/kernel';
import { createUnsentBytes } from '../../server/unsent-bytes.ts';

/** Bytes of messages that the agents' port keeps for agents that do not read, over all streams. */
const unreadCapBytes = 32 * 1024 * 1024;
/** An agent that does not take one message (1 MB at most) within this time is cut, milliseconds. */
export const takeWithinMs = 60_000;

/** A stream whose messages are counted. */
export interface CountedStream {
  readonly address: string;
  /** Breaks the stream. */
  readonly cut: () => void;
}

/** Counts the messages that wait for agents to read them. */
interface UnreadMessages {
  /** The same bytes. A stream that keeps the port's memory from others, or is too slow, is cut. */
  count(stream: CountedStream, messages: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array>;
}

const tracked = declareState({
  name: 'agent_streams',
  entries: { each: 'agent' },
  entryBytes: 4_096,
  filledBy: 'agents that do not read',
  atBound: 'with 32 MiB of messages in all the greatest is cut',
});

/**
 * Creates the counter. A message is requested when the one before it was sent, so a stream buffers one at a time. The
 * sum over all streams is bounded: beyond `capBytes`, the streams of the address with the most bytes are cut.
 */
export function createUnreadMessages({
  clock,
  onCut,
  capBytes = unreadCapBytes,
}: {
  readonly clock: Clock;
  readonly onCut: (address: string) => void;
  readonly capBytes?: number;
}): UnreadMessages {
  interface Holder extends CountedStream {
    readonly network: string;
    unsentBytes: number;
  }
  const open = tracked(new Set<Holder>());
  const unsent = createUnsentBytes<Holder>({ capBytes, all: () => open });
  const leave = (holder: Holder) => {
    open.delete(holder);
    unsent.note(holder, 0);
  };
  const cut = (holder: Holder) => {
    leave(holder);
    onCut(holder.address);
    holder.cut();
  };
  return {
    async *count(stream, messages) {
      const holder: Holder = { ...stream, network: clientNetwork(stream.address), unsentBytes: 0 };
      open.add(holder);
      try {
        for await (const bytes of messages) {
          if (!open.has(holder)) return;
          for (const greatest of unsent.note(holder, bytes.length)) cut(greatest);
          const late = clock.timer(takeWithinMs, () => cut(holder));
          try {
            yield bytes;
          } finally {
            late[Symbol.dispose]();
          }
          if (open.has(holder)) unsent.note(holder, 0);
        }
      } finally {
        leave(holder);
      }
    },
  };
}
