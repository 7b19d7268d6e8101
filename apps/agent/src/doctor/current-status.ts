import { whyNoPing } from '@vantage/icmp';
import type { Stores } from '../run/stores.ts';
import type { LinkRecord } from './link-record.ts';
import type { StatusReport } from './status-report.ts';

/** The agent's present status. It tests the right to ping. */
export function statusOf(now: {
  readonly startedMs: number;
  readonly version: string;
  readonly link: LinkRecord;
  readonly stores: Pick<Stores, 'assignments' | 'identity' | 'outbox' | 'time'>;
}): StatusReport {
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
