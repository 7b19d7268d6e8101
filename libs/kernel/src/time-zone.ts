import { LRUCache } from 'lru-cache';
import { declareState } from './tracked-state.ts';

/** Zones change their offset at whole quarters of an hour, and at most once within a day. */
const stepMs = 15 * 60_000;
const dayMs = 24 * 3_600_000;
const maxOffsets = 512;
const maxZones = 200;

/** Minutes by which local time is ahead of UTC; `ms` counts from 1970. */
export type ZoneOffset = (ms: number) => number;

const trackedZones = declareState({
  name: 'zone_offsets',
  entries: maxZones,
  entryBytes: 90_000,
  filledBy: 'accounts, devices, schedules',
  atBound: 'the least recently used is created again',
});

/** A zone costs milliseconds to create, so the zones in use are cached. */
const zones = trackedZones(new LRUCache<string, ZoneOffset>({ max: maxZones }));

/** Replaces a stored zone that this runtime does not know. */
const fallback = 'UTC';

/**
 * The offsets of an IANA zone, or of UTC for a name that this runtime does not know. Names are checked before they are
 * stored (`isZoneName`), but a newer runtime may have stored one that this runtime lacks. The program must not stop for
 * that.
 */
export function zoneOffset(name: string): ZoneOffset {
  const known = zones.get(name);
  if (known !== undefined) return known;
  const offset = createZoneOffset(name);
  zones.set(name, offset);
  return offset;
}

function createZoneOffset(name: string): ZoneOffset {
  const offsets = new LRUCache<number, number>({ max: maxOffsets });
  const format = new Intl.DateTimeFormat('en-US', { timeZone: knownZone(name), timeZoneName: 'longOffset' });
  const at = (ms: number): number => {
    const known = offsets.get(ms);
    if (known !== undefined) return known;
    const found = readOffset(format, ms);
    offsets.set(ms, found);
    return found;
  };
  return (ms) => {
    const dayStart = Math.floor(ms / dayMs) * dayMs;
    const offset = at(dayStart);
    return offset === at(dayStart + dayMs) ? offset : at(Math.floor(ms / stepMs) * stepMs);
  };
}

function readOffset(format: Intl.DateTimeFormat, ms: number): number {
  const text = format.formatToParts(ms).find((part) => part.type === 'timeZoneName')?.value ?? 'GMT';
  const parts = /^GMT([+-])(\d\d):(\d\d)/.exec(text);
  if (!parts) return 0;
  const minutes = Number(parts[2]) * 60 + Number(parts[3]);
  return parts[1] === '-' ? -minutes : minutes;
}

/** Whether the time zone database (IANA) has this name. Offsets such as `+02:00` are not names. */
export function isZoneName(name: string): boolean {
  return zoneName(name) !== undefined;
}

/** The zone, or UTC if this runtime does not know it: see `zoneOffset`. */
export function knownZone(name: string): string {
  return isZoneName(name) ? name : fallback;
}

/**
 * The IANA name of a time zone in its usual letter case: `Europe/Berlin` for `europe/berlin`. An alias (`Asia/Kolkata`)
 * is returned unchanged. undefined: there is no such zone.
 */
export function zoneName(name: string): string | undefined {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(name)) return undefined;
  try {
    const known = new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone;
    return known.toLowerCase() === name.toLowerCase() ? known : name;
  } catch {
    return undefined;
  }
}
