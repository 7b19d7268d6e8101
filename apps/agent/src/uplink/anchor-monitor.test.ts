import { create } from '@bufbuild/protobuf';
import { createFakeClock } from '@vantage/kernel/testing';
import { AnchorSchema } from '@vantage/proto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { measured } from '../testing/measurements.ts';
import { createAnchors } from './anchor-monitor.ts';
import type { AnchorAnswer } from './anchor-state.ts';
import type { OwnNetworks } from './own-networks.ts';

const own: OwnNetworks = (address) => address.startsWith('192.168.0.');
const near = create(AnchorSchema, { name: 'gateway', target: '192.168.0.1' });

const far = create(AnchorSchema, {
  name: 'site',
  target: '10.9.0.1:22',
  port: 22,
  networks: ['10.0.0.0/8'],
});

/** Addresses of devices in the own subnet, behind the near anchor, and behind both. */
const [local, middle, site] = ['192.168.0.9', '198.51.100.1', '10.1.1.1'] as const;

/**
 * Anchors on a fake clock. `answer` says what a check that begins now finds; a silent one takes 2 s, every other one 20
 * ms.
 */
function createFixture(answer: (target: string, nowMs: number) => AnchorAnswer = () => 'answered') {
  const clock = createFakeClock(0);
  const checked: string[] = [];
  const again: number[] = [];
  const errors: unknown[] = [];
  let changes = 0;
  const anchors = createAnchors({
    clock,
    everyMs: 10_000,
    ownNetworks: () => own,
    nowMs: () => clock.nowUs() / 1000,
    async check({ target }) {
      checked.push(target);
      const now = answer(target, clock.monoMs());
      await clock.sleep(now === 'silent' ? 2000 : 20);
      return { answer: now, text: `${target} ${now}` };
    },
    onChange() {
      changes += 1;
    },
    onAnswersAgain: (deviceNos) => again.push(...deviceNos),
    onError: (error) => errors.push(error),
  });
  const judge = (deviceNo: number, address: string, code: 2 | 5 = 2, begunMs = clock.monoMs()) => {
    const verdict: { code?: number | undefined; text?: string; isOpen: boolean } = { isOpen: true };
    const judging = anchors.judge(deviceNo, measured(code, code === 5 ? [] : [address]), begunMs);
    if (judging === undefined) return undefined;
    void judging.then((judged) => Object.assign(verdict, { isOpen: false }, judged ?? { code: undefined }));
    return verdict;
  };
  const kinds = () => anchors.states.map(({ kind }) => kind);
  return { clock, anchors, checked, again, errors, judge, kinds, changes: () => changes };
}

test('without anchors nothing is checked and nothing is judged', async () => {
  const { clock, judge, checked } = createFixture();
  await clock.advance(60_000);
  expect(judge(1, middle)).toBeUndefined();
  expect(judge(1, middle, 5)).toBeUndefined();
  expect([checked, clock.pending]).toEqual([[], 0]);
});

test('all anchors are checked at once and every ten seconds', async () => {
  const { clock, anchors, checked, kinds } = createFixture();
  anchors.set([near, far]);
  await clock.advance(25_000);
  expect(checked).toEqual(Array.from({ length: 3 }, () => [near.target, far.target]).flat());
  expect(kinds()).toEqual(['answers', 'answers']);
  anchors.stop();
  await clock.advance(60_000);
  expect(checked.length).toBe(6);
});

test('while its anchor answers, an error stands after one check of the anchor that began after it', async () => {
  const { clock, anchors, judge, checked } = createFixture();
  anchors.set([near, far]);
  await clock.advance(5000);
  const verdicts = [judge(1, site), judge(2, middle), judge(3, middle, 5)];
  expect(judge(4, local)).toBeUndefined();
  expect(anchors.unconfirmedFromMs).toBe(5000);
  await clock.advance(10);
  expect(verdicts).toMatchObject([{ isOpen: true }, { isOpen: true }, { isOpen: true }]);
  await clock.advance(20);
  expect(verdicts).toMatchObject([{ code: 2 }, { code: 2 }, { code: 5 }]);
  expect([checked.length, anchors.unconfirmedFromMs]).toEqual([4, undefined]);
});

test('behind a far anchor that is silent errors become 10 with its name, before it they stand', async () => {
  let isCut = false;
  const { clock, anchors, judge, again, kinds, changes } = createFixture((target) =>
    isCut && target === far.target ? 'silent' : 'answered',
  );
  anchors.set([near, far]);
  await clock.advance(15_000);
  isCut = true;
  const [behind, before, unresolved] = [judge(1, site), judge(2, middle), judge(3, site, 5)];
  await clock.advance(100);
  expect([before?.code, behind?.isOpen]).toEqual([2, true]);
  await clock.advance(2000);
  expect(behind).toMatchObject({
    code: 10,
    text: expect.stringMatching(/^anchor site \(10\.9\.0\.1:22\) does/),
    behindAnchor: true,
  });
  expect(unresolved?.code).toBe(10);
  await clock.advance(3000);
  expect([kinds(), changes()]).toEqual([['answers', 'silent'], 2]);
  // What fails while the anchor is silent is known at once.
  const later = judge(5, site);
  await clock.advance(0);
  expect(later?.code).toBe(10);
  anchors.prune((deviceNo) => deviceNo !== 3);
  isCut = false;
  await clock.advance(5000);
  expect(again).toEqual([1, 5]);
  await clock.advance(5000);
  expect([kinds(), changes()]).toEqual([['answers', 'answers'], 3]);
});

test('an error of a check that began while the anchor was silent is 10 when the anchor answers meanwhile, and the device is checked again', async () => {
  let isCut = true;
  const { clock, anchors, judge, again } = createFixture((target) =>
    isCut && target === far.target ? 'silent' : 'answered',
  );
  anchors.set([near, far]);
  await clock.advance(10_000);
  const begunMs = clock.monoMs();
  isCut = false;
  await clock.advance(5000);
  const [during, after] = [judge(1, site, 2, begunMs), judge(2, site, 2, begunMs + 4500)];
  await clock.advance(2000);
  expect(during).toMatchObject({ code: 10, text: expect.stringMatching(/^anchor site /) });
  expect(after?.code).toBe(2);
  await clock.advance(10_000);
  expect(again).toEqual([1]);
});

test('when everything is silent, the nearest anchor is named', async () => {
  let isCut = false;
  const { clock, anchors, judge, kinds } = createFixture(() => (isCut ? 'silent' : 'answered'));
  anchors.set([near, far]);
  await clock.advance(1000);
  isCut = true;
  const verdicts = [judge(1, site), judge(2, middle)];
  await clock.advance(6000);
  for (const verdict of verdicts)
    expect(verdict).toMatchObject({ code: 10, text: expect.stringMatching(/^anchor gateway /) });
  expect(kinds()).toEqual(['silent', 'silent']);
});

test('a check of the anchor that was under way when the error came proves nothing when it is good, and enough when it is silent', async () => {
  let isCut = false;
  const { clock, anchors, judge, checked } = createFixture(() => (isCut ? 'silent' : 'answered'));
  anchors.set([near]);
  await clock.advance(10);
  const early = judge(1, middle);
  await clock.advance(500);
  expect(early?.isOpen).toBe(true);
  await clock.advance(600);
  expect([early?.code, checked.length]).toEqual([2, 2]);
  isCut = true;
  await clock.advance(10_500);
  const late = judge(2, middle);
  isCut = false;
  await clock.advance(2000);
  expect(late?.code).toBe(10);
});

test('an anchor that this agent cannot check leaves the error to the rule of the uplink', async () => {
  const { clock, anchors, judge, kinds } = createFixture((target) =>
    target === far.target ? 'unchecked' : 'answered',
  );
  anchors.set([near, far]);
  await clock.advance(1000);
  const [behind, before, unresolved] = [judge(1, site), judge(2, middle), judge(3, site, 5)];
  await clock.advance(2000);
  expect(behind).toEqual({ isOpen: false, code: undefined });
  expect([before?.code, unresolved?.code]).toEqual([2, 5]);
  expect(kinds()).toEqual(['answers', 'unchecked']);
});

test('new anchors are checked at once; one that stays keeps its state, and errors that wait go to the rule of the uplink', async () => {
  const { clock, anchors, judge, kinds } = createFixture((target) =>
    target === near.target ? 'silent' : 'answered',
  );
  anchors.set([near]);
  await clock.advance(10_000);
  expect(kinds()).toEqual(['silent']);
  const renamed = create(AnchorSchema, { ...near, name: 'router' });
  anchors.set([renamed, far]);
  const verdict = judge(1, site);
  expect(kinds()).toEqual(['silent', 'new']);
  anchors.set([renamed]);
  await clock.advance(1);
  expect(verdict).toEqual({ isOpen: false, code: undefined });
  const named = judge(2, middle);
  await clock.advance(1);
  expect(named?.text).toContain('anchor router');
  anchors.set([]);
  await clock.advance(60_000);
  expect([kinds(), clock.pending]).toEqual([[], 0]);
});

test('an anchor whose check throws is checked again', async () => {
  let failures = 1;
  const { clock, anchors, errors, kinds } = createFixture(() => {
    if (failures-- > 0) throw new Error('bug');
    return 'answered';
  });
  anchors.set([near]);
  await clock.advance(2000);
  expect([errors.length, kinds()]).toEqual([1, ['answers']]);
});

interface Cut {
  readonly link: 0 | 1;
  readonly fromMs: number;
  readonly forMs: number;
}

/** Whether a way is broken at some time, or all of the time, of [from, to]. */
const within = (cuts: readonly Cut[], links: readonly number[], fromMs: number, toMs: number) =>
  cuts.some((cut) => links.includes(cut.link) && cut.fromMs <= toMs && fromMs <= cut.fromMs + cut.forMs);

const throughout = (cuts: readonly Cut[], links: readonly number[], fromMs: number, toMs: number) =>
  cuts.some((cut) => links.includes(cut.link) && cut.fromMs <= fromMs && toMs <= cut.fromMs + cut.forMs);

test('in any history of a line with two anchors, errors on an intact way stand and those on a broken way become 10, within 8 s', async () => {
  const cut = fc.record({
    link: fc.constantFrom<0 | 1>(0, 1),
    fromMs: fc.integer({ min: 5000, max: 150_000 }),
    forMs: fc.integer({ min: 100, max: 60_000 }),
  });
  const error = fc.record({
    deviceNo: fc.integer({ min: 1, max: 9 }),
    atMs: fc.integer({ min: 30, max: 200_000 }),
    isFar: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(cut, { maxLength: 3 }),
      fc.array(error, { minLength: 1, maxLength: 12 }),
      async (cuts, errors) => {
        const links = (target: string) => (target === far.target ? [0, 1] : [0]);
        const { clock, anchors, judge } = createFixture((target, nowMs) =>
          within(cuts, links(target), nowMs, nowMs) ? 'silent' : 'answered',
        );
        anchors.set([near, far]);
        const judged = [];
        for (const { deviceNo, atMs, isFar } of errors.toSorted((a, b) => a.atMs - b.atMs)) {
          await clock.advance(atMs - clock.monoMs());
          judged.push({ verdict: judge(deviceNo, isFar ? site : middle), atMs, isFar });
        }
        await clock.advance(8000);
        for (const { verdict, atMs, isFar } of judged) {
          const way = isFar ? [0, 1] : [0];
          expect(verdict?.isOpen).toBe(false);
          // A round that was under way may be two seconds old, and the next one begins up to two seconds later.
          if (throughout(cuts, way, atMs, atMs + 5000)) expect(verdict?.code).toBe(10);
          if (throughout(cuts, way, atMs - 13_000, atMs)) expect(verdict?.code).toBe(10);
          if (!within(cuts, way, atMs - 13_000, atMs + 6000)) expect(verdict?.code).toBe(2);
        }
      },
    ),
    { numRuns: 150 },
  );
});
