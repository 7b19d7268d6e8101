import { expect, test } from 'vitest';
import { untold } from './retell.ts';
import type { FoldEvent, FoldEventType } from './step.ts';

/** Events from words like `Up1`: type and start of the check. */
const story = (words: string): FoldEvent[] =>
  words.split(' ').flatMap((word) => {
    const [, type, start] = /^([A-Z][a-z]+)(\d+)$/.exec(word) ?? [];
    const known = (['Error', 'Recovered', 'Partial', 'Down', 'Up', 'Unknown'] as FoldEventType[]).find(
      (one) => one === type,
    );
    if (known === undefined) return [];
    const atUs = Number(start);
    return [
      {
        ...{ type: known, status: 'Up', atUs, cause: { startUs: atUs, agentNo: 1 }, locationNo: 1 },
        ...{ text: '', ended: null, sinceUs: atUs, failing: [] },
      },
    ];
  });

test.each([
  ['nothing told yet', '', 'Up1 Error5', 'Up1 Error5'],
  ['nothing new', 'Up1 Error5', 'Up1 Error5', ''],
  ['an earlier check says it too', 'Up3', 'Up1', ''],
  ['what follows is news', 'Up3', 'Up1 Error5 Down7', 'Error5 Down7'],
  [
    'an outage before the one told',
    'Up1 Error50 Down52 Up60',
    'Up1 Error10 Down12 Up20 Error50 Down52 Up60',
    'Error10 Down12 Up20',
  ],
  [
    'an outage after the one told',
    'Error10 Down12',
    'Error10 Down12 Up20 Error50 Down52',
    'Up20 Error50 Down52',
  ],
  ['an outage that began earlier', 'Up1 Error12 Down14', 'Up1 Error10 Down14', ''],
  ['what was told and is no more does not count twice', 'Error5 Recovered6', 'Error5 Down6', 'Down6'],
])('%s', (_what, told, now, news) => {
  expect(untold(story(told), story(now))).toEqual(story(news));
});
