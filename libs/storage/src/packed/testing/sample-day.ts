import { dayUs as dayLengthUs } from '@vantage/domain';
import type { PackedCheck } from '../packed-columns.ts';

interface SampleDay {
  readonly deviceNo: number;
  /** The start of the day. */
  readonly dayUs: number;
  /** The number of checks, at equal distances. */
  readonly checks: number;
  readonly agentNo?: number;
  readonly locationNo?: number;
}

/**
 * The good checks of a device in a day, with the noise of measured times: whole microseconds, a few late checks, and a
 * drifting clock.
 */
export function sampleDay(method: 'TCP' | 'HTTP' | 'PING', sample: SampleDay): PackedCheck[] {
  const { deviceNo, dayUs, checks, agentNo = 7, locationNo = 3 } = sample;
  const noise = createNoise(deviceNo * 1000 + (dayUs / dayLengthUs) * 7);
  let driftUs = 0;
  return Array.from({ length: checks }, (_, i) => {
    if (noise.uniform() < 0.02) driftUs += Math.round(noise.normal() * 300);
    const dueUs = dayUs + 12_345_678 + Math.round((i * (dayLengthUs - 60_000_000)) / checks) + driftUs;
    const block_ms = noise.lateMs(0.2, 0.3);
    const facts = factsOf(method, noise);
    const { dns_ms, connect_ms, ssl_ms, ttfb_ms, ttlb_ms } = facts;
    const start_us = dueUs + Math.round(block_ms * 1000);
    const end_us = start_us + Math.round((dns_ms + connect_ms + ssl_ms + ttfb_ms + ttlb_ms) * 1000);
    return {
      device_no: deviceNo,
      start_us,
      agent_no: agentNo,
      location_no: locationNo,
      end_us,
      arrived_us: end_us + Math.round(4_000 + noise.uniform() * 250_000),
      revision: 2,
      attempt: 0,
      code: 1,
      perf: 0,
      block_ms,
      behind_anchor: null,
      retry_id: null,
      run_request_id: null,
      measured: null,
      ...facts,
    };
  });
}

type Noise = ReturnType<typeof createNoise>;

function factsOf(method: 'TCP' | 'HTTP' | 'PING', noise: Noise) {
  const none = { dns_ms: 0, connect_ms: 0, ssl_ms: 0, ttfb_ms: 0, ttlb_ms: 0, data_size: 0 };
  const connect_ms = noise.lateMs(12, 0.6);
  switch (method) {
    case 'TCP':
      return {
        ...none,
        connect_ms,
        check_result: 'connected to 192.0.2.17:443',
        extended: '{"Address": "192.0.2.17:443"}',
      };
    case 'HTTP':
      return {
        dns_ms: noise.lateMs(0.6, 0.8),
        connect_ms,
        ssl_ms: noise.lateMs(25, 2),
        ttfb_ms: noise.lateMs(80, 30),
        ttlb_ms: noise.lateMs(4, 3),
        data_size: 15_234 + Math.round(noise.normal() * 40),
        check_result: '200 OK',
        extended:
          '{"TLS": {"Cipher": "TLS_AES_256_GCM_SHA384", "Version": "TLSv1.3"}, "Address": "192.0.2.17:443", "Certificate": {"DaysLeft": 61}}',
      };
    case 'PING': {
      const trips = [connect_ms, noise.lateMs(12, 0.5), noise.lateMs(12, 0.5)];
      const ttfb_ms = toMicroseconds(trips.reduce((sum, ms) => sum + ms, 0) / trips.length);
      const [minMs, maxMs] = [Math.min(...trips), Math.max(...trips)];
      return {
        ...none,
        ttfb_ms,
        data_size: 168,
        check_result: `3 of 3 answered, mean ${ttfb_ms.toFixed(1)} ms`,
        extended: `{"Ping": {"Sent": 3, "MaxMs": ${maxMs}, "MinMs": ${minMs}, "MeanMs": ${ttfb_ms}, "RTTsMs": [${trips.join(', ')}], "JitterMs": ${toMicroseconds((maxMs - minMs) / 2)}, "Received": 3, "ReplyTTL": 57, "LossPercent": 0}, "Address": "192.0.2.17"}`,
      };
    }
  }
}

function toMicroseconds(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

/** Noise that is the same in each run. */
function createNoise(seed: number) {
  let state = seed % 2 ** 32;
  /** From 0 to 1. */
  const uniform = () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5) >>> 0;
    const mixed = Math.imul(state ^ (state >>> 12), 0x297a2d39);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
  const normal = () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
  return {
    uniform,
    normal,
    /** A time in whole microseconds: at least `minMs`, mostly `usuallyMs` more, sometimes much more. */
    lateMs: (minMs: number, usuallyMs: number) =>
      toMicroseconds(minMs + usuallyMs * Math.exp(0.8 * normal())),
  };
}
