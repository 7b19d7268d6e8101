import type { BackupAges } from './store.ts';

const daySeconds = 86_400;

/**
 * A sentence when the backups are too old; undefined: they are not. Pure.
 *
 * | backups | what counts |
 * |---|---|
 * | never one | nothing: the operator has another way, or none |
 * | some, none verified | the newest one |
 * | some verified | the newest verified one: a backup that nobody tried may be none |
 *
 * `maxDays` 0: nobody wants to know.
 */
export function oldBackup({ made, verified }: BackupAges, maxDays: number): string | undefined {
  const age = verified ?? made;
  if (age === null || maxDays === 0 || age <= maxDays * daySeconds) return undefined;
  const days = Math.floor(age / daySeconds);
  const which = verified === null ? 'the newest backup' : 'the newest backup that was verified';
  return `${which} is ${days} ${days === 1 ? 'day' : 'days'} old`;
}
