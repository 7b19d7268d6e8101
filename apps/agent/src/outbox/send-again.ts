import type { SegmentCounts } from './counts.ts';
import { type DatabaseHistory, isLost } from './database-history.ts';
import type { Kept } from './kept.ts';
import type { OutboxState } from './outbox-state.ts';
import { countsOf, type Segment, sendAgain } from './segment.ts';
import type { SegmentStore } from './segment-store.ts';

/**
 * Queues segments with records that the database lost once more, and reports what cannot be sent again as data
 * gaps.
 */
export async function sendLostAgain(
  { state, kept, counts, store }: SendAgainDeps,
  history: DatabaseHistory,
  lostEarlier: boolean,
): Promise<void> {
  const { segments } = state;
  const hasLost = ({ acks, wasAckedBefore }: Segment) =>
    (wasAckedBefore && lostEarlier) ||
    [...acks].some(([epochId, mark]) => isLost({ epochId, mark }, history));
  const live = [...segments.values()].filter(hasLost);
  const taken = kept.takeLost(hasLost);
  for (const segment of taken) segments.set(segment.no, segment);
  for (const segment of [...live, ...taken]) {
    sendAgain(segment);
    if (segment.file !== undefined) await counts.set(segment.no, countsOf(segment));
  }
  for (const loss of kept.takeLosses(history)) await store.report(loss);
}

interface SendAgainDeps {
  readonly state: OutboxState;
  readonly kept: Kept;
  readonly counts: SegmentCounts;
  readonly store: Pick<SegmentStore, 'report'>;
}
