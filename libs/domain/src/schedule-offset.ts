/**
 * The time within its interval at which a device is due, in milliseconds. It depends on the device's number alone and
 * is spread evenly, so that the load is even and a restart makes no burst.
 */
export function scheduleOffsetMs(deviceNo: number, intervalMs: number): number {
  return Math.floor(unitHash(deviceNo, 0x9e37_79b9) * intervalMs);
}

/**
 * A number in (0, 1) from two 32-bit numbers, evenly spread and the same on every machine (MurmurHash3's mixer over
 * both).
 */
export function unitHash(a: number, b: number): number {
  const high = mix(mix(a ^ 0x51ed_270b) + b);
  const low = mix(high ^ Math.imul(b, 0x85eb_ca6b) ^ a);
  return ((high >>> 0) * 2 ** 20 + (low >>> 12) + 0.5) / 2 ** 52;
}

function mix(value: number): number {
  let h = value | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85eb_ca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2_ae35);
  return h ^ (h >>> 16);
}
