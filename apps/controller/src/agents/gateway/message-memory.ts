import { messageBytes } from '@vantage/domain';
import { createFairSlots } from './fair-slots.ts';
import type { MessageRules } from './message-gate.ts';
import type { KeyOwner } from './store.ts';

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
