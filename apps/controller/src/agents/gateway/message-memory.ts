import { kibibyte, messageBytes } from '@vantage/domain';
import { declareShare } from '@vantage/kernel';
import { createFairSlots } from './fair-slots.ts';
import type { KeyOwner } from './gateway-store.ts';

declareShare({
  name: 'memory_of_batches',
  limit: '48 MiB',
  filledBy: 'agents',
  share: '24 MiB an account, 6 MiB an agent; accounts take turns',
});

/** Bytes of long messages that are held at one time, from before they are read until their commit. */
const memoryLimits = { inAll: 48 * 1024 * 1024, perAccount: 24 * 1024 * 1024, perAgent: 6 * 1024 * 1024 };

/** The rules for the messages of one stream. Waiting for memory ends with the signal. */
export type MessageMemory = (owner: KeyOwner, signal: AbortSignal) => MessageRules;

/** Creates the memory that the messages of all streams share. */
export function createMessageMemory(): MessageMemory {
  const memory = createFairSlots(memoryLimits);
  return ({ agentNo, accountNo }, signal) => ({
    maxBytes: messageBytes,
    claim: (bytes) => memory.acquire({ accountNo, agentNo, weight: bytes }, signal),
  });
}

/** The most bytes of a stream's first message, its Hello. */
export const firstMessageBytes = 64 * kibibyte;

/** Messages up to this size are read without waiting for a share of the memory, bytes. */
export const freeBytes = 64 * kibibyte;

/** The limits of a stream's messages from now on. */
export interface MessageRules {
  readonly maxBytes: number;
  /** Waits for a share of the memory before a long message is read; `bytes` is its length. */
  readonly claim: (bytes: number) => Promise<Disposable>;
}
