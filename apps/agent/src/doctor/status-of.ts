import { openIcmp } from '@vantage/icmp';
import type { Stores } from '../run/stores.ts';
import type { LinkRecord } from './link-record.ts';
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
    pingFault: pingFault(),
  };
}

function pingFault(): string | null {
  const socket = openIcmp({ family: 4 });
  if ('error' in socket) return socket.error;
  socket.close();
  return null;
}
