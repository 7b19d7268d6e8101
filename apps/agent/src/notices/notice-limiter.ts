import { declareShare, declareState, LRUCache, TokenBucket, type TokenRate } from '@vantage/kernel';

/** Notices of one address: ten at once, then one in ten seconds. */
export const perSource: TokenRate = { burst: 10, perSecond: 0.1 };
/** Notices of all addresses together. */
export const inAll: TokenRate = { burst: 100, perSecond: 10 };
const maxSources = 5_000;
/** A device is checked at most this often because of notices. */
export const checkIntervalMs = 10_000;

declareShare({
  name: 'notices_of_an_agent',
  limit: '100 traps and syslog lines at once, then 10 a second',
  filledBy: 'hosts that can reach the port',
  share: '10 of an address at once, then one in ten seconds',
});

const trackedSources = declareState({
  name: 'notice_sources',
  entries: maxSources,
  entryBytes: 250,
  filledBy: 'devices that send traps or syslog',
  atBound: 'the one that was heard longest ago is forgotten; it may send ten notices again',
});

/** Decides which notices of known devices are kept, and when a device is checked because of one. */
export interface NoticeLimiter {
  /**
   * Whether a notice of this address is kept. `dropped`: how many of this address were dropped since the last one that
   * was kept.
   */
  admit(source: string, nowMs: number): { readonly isKept: boolean; readonly dropped: number };
  mayCheck(deviceNo: number, nowMs: number): boolean;
}

export function createNoticeLimiter(nowMs: number): NoticeLimiter {
  const all = new TokenBucket(inAll, nowMs);
  const sources = trackedSources(
    new LRUCache<string, { readonly bucket: TokenBucket; dropped: number }>({ max: maxSources }),
  );
  // Devices are checked by this agent, so there are as many as it has.
  const checked = trackedChecks(new LRUCache<number, number>({ max: maxSources }));
  return {
    admit(source, now) {
      const known = sources.get(source) ?? { bucket: new TokenBucket(perSource, now), dropped: 0 };
      sources.set(source, known);
      // The bucket of the source first: one address cannot empty that of all.
      if (known.bucket.take(now) > 0 || all.take(now) > 0) {
        known.dropped += 1;
        return { isKept: false, dropped: known.dropped };
      }
      const { dropped } = known;
      known.dropped = 0;
      return { isKept: true, dropped };
    },
    mayCheck(deviceNo, now) {
      const last = checked.get(deviceNo);
      if (last !== undefined && now - last < checkIntervalMs) return false;
      checked.set(deviceNo, now);
      return true;
    },
  };
}

const trackedChecks = declareState({
  name: 'checks_by_notices',
  entries: maxSources,
  entryBytes: 100,
  filledBy: 'devices that send traps or syslog',
  atBound: 'the one that was checked longest ago is forgotten',
});
