import type { DeviceStatus } from '@vantage/domain';

export type Status = DeviceStatus;

/** A time in one status, milliseconds since 1970. Paused time and time before the device existed are in no interval. */
export interface StatusInterval {
  readonly start: number;
  readonly end: number;
  readonly status: Status;
}

const worstFirst: readonly Status[] = ['Down', 'Unknown', 'Maint', 'Up'];
const rank = (status: Status) => worstFirst.indexOf(status);

/** A run of pixels in one status. */
export interface PixelRun {
  readonly x: number;
  readonly width: number;
  readonly status: Status;
}

/**
 * The intervals on `width` pixels: each pixel has the worst status. Down has at least two pixels, and the interval that
 * is still open at least three, up to the right edge.
 */
export function runsOf(
  intervals: readonly StatusInterval[],
  span: { from: number; to: number },
  width: number,
): readonly PixelRun[] {
  const pixels = Array.from({ length: width }, (): Status | undefined => undefined);
  const scale = width / (span.to - span.from);
  const paint = (first: number, last: number, status: Status) => {
    for (let x = Math.max(0, first); x <= Math.min(width - 1, last); x += 1) {
      const painted = pixels[x];
      if (painted === undefined || rank(status) < rank(painted)) pixels[x] = status;
    }
  };
  for (const { start, end, status } of intervals) {
    const first = Math.floor((start - span.from) * scale);
    const last = Math.max(first, Math.ceil((end - span.from) * scale) - 1);
    const isOpen = end >= span.to;
    const minWidth = isOpen ? 3 : status === 'Down' ? 2 : 1;
    const missing = Math.max(0, minWidth - (last - first + 1));
    paint(isOpen ? first - missing : first, isOpen ? last : last + missing, status);
  }
  const runs: PixelRun[] = [];
  for (const [x, status] of pixels.entries()) {
    if (status === undefined) continue;
    const last = runs.at(-1);
    if (last?.status === status && last.x + last.width === x)
      runs[runs.length - 1] = { ...last, width: last.width + 1 };
    else runs.push({ x, width: 1, status });
  }
  return runs;
}

/** Seconds of a span in each status, as the API counts them. */
export interface UptimeSeconds {
  readonly UpSeconds: number;
  readonly DownSeconds: number;
  readonly MaintenanceSeconds: number;
  readonly UnknownSeconds: number;
  readonly ExcludedSeconds: number;
}

/** The seconds of each status. The open status has continued for `sinceS` seconds since they were read. Pure. */
export function secondsOf(
  uptime: UptimeSeconds,
  open: Status | undefined,
  sinceS: number,
): Readonly<Record<Status | 'Excluded', number>> {
  const seconds = {
    Up: uptime.UpSeconds,
    Down: uptime.DownSeconds,
    Maint: uptime.MaintenanceSeconds,
    Unknown: uptime.UnknownSeconds,
    Excluded: uptime.ExcludedSeconds,
  };
  return open === undefined ? seconds : { ...seconds, [open]: seconds[open] + Math.max(0, sinceS) };
}
