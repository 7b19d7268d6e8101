import { type FailedAnchor, storedAnchorReports, storedAnchors, storedFailedAnchors } from '@vantage/domain';
import { decideAnchors, type EventCause } from '@vantage/health';
import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import type { EventDeps } from './event-causes.ts';
import { inTransaction } from './in-transaction.ts';

/** Stores which anchors of Locations fail, in the transaction that records the event. */
export interface AnchorAlerts {
  /** Returns the Locations whose list was still `before`. */
  setFailedAnchors(
    trx: Kysely<Tables>,
    changes: readonly {
      readonly locationNo: number;
      readonly before: readonly FailedAnchor[];
      readonly after: readonly FailedAnchor[];
    }[],
  ): Promise<readonly number[]>;
}

/** An anchor that begins or ends to fail. */
export interface AnchorNotice {
  readonly locationName: string;
  readonly anchorName: string;
  readonly isDown: boolean;
}

interface AnchoredLocation {
  readonly locationNo: number;
  readonly accountNo: number;
  readonly locationName: string;
  readonly anchors: unknown;
  readonly failed: unknown;
  /** The reports of each connected agent. */
  readonly agents: unknown;
}

const reportsOfAgents = z.array(storedAnchorReports.catch([]));

/** Records the anchors that begin and end to fail. `locationNo` undefined: of all Locations. */
export function reviewAnchors(
  { kysely, recordEvents, locations }: EventDeps & { readonly locations: AnchorAlerts },
  nowUs: number,
  locationNo?: number,
): Promise<readonly AnchorNotice[]> {
  return inTransaction(kysely, async (trx) => {
    const decided = (await locationsWithAnchors(trx, locationNo)).flatMap((row) => {
      const before = storedFailedAnchors.parse(row.failed);
      // A controller of an earlier version may have created the Location with a text instead of the empty list.
      const anchors = row.anchors === '[]' ? [] : storedAnchors.parse(row.anchors);
      const { failed: after, changes } = decideAnchors(anchors, reportsOfAgents.parse(row.agents), before);
      return changes.length === 0 ? [] : [{ ...row, before, after, changes }];
    });
    if (decided.length === 0) return [];
    // Another controller may have decided the same a moment ago.
    const written = new Set(await locations.setFailedAnchors(trx, decided));
    const causes = decided
      .filter((one) => written.has(one.locationNo))
      .flatMap(({ accountNo, locationNo: no, locationName, changes }) =>
        changes.map((change) => causeOf(change, { accountNo, locationNo: no, locationName })),
      );
    await recordEvents(trx, causes, nowUs);
    return causes.map(({ locationName, anchorName, kind }) => ({
      locationName,
      anchorName,
      isDown: kind === 'anchor-down',
    }));
  });
}

type AnchorCause = Extract<EventCause, { readonly kind: 'anchor-down' | 'anchor-up' }>;

function causeOf(
  change: ReturnType<typeof decideAnchors>['changes'][number],
  location: Pick<AnchorCause, 'accountNo' | 'locationNo' | 'locationName'>,
): AnchorCause {
  const { name: anchorName, target, sinceUs } = change.anchor;
  const about = { ...location, anchorName, target, sinceUs };
  return change.kind === 'down'
    ? { kind: 'anchor-down', ...about, reason: change.reason }
    : { kind: 'anchor-up', ...about, because: change.because };
}

/** Locations that have anchors, or alerts of anchors that were removed. */
async function locationsWithAnchors(
  trx: Kysely<Tables>,
  locationNo: number | undefined,
): Promise<readonly AnchoredLocation[]> {
  const which = locationNo === undefined ? sql`true` : sql`l.location_no = ${locationNo}`;
  const { rows } = await sql<AnchoredLocation>`
    select l.location_no as "locationNo", l.account_no as "accountNo", l.name as "locationName", l.anchors,
      l.failed_anchors as failed,
      (select coalesce(jsonb_agg(a.anchor_states), '[]') from agents a
        where a.location_no = l.location_no and a.state = 'Connected') as agents
    from locations l
    where l.deleted_at is null and (l.anchors @> '[{}]' or l.failed_anchors <> '[]') and ${which}
    order by l.location_no`.execute(trx);
  return rows;
}
