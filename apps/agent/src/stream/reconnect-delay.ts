import { backoffMs } from '@vantage/kernel';
import { Goodbye_Reason } from '@vantage/proto';
import type { DisconnectReason } from './disconnect-reason.ts';

const backoff = { baseMs: 500, capMs: 30_000 };

/** A session of this length counts as a success. */
const workedMs = 5_000;

const refusedBackoff = { baseMs: 2000, capMs: 60_000 };

/** Delay before a revoked agent tries again. */
const revokedMs = 300_000;

/** Delay before an agent that was replaced by another session, or fenced, tries again. */
const replacedMs = 60_000;

/** The number of failed attempts in a row; `failures` is the number before this one. */
export function failuresAfter(disconnect: DisconnectReason, failures: number): number {
  if (disconnect.kind === 'goodbye') return 0;
  return disconnect.kind === 'lost' && disconnect.lastedMs >= workedMs ? 0 : failures + 1;
}

/**
 * Milliseconds until the next attempt. Another controller is tried soon, however often this one failed. `failures`:
 * failed attempts in a row; `others`: endpoints that were not tried yet.
 */
export function waitAfter(
  disconnect: DisconnectReason,
  around: { readonly failures: number; readonly others: number; readonly random: () => number },
): number {
  const { failures, others, random } = around;
  const spread = (ms: number) => Math.round(ms * (0.75 + random() / 2));
  switch (disconnect.kind) {
    case 'lost':
      return backoffMs(others > 0 ? 0 : Math.max(0, failures - 1), backoff, random);
    case 'refused':
      return 500 + backoffMs(failures, refusedBackoff, random);
    case 'goodbye':
      switch (disconnect.reason) {
        case Goodbye_Reason.REVOKED:
          return spread(revokedMs);
        case Goodbye_Reason.REPLACED:
        case Goodbye_Reason.FENCED:
          return spread(replacedMs);
        case Goodbye_Reason.SHUTDOWN:
          return others > 0 ? 0 : backoffMs(0, backoff, random);
        case Goodbye_Reason.UNSPECIFIED:
          return backoffMs(0, backoff, random);
      }
  }
}
