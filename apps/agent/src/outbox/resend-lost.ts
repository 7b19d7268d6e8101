import { type EpochHistory, isLost } from './ack-position.ts';
import type { Loss } from './data-gaps.ts';
import type { RetainedRecords } from './retained-records.ts';
import { countsOf, type OutboxSegment, sendAgain } from './segment.ts';
import type { SegmentCountsFile } from './segment-counts.ts';

/** Queues the records that the database lost again. Reports what can no longer be sent as data gaps. */
export async function sendLostAgain(
  { segments, retained, counts, report }: ResendDeps,
  history: EpochHistory,
  lostEarlier: boolean,
): Promise<void> {
  const hasLost = ({ acks, wasAckedBefore }: OutboxSegment) =>
    (wasAckedBefore && lostEarlier) ||
    [...acks].some(([epochId, sequence]) => isLost({ epochId, sequence }, history));
  const live = [...segments.values()].filter(hasLost);
  const taken = retained.takeLost(hasLost);
  for (const segment of taken) segments.set(segment.no, segment);
  for (const segment of [...live, ...taken]) {
    sendAgain(segment);
    if (segment.file !== undefined) await counts.set(segment.no, countsOf(segment));
  }
  for (const loss of retained.takeLosses(history)) await report(loss);
}

interface ResendDeps {
  readonly segments: Map<number, OutboxSegment>;
  readonly retained: RetainedRecords;
  readonly counts: Pick<SegmentCountsFile, 'set'>;
  /** Records a loss as a data gap. */
  readonly report: (loss: Loss) => Promise<void>;
}
