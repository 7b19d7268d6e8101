import fc from 'fast-check';
import { expect, test } from 'vitest';
import { holdWithin, judge, type Sample } from './accuracy-verdict.ts';

const limits = { ms: 2 };
/** The noise of a machine at one moment, milliseconds: mostly little, now and then 100 ms. */
const noises = fc.array(fc.oneof(fc.double({ min: 0, max: 8, noNaN: true }), fc.constant(100)), {
  minLength: 5,
  maxLength: 30,
});
const sample = (noiseMs: number, faultMs: number): Sample => ({
  errors: { connect: noiseMs + faultMs },
  control: { connect: noiseMs },
  waitedMs: 0,
});

test('an error that bare sockets have too is the machine’s, whatever its amount', () => {
  fc.assert(
    fc.property(noises, fc.double({ min: 0, max: 1.9, noNaN: true }), (all, faultMs) => {
      expect(
        judge(
          all.map((noiseMs) => sample(noiseMs, faultMs)),
          limits,
        ).outside,
      ).toEqual([]);
    }),
  );
});

test('an error of the product beyond the limit is noticed under every noise', () => {
  fc.assert(
    fc.property(noises, fc.double({ min: 2.1, max: 50, noNaN: true }), (all, faultMs) => {
      expect(
        judge(
          all.map((noiseMs) => sample(noiseMs, faultMs)),
          limits,
        ).outside,
      ).toEqual(['connect']);
    }),
  );
});

test.each([3, -3])(
  'checks that are %i ms wrong fail beside exact bare sockets, after 30 checks',
  async (ms) => {
    let checks = 0;
    const check = async () => {
      checks += 1;
      return { connect: ms, ttfb: 0 };
    };
    const held = holdWithin(limits, {
      label: 'wrong',
      printed: [],
      check,
      control: async () => ({ connect: 0.4 }),
    });
    await expect(held).rejects.toThrow('wrong');
    expect(checks).toBe(30);
  },
);

test('the kernel’s own stamps have a limit of their own, whatever bare sockets show', () => {
  const all = Array.from({ length: 10 }, () => sample(3, 0.6));
  expect(judge(all, limits).outside).toEqual([]);
  expect(judge(all, { ms: 2, kernel: { connect: 0.5 } }).outside).toEqual(['connect']);
  const exact = all.map((each) => ({ ...each, errors: { connect: 0.1, ttfb: 3.1 } }));
  expect(judge(exact, { ms: 2, kernel: { connect: 0.5 } }).outside).toEqual([]);
});

test('five exact checks need no bare sockets', async () => {
  const printed: string[] = [];
  const control = () => Promise.reject(new Error('no bare socket is needed'));
  await holdWithin(limits, { label: 'exact', printed, check: async () => ({ connect: 0.3 }), control });
  expect(printed).toEqual(['exact: connect +0.30 ms']);
});

test('checks without an error to compare fail', async () => {
  const none = async () => ({});
  await expect(
    holdWithin(limits, { label: 'none', printed: [], check: none, control: none }),
  ).rejects.toThrow();
});
