import { declareState } from './tracked-state.ts';

/** Zones change their offset at whole quarters of an hour, and at most once within a day. */
const stepMs = 15 * 60_000;
const dayMs = 24 * 3_600_000;
const cachedOffsets = 512;
const cachedZones = 200;

/** Minutes by which local time is ahead of UTC at a moment (milliseconds since 1970). */
export type ZoneOffset = (ms: number) => number;

const trackedZones = declareState({
  name: 'zone_offsets',
  entries: cachedZones,
  entryBytes: 90_000,
  filledBy: 'accounts, devices, schedules',
  atBound: 'all are made again',
});

/** Making a zone costs milliseconds, so the zones in use are kept. */
const zones = trackedZones(new Map<string, ZoneOffset>());

/** The zone that counts where a stored one is not known. */
const fallback = 'UTC';

/**
 * The offsets of an IANA zone, those of UTC for a name that this runtime does not know. Names are checked when they are
 * stored (`isZoneName`), but another runtime may have stored it, and an older one reads it: nothing may stop for that.
 */
export function zoneOffset(name: string): ZoneOffset {
  const known = zones.get(name);
  if (known !== undefined) return known;
  const made = createZoneOffset(name);
  if (zones.size >= cachedZones) zones.clear();
  zones.set(name, made);
  return made;
}

function createZoneOffset(name: string): ZoneOffset {
  const offsets = new Map<number, number>();
  const format = new Intl.DateTimeFormat('en-US', { timeZone: knownZone(name), timeZoneName: 'longOffset' });
  const at = (ms: number): number => {
    const known = offsets.get(ms);
    if (known !== undefined) return known;
    if (offsets.size >= cachedOffsets) offsets.clear();
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

/** Is this a name that the time zone database (IANA) knows? Offsets such as `+02:00` are not names. */
export function isZoneName(name: string): boolean {
  return zoneName(name) !== undefined;
}

/** A stored zone, or UTC where this runtime does not know it: see `zoneOffset`. */
export function knownZone(name: string): string {
  return isZoneName(name) ? name : fallback;
}

/**
 * The IANA name of a time zone in its own letter case: `Europe/Berlin` for `europe/berlin`. Another name of a zone
 * (`Asia/Kolkata`) stays as it is given. undefined: there is no such zone.
 */
export function zoneName(given: string): string | undefined {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(given)) return undefined;
  try {
    const known = new Intl.DateTimeFormat('en-US', { timeZone: given }).resolvedOptions().timeZone;
    return known.toLowerCase() === given.toLowerCase() ? known : given;
  } catch {
    return undefined;
  }
}
