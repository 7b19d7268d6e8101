import { describe, expect, test } from 'vitest';
import { fold, matters } from './fold.ts';
import { newState } from './fold-state.ts';
import { type FoldInput, type OnlineSpan, toObservations } from './observation.ts';

const second = 1_000_000;
const always = (agentNo: number): OnlineSpan => ({
  agentNo,
  locationNo: agentNo,
  fromUs: 0,
  toUs: Number.POSITIVE_INFINITY,
});

/** A check that took a second; agent and Location have the same number. */
function check(start: number, code: number, more: Partial<FoldInput> = {}): FoldInput {
  const endUs = (start + 1) * second;
  return {
    startUs: start * second,
    endUs,
    arrivedUs: endUs,
    agentNo: 1,
    locationNo: 1,
    code,
    attempt: 0,
    retryId: null,
    revision: 1,
    text: `code ${code}`,
    isBehindAnchor: false,
    ...more,
  };
}

const at = (no: number) => ({ agentNo: no, locationNo: no });

function foldChecks(
  results: FoldInput[],
  spans: OnlineSpan[] = [always(1)],
  retries = 2,
  targetRevision = 1,
) {
  return fold(newState(0), toObservations(results, spans), { retries, targetRevision });
}

const types = (folded: ReturnType<typeof foldChecks>) => folded.events.map((event) => event.type);

test.each([0, 1, 2, 3, 4])(
  'a target that fails %i times in a row with Retries 3 is Down only after the 4th',
  (failures) => {
    const errors = Array.from({ length: failures }, (_, k) => check(60 + 2 * k, 3, { attempt: k }));
    const folded = foldChecks([check(0, 1), ...errors], [always(1)], 3);
    expect(folded.state.status).toBe(failures > 3 ? 'Down' : 'Up');
    expect(folded.state.retrySequence !== null).toBe(failures > 0 && failures <= 3);
  },
);

test('Down begins at the end of the first error; its event stands at the last retry and says how long it was up', () => {
  const folded = foldChecks([
    check(0, 1),
    check(60, 2),
    check(62, 2, { attempt: 1 }),
    check(64, 3, { attempt: 2 }),
  ]);
  expect(types(folded)).toEqual(['Up', 'Error', 'Down']);
  expect(folded.intervals).toEqual(
    [
      { fromUs: 1 * second, status: 'Up' },
      { fromUs: 61 * second, status: 'Down' },
    ].toSpliced(0, 0, { fromUs: 0, status: 'Unknown' }),
  );
  expect(folded.events.at(-1)).toMatchObject({
    atUs: 65 * second,
    sinceUs: 61 * second,
    ended: { status: 'Up', sinceUs: 1 * second },
  });
});

test('of checks that end together, each that changes the status begins a microsecond after the one before', () => {
  const together = [check(0, 1), check(0, 3, at(2)), check(0, 1, at(3))];
  const folded = foldChecks(together, [always(2)], 0);
  expect(folded.intervals.map(({ fromUs, status }) => [fromUs - second, status]).slice(1)).toEqual([
    [0, 'Up'],
    [1, 'Down'],
    [2, 'Up'],
  ]);
});

test('without retries the first error is the outage; where two Locations observe, the other one must agree', () => {
  const failing = [check(0, 1), check(60, 3)];
  const alone = foldChecks(failing, [always(1)], 0);
  expect(types(alone)).toEqual(['Up', 'Error', 'Down']);
  expect(alone.state).toMatchObject({ status: 'Down', sinceUs: 61 * second, retrySequence: null });
  const both = [always(1), always(2)];
  expect(types(foldChecks(failing, both, 0))).toEqual(['Up', 'Error']);
  const agreed = [...failing, check(62, 3, { attempt: 1, ...at(2) })];
  expect(types(foldChecks(agreed, both, 0))).toEqual(['Up', 'Error', 'Down']);
  const denied = [...failing, check(62, 1, { attempt: 1, ...at(2) })];
  expect(types(foldChecks(denied, both, 0))).toEqual(['Up', 'Error', 'Recovered']);
});

test('one good answer ends a retry sequence, and an outage', () => {
  expect(types(foldChecks([check(0, 1), check(60, 3), check(62, 1, { attempt: 1 })]))).toEqual([
    'Up',
    'Error',
    'Recovered',
  ]);
  const sequence = [check(60, 3), check(62, 3, { attempt: 1 }), check(64, 3, { attempt: 2 })];
  const folded = foldChecks([check(0, 1), ...sequence, check(120, 3), check(180, 1)]);
  expect(types(folded)).toEqual(['Up', 'Error', 'Down', 'Up']);
  expect(folded.events.at(-1)?.ended?.sinceUs).toBe(61 * second);
});

test('regular checks in an open retry sequence are not retries, and a repeated retry counts once', () => {
  const folded = foldChecks([
    check(0, 1),
    check(60, 3),
    check(62, 3, { attempt: 1 }),
    check(63, 3),
    check(70, 3, { attempt: 1 }),
  ]);
  expect(folded.state.retrySequence?.failedAttempts).toEqual([1]);
  expect(folded.state.status).toBe('Up');
});

test('where two Locations observe, one alone cannot confirm; an error of the other does', () => {
  const sequence = [check(60, 3), check(62, 3, { attempt: 1 }), check(64, 3, { attempt: 2 })];
  const both = [always(1), always(2)];
  expect(foldChecks([check(0, 1), ...sequence], both).state.status).toBe('Up');
  expect(foldChecks([check(0, 1), ...sequence, check(70, 3, at(2))], both).state).toMatchObject({
    status: 'Down',
    sinceUs: 61 * second,
  });
});

test('an inconclusive Location does not count as a second Location, and never makes Down', () => {
  const sequence = [check(60, 3), check(62, 10, { attempt: 1, ...at(2) }), check(64, 3, { attempt: 1 })];
  const both = [always(1), always(2)];
  const folded = foldChecks([check(0, 1), ...sequence, check(66, 3, { attempt: 2 })], both);
  expect(folded.state.status).toBe('Down');
  expect(
    foldChecks([check(0, 1), check(60, 10), check(120, 9), check(180, 10)], [always(1)]).state.status,
  ).toBe('Unknown');
});

test('when all Locations are inconclusive it is Unknown until a good or bad result; an outage goes on after it', () => {
  const down = [check(60, 3), check(62, 3, { attempt: 1 }), check(64, 3, { attempt: 2 })];
  const folded = foldChecks([check(0, 1), ...down, check(120, 10), check(180, 3), check(240, 1)]);
  expect(types(folded)).toEqual(['Up', 'Error', 'Down', 'Unknown', 'Down', 'Up']);
});

test('three retry sequences in a row from the same Locations with others fine are Partial, with one event', () => {
  const chains = [60, 120, 180, 240].flatMap((s) => [check(s, 3), check(s + 2, 1, { attempt: 1, ...at(2) })]);
  const folded = foldChecks([check(0, 1), ...chains], [always(1), always(2)]);
  expect(types(folded).filter((type) => type === 'Partial')).toEqual(['Partial']);
  expect(folded.events.find((event) => event.type === 'Partial')?.failing).toEqual([1]);
  const broken = foldChecks(
    [check(0, 1), ...chains.slice(0, 4), check(150, 1), ...chains.slice(4)],
    [always(1), always(2)],
  );
  expect(types(broken)).not.toContain('Partial');
});

test.each<[string, readonly Parameters<typeof foldChecks>[0][number][], readonly string[]]>([
  ['a good check from a Location that failed', [check(300, 1)], ['Recovered 300']],
  [
    'a good retry from a Location that failed',
    [check(300, 3), check(302, 1, { attempt: 1 })],
    ['Recovered 302'],
  ],
  [
    'a retry sequence in which another Location fails',
    [check(300, 3, at(2)), check(302, 1, { attempt: 1 })],
    ['Recovered 302'],
  ],
  ['a good check from a Location that never failed', [check(300, 1, at(2))], []],
  ['one more retry sequence of the same kind', [check(300, 3), check(302, 1, { attempt: 1, ...at(2) })], []],
  [
    'an outage, whose own event ends it',
    [check(300, 3), check(302, 3, { attempt: 1, ...at(2) }), check(304, 3, { attempt: 2 }), check(360, 1)],
    [],
  ],
])('a Partial and %s', (_name, checks, ends) => {
  const sequences = [60, 120, 180].flatMap((s) => [check(s, 3), check(s + 2, 1, { attempt: 1, ...at(2) })]);
  const folded = foldChecks([check(0, 1), ...sequences, ...checks], [always(1), always(2)]);
  expect(types(folded)).toContain('Partial');
  const ended = folded.events.filter(({ endsPartial }) => endsPartial);
  expect(ended.map(({ type, cause }) => `${type} ${cause.startUs / second}`)).toEqual(ends);
});

test('results under an older target are history; the first under the new one closes the old retry sequence', () => {
  const old = foldChecks([check(0, 1), check(60, 3)]);
  const seen = toObservations([check(61, 3), check(70, 1, { revision: 2 })], [always(1)]);
  const folded = fold(old.state, seen, { retries: 2, targetRevision: 2 });
  expect(folded.state.retrySequence).toBeNull();
  expect(folded.events).toEqual([]);
});

test('late results fill time in which no agent was online and are left out where one was', () => {
  const late = { arrivedUs: 4000 * second };
  const sequence = [
    check(60, 3, late),
    check(62, 3, { attempt: 1, ...late }),
    check(64, 3, { attempt: 2, ...late }),
  ];
  const results = [check(0, 1), ...sequence, check(3000, 1)];
  expect(types(foldChecks(results))).toEqual(['Up', 'Error', 'Down', 'Up']);
  expect(types(foldChecks(results, [always(1), always(2)]))).toEqual(['Up']);
});

test('a healthy result of a device that is Up changes nothing; one from before the last change does', () => {
  const settings = { retries: 2, targetRevision: 1 };
  const { state } = foldChecks([check(0, 1), check(60, 3), check(62, 1)]);
  const observations = toObservations(
    [30, 62, 120].map((start) => check(start, 1)),
    [always(1)],
  );
  // The check of the last change itself is folded again with the results before it.
  expect(observations.map((one) => matters(state, one, settings))).toEqual([true, true, false]);
});

test('while the controllers are away, the Locations that were online last still count as online', () => {
  const until = (agentNo: number, s: number): OnlineSpan => ({ ...always(agentNo), toUs: s * second });
  const spans = [until(1, 100), until(2, 95), until(3, 10)];
  const late = { arrivedUs: 900 * second };
  const alone = [check(0, 1), ...[0, 1, 2].map((k) => check(120 + 2 * k, 3, { attempt: k, ...late }))];
  expect(types(foldChecks(alone, spans))).toEqual(['Up', 'Error']);
  const other = check(127, 3, { ...at(2), ...late });
  expect(types(foldChecks([...alone, other], spans))).toEqual(['Up', 'Error', 'Down']);
  expect(types(foldChecks([check(0, 1), check(120, 10, late)], spans))).toEqual(['Up']);
  const both = [check(120, 10, late), check(121, 10, { ...at(2), ...late })];
  expect(foldChecks([check(0, 1), ...both], spans).state.status).toBe('Unknown');
});

describe('inconclusive results of an agent that was cut off', () => {
  const spans: OnlineSpan[] = [
    { ...always(1), toUs: 100 * second },
    { ...always(1), fromUs: 400 * second },
  ];
  const late = { arrivedUs: 400 * second };
  const inconclusive = [120, 180, 240].map((s) => check(s, 10, late));
  const down = [60, 62, 64].map((s, k) => check(s, 3, { attempt: k }));

  test.each([
    ['over with the cut, it has no event, nor has the same status after it', [check(410, 1)], ['Up']],
    [
      'seen again by a connected agent, it has its event',
      [check(410, 10), check(420, 1)],
      ['Up', 'Unknown', 'Up'],
    ],
    ['it has one event', [check(410, 10), check(420, 10)], ['Up', 'Unknown']],
    [
      'a device that failed meanwhile is Down',
      [410, 412, 414].map((s, k) => check(s, 3, { attempt: k })),
      ['Up', 'Error', 'Down'],
    ],
    [
      'an error that a retry does not confirm has its end',
      [check(410, 3), check(412, 1, { attempt: 1 })],
      ['Up', 'Error', 'Recovered'],
    ],
  ])('%s', (_what, after, expected) => {
    const folded = foldChecks([check(0, 1), ...inconclusive, ...after], spans);
    expect(types(folded)).toEqual(expected);
    expect(folded.intervals.map(({ status }) => status)).toContain('Unknown');
  });

  test('an outage that lasts through it is one, without a second event', () => {
    const folded = foldChecks([check(0, 1), ...down, ...inconclusive, check(410, 3), check(420, 1)], spans);
    expect(types(folded)).toEqual(['Up', 'Error', 'Down', 'Up']);
  });

  test('an error that waits for its retries when the cut begins has its end', () => {
    const folded = foldChecks([check(0, 1), check(90, 3), ...inconclusive, check(410, 1)], spans);
    expect(types(folded)).toEqual(['Up', 'Error', 'Unknown', 'Up']);
  });
});
