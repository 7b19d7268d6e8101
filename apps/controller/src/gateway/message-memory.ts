import { createFairSlots } from './fair-slots.ts';
import type { MessageRules } from './message-gate.ts';
import { messageBytes, messageBytesOf } from './message-size.ts';
import type { TokenOwner } from './store.ts';

/** Bytes of long messages that are held at one time, from before they are read until their commit. */
const memoryLimits = { inAll: 48 * 1024 * 1024, perAccount: 24 * 1024 * 1024, perAgent: 6 * 1024 * 1024 };
/** The same for the longer messages of the first agents: one in all. */
const earlyMemoryLimits = { inAll: 1, perAccount: 1, perAgent: 1 };

/** The rules for the messages of one stream; `version` is its agent's. Waiting for memory ends with the signal. */
export type MessageMemory = (owner: TokenOwner, version: string, signal: AbortSignal) => MessageRules;

/** Creates the memory that the messages of all streams share. */
export function createMessageMemory(): MessageMemory {
  const memory = createFairSlots(memoryLimits);
  const earlyMemory = createFairSlots(earlyMemoryLimits);
  return ({ agentNo, accountNo }, version, signal) => ({
    maxBytes: messageBytesOf(version),
    claim: (bytes) =>
      bytes > messageBytes
        ? earlyMemory.acquire({ accountNo, agentNo, weight: 1 }, signal)
        : memory.acquire({ accountNo, agentNo, weight: bytes }, signal),
  });
}
