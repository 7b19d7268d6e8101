import { declareState, LRUCache } from '@vantage/kernel';
import { createZone, type Zone, zoneBytes } from '../forms/zone.ts';

/** Each zone caches the texts of timestamps. */
const maxZones = 24;

const tracked = declareState({
  name: 'zones',
  entries: maxZones,
  entryBytes: zoneBytes,
  filledBy: 'accounts (their time zone)',
  atBound: 'the least recently used is forgotten',
});

/** Creates time zones by their name in lower case, and caches them. */
export function createZones(): (name: string) => Zone {
  const zones = tracked(new LRUCache<string, Zone>({ max: maxZones }));
  return (name) => {
    const key = name.toLowerCase();
    const zone = zones.get(key) ?? createZone(name);
    zones.set(key, zone);
    return zone;
  };
}
