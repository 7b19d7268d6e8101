import { whyNoPing } from '@vantage/icmp';
import type { Clock } from '@vantage/kernel';
import type { Stores } from '../run/stores.ts';
import { type DisconnectReason, disconnectText } from '../stream/disconnect-reason.ts';
import type { LinkHandlers } from '../stream/link.ts';
import type { AgentStatus } from './status.ts';

/** The agent's status now. It tries its right to ping. */
export function statusOf(now: {
  readonly startedMs: number;
  readonly version: string;
  readonly link: LinkRecord;
  readonly stores: Pick<Stores, 'assignments' | 'identity' | 'outbox' | 'time'>;
}): AgentStatus {
  const { link, stores } = now;
  const isMeasured = link.up !== undefined || stores.identity.wallOffsetUs !== undefined;
  return {
    version: now.version,
    pid: process.pid,
    startedMs: now.startedMs,
    connection: link.up ?? null,
    lastDisconnect: link.lastDown ?? null,
    devices: stores.assignments.all.size,
    waitingRecords: stores.outbox.records,
    clockOffsetMs: isMeasured ? stores.time.offsetUs / 1000 : null,
    pingFault: whyNoPing() ?? null,
  };
}

/** The state of the stream so far. */
interface LinkRecord {
  /** The present connection; undefined: there is none. */
  readonly up: { readonly endpoint: string; readonly location: string; readonly sinceMs: number } | undefined;
  /** The latest end of a stream, or of a try at one; undefined: none yet. */
  readonly lastDown: { readonly endpoint: string; readonly text: string; readonly atMs: number } | undefined;
}

/**
 * Passes everything on to `handlers` and keeps what the host's owner wants to know of it. Times are of this host's
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
      onUp(welcome, endpoint) {
        up = { endpoint, location: welcome.locationName, sinceMs: nowMs() };
        handlers.onUp(welcome, endpoint);
      },
      onDown(disconnect: DisconnectReason, endpoint) {
        up = undefined;
        lastDown = { endpoint, text: disconnectText(disconnect), atMs: nowMs() };
        handlers.onDown(disconnect, endpoint);
      },
    },
  };
}
