import { dayUs } from '@vantage/domain';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PackedBytesError } from './byte-reader.ts';
import { packDay, unpackDay, unpackKeys } from './pack.ts';
import { factColumns, keyColumns, type PackedCheck } from './packed-columns.ts';
import { sampleDay } from './testing/sample-day.ts';

const beginUs = Date.UTC(2027, 2, 14) * 1000;

const phase = fc.oneof(
  fc.integer({ min: 0, max: 86_400_000_000 }).map((us) => us / 1000),
  fc.float({ min: 0 }).map(Number),
  fc.constantFrom(0, -0, Number.NaN, Number.POSITIVE_INFINITY, 1e-40, 3.4e38),
);
const text = fc
  .oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('', '3 of 3 answered, mean 12.3 ms', '1.10', '-0.5', '1e5', '007'),
  )
  .map((one) => one.replaceAll('\0', ''));
const int = fc.oneof(fc.integer({ min: 0, max: 9 }), fc.integer());
const time = fc.oneof(
  fc.integer({ min: 0, max: dayUs }).map((us) => beginUs + us),
  fc.maxSafeNat(),
);
const amount = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.constant(0.125),
);
/** The last one is a number. */
const measured = fc.option(
  fc.tuple(fc.array(fc.option(amount), { maxLength: 5 }), amount).map(([list, last]) => [...list, last]),
);
const check: fc.Arbitrary<PackedCheck> = fc
  .record({
    device_no: fc.constant(5),
    start_us: time,
    agent_no: int,
    location_no: int,
    end_us: time,
    arrived_us: time,
    revision: int,
    attempt: int,
    code: int,
    perf: int,
    block_ms: phase,
    dns_ms: phase,
    connect_ms: phase,
    ssl_ms: phase,
    ttfb_ms: phase,
    ttlb_ms: phase,
    data_size: fc.double(),
    check_result: text,
    retry_id: fc.option(text),
    run_request_id: fc.option(text),
    extended: fc.option(fc.json()),
    behind_anchor: fc.option(fc.boolean()),
    measured,
  })
  .map((one) => ({ ...one }));

test('every value comes back exactly as it was: null, -0, NaN and microseconds too', () => {
  fc.assert(
    fc.property(fc.array(check, { maxLength: 40 }), (checks) => {
      const packed = packDay(beginUs, checks);
      if (packed === undefined) throw new Error('not packed');
      expect(unpackDay(5, beginUs, packed)).toStrictEqual(checks);
      const marks = checks.map(({ start_us, agent_no }) => ({ start_us, agent_no }));
      expect(unpackKeys(beginUs, packed)).toStrictEqual(marks);
    }),
  );
});

test('damaged bytes are refused with a PackedBytesError, or are read as other values', () => {
  const packed = packDay(beginUs, sampleDay('PING', { deviceNo: 5, dayUs: beginUs, checks: 50 }));
  if (packed === undefined) throw new Error('not packed');
  const damage = fc.record({
    at: fc.nat(),
    value: fc.nat(255),
    cut: fc.boolean(),
    part: fc.constantFrom('keys', 'facts'),
  });
  fc.assert(
    fc.property(damage, ({ at, value, cut, part }) => {
      const bytes = Uint8Array.from(packed[part]);
      bytes[at % bytes.length] = value;
      const damaged = { ...packed, [part]: cut ? bytes.subarray(0, at % bytes.length) : bytes };
      try {
        expect(unpackDay(5, beginUs, damaged)).toHaveLength(50);
      } catch (error) {
        expect(error).toBeInstanceOf(PackedBytesError);
      }
    }),
  );
});

test('bytes that would unpack to more than the limit are refused', () => {
  const packed = packDay(beginUs, []);
  if (packed === undefined) throw new Error('not packed');
  expect(() => unpackDay(5, beginUs, { ...packed, checks: 1_000_000 })).toThrow(PackedBytesError);
  const texts = sampleDay('TCP', { deviceNo: 5, dayUs: beginUs, checks: 70 });
  const long = texts.map((one, i) => ({ ...one, check_result: String.fromCharCode(65 + i).repeat(500_000) }));
  expect(packDay(beginUs, long)).toBeUndefined();
});

test('every column of a check is packed once', () => {
  const [first] = sampleDay('TCP', { deviceNo: 5, dayUs: beginUs, checks: 1 });
  const names = [...keyColumns, ...factColumns].map(({ name }) => name);
  expect(['device_no', 'measured', ...names].toSorted()).toEqual(Object.keys(first ?? {}).toSorted());
});

test.each([
  ['TCP', 8],
  ['HTTP', 19],
  ['PING', 19],
] as const)(
  'a check of %s has at most %d bytes, with the noise of a real network in every time',
  (method, most) => {
    const packed = packDay(beginUs, sampleDay(method, { deviceNo: 5, dayUs: beginUs, checks: 1_440 }));
    if (packed === undefined) throw new Error('not packed');
    expect((packed.keys.length + packed.facts.length) / 1_440).toBeLessThan(most);
  },
);
