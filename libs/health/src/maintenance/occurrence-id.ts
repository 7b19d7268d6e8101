import { createHash } from 'node:crypto';

/**
 * The public id of an occurrence of a maintenance schedule, in the form of all ids: the same for each of its devices.
 */
export function occurrenceId(mscheduleNo: number, occurrenceUs: number): string {
  return createHash('sha256').update(`mschedule ${mscheduleNo} ${occurrenceUs}`).digest('hex').slice(0, 48);
}
