import type { FailedAnchor } from '@vantage/domain';
import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';

/** A Location that became online or offline. */
interface ChangedLocation {
  readonly locationNo: number;
  readonly accountNo: number;
  readonly locationName: string;
}

/**
 * Stores whether Locations are online, and which of their anchors fail; times are microseconds since 1970. The health
 * step decides, so no actor changes anything here.
 */
export const locationVisibility = {
  /** Marks these Locations as online. Returns those that were offline, and since when (null: since they exist). */
  async setOnline(
    trx: Kysely<Tables>,
    locationNos: readonly number[],
    nowUs: number,
  ): Promise<readonly (ChangedLocation & { readonly offlineSinceUs: number | null })[]> {
    const { rows } = await sql<ChangedLocation & { readonly offlineSinceUs: number | null }>`
      update locations l
      set online = true, online_since_us = ${nowUs}::bigint, offline_reason = null, offline_since_us = null
      from locations was
      where was.location_no = l.location_no and not l.online and l.location_no = any(${locationNos}::int[])
      returning l.location_no as "locationNo", l.account_no as "accountNo", l.name as "locationName",
        was.offline_since_us as "offlineSinceUs"`.execute(trx);
    return rows;
  },

  /** Marks these Locations as offline, each since a time and for a reason. Returns those that were online. */
  async setOffline(
    trx: Kysely<Tables>,
    locations: readonly {
      readonly locationNo: number;
      readonly sinceUs: number;
      readonly reason: string | null;
    }[],
  ): Promise<readonly ChangedLocation[]> {
    const { rows } = await sql<ChangedLocation>`
      update locations l
      set online = false, online_since_us = null, offline_since_us = c.since_us, offline_reason = c.reason
      from unnest(
        ${locations.map(({ locationNo }) => locationNo)}::int[], ${locations.map(({ sinceUs }) => sinceUs)}::bigint[],
        ${locations.map(({ reason }) => reason)}::text[]) as c (location_no, since_us, reason)
      where c.location_no = l.location_no and l.online
      returning l.location_no as "locationNo", l.account_no as "accountNo", l.name as "locationName"`.execute(
      trx,
    );
    return rows;
  },

  /**
   * Stores which anchors have an alert. Returns the Locations whose list was still the one that the decision was made
   * by.
   */
  async setFailedAnchors(
    trx: Kysely<Tables>,
    changes: readonly {
      readonly locationNo: number;
      readonly before: readonly FailedAnchor[];
      readonly after: readonly FailedAnchor[];
    }[],
  ): Promise<readonly number[]> {
    const { rows } = await sql<{ locationNo: number }>`
      update locations l set failed_anchors = c.after
      from jsonb_to_recordset(${JSON.stringify(changes)}::jsonb) as c ("locationNo" int, before jsonb, after jsonb)
      where l.location_no = c."locationNo" and l.failed_anchors = c.before
      returning l.location_no as "locationNo"`.execute(trx);
    return rows.map(({ locationNo }) => locationNo);
  },
} as const;
