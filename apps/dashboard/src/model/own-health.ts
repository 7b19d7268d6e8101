import { dayMs, hourMs } from '@vantage/domain/units';
// The health of Vantage itself: what needs attention, and what to do about it.

/** The installation as the API shows it. Times are timestamps. */
export interface Installation {
  readonly Warnings: readonly string[];
  readonly Backup: {
    readonly Made: string | null;
    readonly Verified: string | null;
    readonly MaxDays: number | null;
  };
  readonly Queues: {
    readonly OldestNotification: string | null;
    readonly RolledUpTo: string | null;
    readonly OverdueRunRequests: number;
    readonly RefusedItems: number;
  };
}

/** A finding, by which its words are found. */
export type Finding =
  | { readonly kind: 'warning'; readonly words: string }
  | { readonly kind: 'noBackup' }
  | { readonly kind: 'oldBackup'; readonly days: number; readonly isVerified: boolean }
  | { readonly kind: 'lateMessages'; readonly minutes: number }
  | { readonly kind: 'lateRollUp'; readonly hours: number }
  | { readonly kind: 'overdueRequests'; readonly count: number }
  | { readonly kind: 'refusedItems'; readonly count: number };

/** A message is tried again for a while when its receiver fails; later it is worth a look. */
const lateMessageMs = 15 * 60_000;
/** An hour is rolled up when it and its late results are over. */
const lateRollUpMs = 3 * hourMs;

/** All that needs attention, the most urgent first; [] says that Vantage is well. */
export function findingsOf({ Warnings, Backup, Queues }: Installation, nowMs: number): readonly Finding[] {
  const findings: Finding[] = Warnings.map((words) => ({ kind: 'warning', words }));
  const age = (at: string | null) => (at === null ? undefined : nowMs - Date.parse(at));
  const [waits, rolled] = [age(Queues.OldestNotification), age(Queues.RolledUpTo)];
  if (waits !== undefined && waits > lateMessageMs)
    findings.push({ kind: 'lateMessages', minutes: Math.floor(waits / 60_000) });
  // A backup that nobody tried may be none: where some were verified, the newest of them counts.
  const backup = age(Backup.Verified ?? Backup.Made);
  const days = backup === undefined ? 0 : Math.floor(backup / dayMs);
  if (backup === undefined) findings.push({ kind: 'noBackup' });
  else if (Backup.MaxDays !== null && Backup.MaxDays > 0 && backup > Backup.MaxDays * dayMs)
    findings.push({ kind: 'oldBackup', days, isVerified: Backup.Verified !== null });
  if (rolled !== undefined && rolled > lateRollUpMs)
    findings.push({ kind: 'lateRollUp', hours: Math.floor(rolled / hourMs) });
  if (Queues.OverdueRunRequests > 0)
    findings.push({ kind: 'overdueRequests', count: Queues.OverdueRunRequests });
  if (Queues.RefusedItems > 0) findings.push({ kind: 'refusedItems', count: Queues.RefusedItems });
  return findings;
}

/** Bytes in the unit that people read: `1.5 GiB`. */
export function sizeOf(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;
  const at = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, bytes)) / 10)));
  const value = bytes / 1024 ** at;
  return `${at === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)}\u00a0${units[at]}`;
}
