import { causesOf } from './causes.ts';
import type { DeviceState } from './state.ts';

interface WallRow {
  readonly id: string;
  readonly name: string;
  readonly shortName: string;
  readonly state: DeviceState;
  readonly sinceMs: number;
  readonly downBecause: string | null;
  readonly maintenanceUntil: string | null;
  readonly tags: readonly string[];
  readonly locations: readonly string[];
}

interface WallAlert {
  readonly Kind: string;
  readonly device_id: string | null;
  readonly location_id: string | null;
  readonly Since: string;
  readonly Location: string | null;
  readonly Acknowledged: { readonly By: string } | null;
}

/** The facts that a wall shows. */
export interface WallFacts {
  readonly rows: readonly WallRow[];
  readonly alerts: readonly WallAlert[];
  readonly locations: readonly {
    readonly location_id: string;
    readonly Name: string;
    readonly Online: boolean;
  }[];
}

/** A tile of the wall. `by` acknowledged the alert; undefined: not acknowledged. */
export type Tile =
  | {
      readonly kind: 'down';
      readonly key: string;
      readonly name: string;
      readonly sinceMs: number;
      readonly by: string | undefined;
      readonly behind: number;
      /** The tags of the devices behind it. */
      readonly tags: readonly string[];
      /** The Locations at which it is Down. */
      readonly from: string | undefined;
    }
  | {
      readonly kind: 'offline';
      readonly key: string;
      readonly name: string;
      /** undefined: there is no alert that says it. */
      readonly sinceMs: number | undefined;
      readonly unknown: number;
      readonly by: string | undefined;
    }
  | {
      readonly kind: 'partial';
      readonly key: string;
      readonly name: string;
      readonly sinceMs: number;
      readonly from: string | undefined;
      readonly by: string | undefined;
    }
  | {
      readonly kind: 'unknown';
      readonly key: string;
      readonly count: number;
      readonly names: readonly string[];
    }
  | {
      readonly kind: 'maintenance';
      readonly key: string;
      readonly count: number;
      readonly windows: readonly { readonly name: string; readonly until: string | null }[];
    }
  | { readonly kind: 'rest'; readonly key: string; readonly count: number };

/** The tiles in order: not acknowledged, not observed, acknowledged, maintenance. */
export interface WallContent {
  readonly tiles: readonly Tile[];
  readonly causes: number;
}

/** More tiles could not be read from a distance of five metres. */
export const maxTiles = 15;
const maxNames = 3;

/** Chooses the tiles of a wall. */
export function wallOf({ rows, alerts, locations }: WallFacts): WallContent {
  const alertOf = (kind: string, matches: (alert: WallAlert) => boolean) =>
    alerts.find((alert) => alert.Kind === kind && matches(alert));
  const causes = causesOf(rows).map(({ row, behind }): Tile & { kind: 'down' } => {
    const alert = alertOf('device.down', ({ device_id }) => device_id === row.id);
    return {
      kind: 'down',
      key: row.id,
      name: row.name,
      sinceMs: row.sinceMs,
      behind: behind.length,
      by: alert?.Acknowledged?.By,
      tags: [...new Set(behind.flatMap(({ tags }) => tags))].sort().slice(0, maxNames),
      from: alert?.Location ?? undefined,
    };
  });
  causes.sort((a, b) => b.behind - a.behind || a.sinceMs - b.sinceMs || (a.key < b.key ? -1 : 1));
  const offline = new Set(locations.filter(({ Online }) => !Online).map(({ Name }) => Name));
  const isUnobserved = (row: WallRow) =>
    row.state === 'Unknown' && row.locations.length > 0 && row.locations.every((name) => offline.has(name));
  const offlineTiles = locations
    .filter(({ Online }) => !Online)
    .map(({ location_id, Name }): Tile => {
      const alert = alertOf('location.offline', (each) => each.location_id === location_id);
      return {
        kind: 'offline',
        key: location_id,
        name: Name,
        by: alert?.Acknowledged?.By,
        sinceMs: alert === undefined ? undefined : Date.parse(alert.Since),
        unknown: rows.filter((row) => isUnobserved(row) && row.locations.includes(Name)).length,
      };
    });
  const partial = rows
    .filter(({ state }) => state === 'Partial')
    .map((row): Tile => {
      const alert = alertOf('device.partial', ({ device_id }) => device_id === row.id);
      return {
        kind: 'partial',
        key: row.id,
        name: row.name,
        by: alert?.Acknowledged?.By,
        sinceMs: alert === undefined ? row.sinceMs : Date.parse(alert.Since),
        from: alert?.Location ?? undefined,
      };
    });
  const lost = rows.filter((row) => row.state === 'Unknown' && !isUnobserved(row));
  const unknown: readonly Tile[] =
    lost.length === 0 ? [] : [{ kind: 'unknown', key: 'unknown', count: lost.length, names: namesOf(lost) }];
  const all = [
    ...causes.filter(({ by }) => by === undefined),
    ...offlineTiles,
    ...causes.filter(({ by }) => by !== undefined),
    ...partial,
    ...unknown,
    ...maintenanceOf(rows),
  ];
  const hidden = all.length - maxTiles + 1;
  const tiles: readonly Tile[] =
    hidden <= 1 ? all : [...all.slice(0, maxTiles - 1), { kind: 'rest', key: 'rest', count: hidden }];
  return { tiles, causes: causes.length };
}

const namesOf = (rows: readonly WallRow[]) =>
  rows
    .map(({ name }) => name)
    .sort()
    .slice(0, maxNames);

/** The tile of running maintenance, with the windows that end first. */
function maintenanceOf(rows: readonly WallRow[]): readonly Tile[] {
  const running = rows.filter(({ state }) => state === 'Maint');
  if (running.length === 0) return [];
  const endOf = ({ maintenanceUntil }: WallRow) =>
    maintenanceUntil === null ? Number.POSITIVE_INFINITY : Date.parse(maintenanceUntil);
  const windows = [...running]
    .sort((a, b) => endOf(a) - endOf(b) || (a.name < b.name ? -1 : 1))
    .slice(0, maxNames)
    .map(({ name, maintenanceUntil }) => ({ name, until: maintenanceUntil }));
  return [{ kind: 'maintenance', key: 'maintenance', count: running.length, windows }];
}

/** The columns of tiles on a wide screen, and whether the first tile spans two so that none stays empty. */
export function gridOf(count: number): { readonly columns: 1 | 2 | 3 | 4; readonly isFirstWide: boolean } {
  const columns = count <= 1 ? 1 : count <= 4 ? 2 : count <= 9 ? 3 : 4;
  const rows = Math.ceil(count / columns);
  return { columns, isFirstWide: columns > 1 && columns * rows > count };
}
