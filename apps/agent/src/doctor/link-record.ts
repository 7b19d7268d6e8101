import type { Clock } from '@vantage/kernel';
import type { LinkHandlers } from '../stream/controller-link.ts';
import { type DisconnectReason, disconnectText } from '../stream/disconnect-reason.ts';

/** The state of the stream so far. */
export interface LinkRecord {
  /** The present connection; undefined: there is none. */
  readonly up: { readonly endpoint: string; readonly location: string; readonly sinceMs: number } | undefined;
  /** The latest end of a stream, or of an attempt to open one; undefined: none yet. */
  readonly lastDown: { readonly endpoint: string; readonly text: string; readonly atMs: number } | undefined;
}

/**
 * Passes everything on to `handlers` and records what the status reports about the stream. Times are by this host's
 * clock.
 */
export function recordLink(
  handlers: LinkHandlers,
  clock: Pick<Clock, 'nowUs'>,
): { readonly handlers: LinkHandlers; readonly record: () => LinkRecord } {
  let up: LinkRecord['up'];
  let lastDown: LinkRecord['lastDown'];
  const nowMs = () => Math.round(clock.nowUs() / 1000);
  return {
    record: () => ({ up, lastDown }),
    handlers: {
      ...handlers,
      onUp(session, endpoint) {
        up = { endpoint, location: session.locationName, sinceMs: nowMs() };
        handlers.onUp(session, endpoint);
      },
      onDown(disconnect: DisconnectReason, endpoint) {
        up = undefined;
        lastDown = { endpoint, text: disconnectText(disconnect), atMs: nowMs() };
        handlers.onDown(disconnect, endpoint);
      },
    },
  };
}
