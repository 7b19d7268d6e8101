import { type Clock, clientNetwork } from '@vantage/kernel';

/** Counts bad keys by address. */
export interface BadKeyLimit {
  /** Counts one bad key. */
  count(address: string): void;
  /** Seconds to wait, at least 1, when this address has used up its bad keys; else undefined. */
  wait(address: string): number | undefined;
}

/** Bad keys that one address may send in a minute. */
export const badKeysPerMinute = 20;
const windowMs = 60_000;
const addressesKept = 10_000;

/** Makes the limit. It remembers the last 20 bad keys of at most 10,000 addresses; an IPv6 network of 64 bits is one address. */
export function createBadKeyLimit(clock: Clock): BadKeyLimit {
  const times = new Map<string, number[]>();
  const recent = (address: string): number[] => {
    const from = clock.monoMs() - windowMs;
    return (times.get(clientNetwork(address)) ?? []).filter((at) => at > from);
  };
  return {
    count(address) {
      const kept = [...recent(address), clock.monoMs()].slice(-badKeysPerMinute);
      times.delete(clientNetwork(address)); // set anew below, so that the map's order is by last use
      times.set(clientNetwork(address), kept);
      const oldest = times.keys().next().value;
      if (times.size > addressesKept && oldest !== undefined) times.delete(oldest);
    },
    wait(address) {
      const kept = recent(address);
      const first = kept[0];
      if (first === undefined || kept.length < badKeysPerMinute) return undefined;
      return Math.max(1, Math.ceil((first + windowMs - clock.monoMs()) / 1000));
    },
  };
}
