import type { AnchorReport, FailedAnchor } from '@vantage/domain';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anchorStatus, decideAnchors } from './anchors.ts';

const anchors = ['gateway', 'isp', 'names'].map((Name, i) => ({
  Name,
  Target: `192.0.2.${i}`,
  Networks: [],
}));
const states = { a: 'answers', s: 'silent', u: 'unchecked', n: 'new' } as const;
/** The report of one agent, one letter for each anchor; `-`: nothing. */
const agent = (letters: string, sinceUs = 5): AnchorReport[] =>
  letters.split('').flatMap((letter, i) => {
    const state = Object.entries(states).find(([name]) => name === letter)?.[1];
    return state === undefined ? [] : [{ target: `192.0.2.${i}`, state, sinceUs, text: `it ${letter}` }];
  });
const open = (...places: readonly number[]): FailedAnchor[] =>
  places.map((i) => ({ name: anchors[i]?.Name ?? `old ${i}`, target: `192.0.2.${i}`, sinceUs: 1 }));
const named = (all: readonly FailedAnchor[]) => all.map(({ name }) => name);

test.each([
  [['a'], { state: 'Up', sinceUs: 0, reason: null }],
  [['s', 'a'], { state: 'Up', sinceUs: 0, reason: null }],
  [['s', 'u', 'n'], { state: 'Down', sinceUs: 5, reason: 'it s' }],
  [['u', 'n'], { state: 'Unknown', sinceUs: 0, reason: 'it u' }],
  [['n', ''], { state: 'Unknown', sinceUs: 0, reason: null }],
  [[], { state: 'Unknown', sinceUs: 0, reason: null }],
])('the reports %j of several agents make one state', (letters, status) => {
  expect(
    anchorStatus(
      { Target: '192.0.2.0' },
      letters.map((one) => agent(one)),
    ),
  ).toEqual(status);
});

test('an anchor is Down since the last agent lost it', () => {
  expect(anchorStatus({ Target: '192.0.2.0' }, [agent('s', 7), agent('s', 9), agent('s', 8)]).sinceUs).toBe(
    9,
  );
});

test.each([
  // reports, open alerts before, open alerts after, changes
  ['all answer', ['aaa'], open(), [], []],
  ['the far one fails', ['aas'], open(), ['names'], ['down names']],
  ['all fail at once: one alert, about the nearest', ['sss'], open(), ['gateway'], ['down gateway']],
  ['it goes on', ['sss'], open(0), ['gateway'], []],
  ['the nearest is back, the next one is not', ['ass'], open(0), ['isp'], ['up gateway', 'down isp']],
  ['the far one failed by itself before', ['ssa'], open(1), ['gateway', 'isp'], ['down gateway']],
  ['all are back', ['aaa'], open(0, 1), [], ['up gateway', 'up isp']],
  ['one of two agents still reaches it', ['sss', 'aaa'], open(0), [], ['up gateway']],
  ['its agent has not checked it yet', ['n'], open(0), ['gateway'], []],
  ['all agents are away', [], open(0), ['gateway'], []],
  ['an agent of an earlier version', [''], open(0), ['gateway'], []],
  ['no agent can check it any more', ['uaa'], open(0), [], ['up gateway']],
  ['it is no anchor any more', ['aaa'], open(5), [], ['up old 5']],
])('%s', (_name, letters, before, after, changes) => {
  const decided = decideAnchors(
    anchors,
    letters.map((one) => agent(one)),
    before,
  );
  expect(named(decided.failed)).toEqual(after);
  expect(decided.changes.map(({ kind, anchor }) => `${kind} ${anchor.name}`)).toEqual(changes);
});

test('in any history each alert ends once, a failure behind a failure opens none, and nothing changes by deciding again', () => {
  const letters = fc.constantFrom('a', 's', 'u', 'n', '-');
  const report = fc.array(letters, { minLength: 3, maxLength: 3 }).map((all) => agent(all.join('')));
  const moment = fc.array(report, { maxLength: 3 });
  fc.assert(
    fc.property(fc.array(moment, { maxLength: 20 }), (moments) => {
      let failed: readonly FailedAnchor[] = [];
      const isOpen = new Set<string>();
      for (const reports of moments) {
        const decided = decideAnchors(anchors, reports, failed);
        for (const { kind, anchor } of decided.changes) {
          expect(isOpen.has(anchor.target)).toBe(kind === 'up');
          if (kind === 'up') isOpen.delete(anchor.target);
          else isOpen.add(anchor.target);
        }
        failed = decided.failed;
        expect(new Set(failed.map(({ target }) => target))).toEqual(isOpen);
        expect(decideAnchors(anchors, reports, failed).changes).toEqual([]);
        const status = anchors.map((anchor) => anchorStatus(anchor, reports).state);
        for (const change of decided.changes.filter(({ kind }) => kind === 'down'))
          expect(status.indexOf('Down')).toBe(
            anchors.findIndex(({ Target }) => Target === change.anchor.target),
          );
        // Whoever has no alert is reachable, unknown or behind one that is Down.
        for (const [i, { Target }] of anchors.entries())
          if (status[i] === 'Down' && !isOpen.has(Target)) expect(status.slice(0, i)).toContain('Down');
      }
    }),
  );
});
