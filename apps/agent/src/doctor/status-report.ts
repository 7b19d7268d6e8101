import { z } from 'zod';

/** The status of the running agent. Times are milliseconds since 1970 by this host's clock. */
export const statusReportSchema = z.object({
  version: z.string(),
  pid: z.int(),
  startedMs: z.int(),
  connection: z.object({ endpoint: z.string(), location: z.string(), sinceMs: z.int() }).nullable(),
  lastDisconnect: z.object({ endpoint: z.string(), text: z.string(), atMs: z.int() }).nullable(),
  devices: z.int(),
  /** Results that the controller has not acknowledged. */
  waitingRecords: z.int(),
  /** Controller minus this host, milliseconds; null before the first measurement. */
  clockOffsetMs: z.number().nullable(),
  /** The reason why this agent may not ping; null: it may. */
  pingFault: z.string().nullable(),
});

/** The content of `vantage-agent status --json`. */
export type StatusReport = z.output<typeof statusReportSchema>;

/** The status for people, one fact per line. `nowMs`: by the same clock. */
export function statusText(status: StatusReport, nowMs: number): string {
  const { connection, lastDisconnect, clockOffsetMs } = status;
  const lines = [
    connection === null
      ? `Not connected${lastDisconnect === null ? ': the first attempt is still running' : `: ${lastDisconnect.text} (${lastDisconnect.endpoint}, ${spanText(nowMs - lastDisconnect.atMs)} ago)`}`
      : `Connected to ${connection.endpoint} for ${spanText(nowMs - connection.sinceMs)}`,
    ...(connection === null ? [] : [`Location ${connection.location}`]),
    `Version ${status.version}, process ${status.pid}, running for ${spanText(nowMs - status.startedMs)}`,
    `${status.devices} devices, ${status.waitingRecords} results wait for the controller`,
    ...(clockOffsetMs === null ? [] : [clockText(clockOffsetMs)]),
    ...(status.pingFault === null ? [] : [`PING checks do not work: ${status.pingFault}`]),
  ];
  return lines.join('\n');
}

/** `3 s`, `5 min`, `4 h`, `2 days`. */
function spanText(ms: number): string {
  const s = Math.max(0, Math.round(ms / 1000));
  if (s < 120) return `${s} s`;
  if (s < 7200) return `${Math.floor(s / 60)} min`;
  return s < 172_800 ? `${Math.floor(s / 3600)} h` : `${Math.floor(s / 86_400)} days`;
}

/** The difference between this host's clock and the controller's. */
export function clockText(offsetMs: number): string {
  const differenceMs = Math.abs(offsetMs);
  const shown = differenceMs < 1000 ? `${Math.round(differenceMs)} ms` : spanText(differenceMs);
  return `This host's clock is ${shown} ${offsetMs >= 0 ? 'behind' : 'ahead of'} the controller's`;
}
