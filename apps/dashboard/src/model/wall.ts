import { causesOf } from './causes.ts';
import type { State } from './state.ts';

interface Row {
  readonly id: string;
  readonly name: string;
  readonly shortName: string;
  readonly state: State;
  readonly sinceMs: number;
  readonly downBecause: string | null;
  readonly maintenanceUntil: string | null;
  readonly tags: readonly string[];
  readonly locations: readonly string[];
}

interface Alert {
  readonly Kind: string;
  readonly device_id: string | null;
  readonly location_id: string | null;
  readonly Since: string;
  readonly Location: string | null;
  readonly Acknowledged: { readonly By: string } | null;
}

/** The facts from which a wall is made. */
export interface WallFacts {
  readonly rows: readonly Row[];
  readonly alerts: readonly Alert[];
  readonly locations: readonly {
    readonly location_id: string;
    readonly Name: string;
    readonly Online: boolean;
  }[];
}

/** A tile of the wall. `by` has the problem; undefined: nobody. */
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
      /** Locations that find it Down. */
      readonly from: string | undefined;
    }
  | {
      readonly kind: 'offline';
      readonly key: string;
      readonly name: string;
      /** undefined: it has no alert that tells it. */
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

/** A wall in order: what nobody has, what is not observed, what somebody has, maintenance. */
export interface Wall {
  readonly tiles: readonly Tile[];
  readonly causes: number;
}

/** More tiles could not be read from five metres. */
export const mostTiles = 15;
const mostNames = 3;

/** Works out the tiles. */
export function wallOf({ rows, alerts, locations }: WallFacts): Wall {
  const alertOf = (kind: string, of: (alert: Alert) => boolean) =>
    alerts.find((alert) => alert.Kind === kind && of(alert));
  const causes = causesOf(rows).map(({ row, behind }): Tile & { kind: 'down' } => {
    const alert = alertOf('device.down', ({ device_id }) => device_id === row.id);
    return {
      kind: 'down',
      key: row.id,
      name: row.name,
      sinceMs: row.sinceMs,
      behind: behind.length,
      by: alert?.Acknowledged?.By,
      tags: [...new Set(behind.flatMap(({ tags }) => tags))].sort().slice(0, mostNames),
      from: alert?.Location ?? undefined,
    };
  });
  causes.sort((a, b) => b.behind - a.behind || a.sinceMs - b.sinceMs || (a.key < b.key ? -1 : 1));
  const offline = new Set(locations.filter(({ Online }) => !Online).map(({ Name }) => Name));
  const isBlind = (row: Row) =>
    row.state === 'Unknown' && row.locations.length > 0 && row.locations.every((each) => offline.has(each));
  const places = locations
    .filter(({ Online }) => !Online)
    .map(({ location_id, Name }): Tile => {
      const alert = alertOf('location.offline', (each) => each.location_id === location_id);
      return {
        kind: 'offline',
        key: location_id,
        name: Name,
        by: alert?.Acknowledged?.By,
        sinceMs: alert === undefined ? undefined : Date.parse(alert.Since),
        unknown: rows.filter((row) => isBlind(row) && row.locations.includes(Name)).length,
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
  const lost = rows.filter((row) => row.state === 'Unknown' && !isBlind(row));
  const unknown: readonly Tile[] =
    lost.length === 0 ? [] : [{ kind: 'unknown', key: 'unknown', count: lost.length, names: namesOf(lost) }];
  const all = [
    ...causes.filter(({ by }) => by === undefined),
    ...places,
    ...causes.filter(({ by }) => by !== undefined),
    ...partial,
    ...unknown,
    ...maintenanceOf(rows),
  ];
  const hidden = all.length - mostTiles + 1;
  const tiles: readonly Tile[] =
    hidden <= 1 ? all : [...all.slice(0, mostTiles - 1), { kind: 'rest', key: 'rest', count: hidden }];
  return { tiles, causes: causes.length };
}

const namesOf = (rows: readonly Row[]) =>
  rows
    .map(({ name }) => name)
    .sort()
    .slice(0, mostNames);

/** The maintenance that is running: those that end first. */
function maintenanceOf(rows: readonly Row[]): readonly Tile[] {
  const running = rows.filter(({ state }) => state === 'Maint');
  if (running.length === 0) return [];
  const endOf = ({ maintenanceUntil }: Row) =>
    maintenanceUntil === null ? Number.POSITIVE_INFINITY : Date.parse(maintenanceUntil);
  const windows = [...running]
    .sort((a, b) => endOf(a) - endOf(b) || (a.name < b.name ? -1 : 1))
    .slice(0, mostNames)
    .map(({ name, maintenanceUntil }) => ({ name, until: maintenanceUntil }));
  return [{ kind: 'maintenance', key: 'maintenance', count: running.length, windows }];
}

/** How tiles share a wide screen: columns, and whether the first tile has two of them, because one would stay empty. */
export function gridOf(count: number): { readonly columns: 1 | 2 | 3 | 4; readonly isFirstWide: boolean } {
  const columns = count <= 1 ? 1 : count <= 4 ? 2 : count <= 9 ? 3 : 4;
  const rows = Math.ceil(count / columns);
  return { columns, isFirstWide: columns > 1 && columns * rows > count };
}
