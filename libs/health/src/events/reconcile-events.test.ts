import { expect, test } from 'vitest';
import type { FoldEvent, FoldEventType } from '../fold-step.ts';
import { lastStatus, newEvents } from './reconcile-events.ts';

/** Events from words like `Up1`: type and start of the check. */
const eventsOf = (words: string): FoldEvent[] =>
  words.split(' ').flatMap((word) => {
    const [, type, start] = /^([A-Z][a-z]+)(\d+)$/.exec(word) ?? [];
    const known = (['Error', 'Recovered', 'Partial', 'Down', 'Up', 'Unknown'] as FoldEventType[]).find(
      (one) => one === type,
    );
    if (known === undefined) return [];
    const atUs = Number(start);
    return [
      {
        type: known,
        status: statusOf(known),
        atUs,
        cause: { startUs: atUs, agentNo: 1 },
        locationNo: 1,
        text: '',
        ended: null,
        sinceUs: atUs,
        failing: [],
        endsPartial: false,
      },
    ];
  });

const statusOf = (type: FoldEventType) =>
  type === 'Error' || type === 'Recovered' || type === 'Partial' ? 'Up' : type;

const statuses = (events: readonly FoldEvent[]) => events.filter(({ type, status }) => type === status);

test.each([
  ['nothing recorded yet', '', 'Up1 Error5', 'Up1 Error5'],
  ['nothing new', 'Up1 Error5', 'Up1 Error5', ''],
  ['an earlier check says it too', 'Up3', 'Up1', ''],
  ['what follows is news', 'Up3', 'Up1 Error5 Down7', 'Error5 Down7'],
  [
    'an outage before the recorded one',
    'Up1 Error50 Down52 Up60',
    'Up1 Error10 Down12 Up20 Error50 Down52 Up60',
    'Error10 Down12 Up20',
  ],
  [
    'an outage after the recorded one',
    'Error10 Down12',
    'Error10 Down12 Up20 Error50 Down52',
    'Up20 Error50 Down52',
  ],
  ['an outage that began earlier', 'Up1 Error12 Down14', 'Up1 Error10 Down14', ''],
  ['an error that began earlier', 'Up1 Error12 Recovered14', 'Up1 Error10 Recovered14', ''],
  [
    'a recorded event that the fold has no more does not count twice',
    'Error5 Recovered6',
    'Error5 Down6',
    'Down6',
  ],
])('%s', (_what, before, now, news) => {
  expect(newEvents(eventsOf(before), eventsOf(now), statuses(eventsOf(before)))).toEqual(eventsOf(news));
});

test.each([
  [
    'a recorded Up stands for the one that the eventsOf has earlier',
    'Up100',
    'Up50 Down60 Up90',
    'Up50 Down60',
  ],
  ['outages around a recorded one', 'Up10 Down50 Up100', 'Up10 Down40 Up45 Down55 Up100', 'Down40 Up45'],
  ['a status that an event without a fold has recorded', 'Up1 Unknown5', 'Up1 Unknown7', ''],
])('no status is recorded twice in a row: %s', (_what, recorded, now, news) => {
  expect(newEvents([], eventsOf(now), eventsOf(recorded))).toEqual(eventsOf(news));
  expect(lastStatus(eventsOf(news), eventsOf(recorded))).toBe(eventsOf(now).at(-1)?.status);
});
