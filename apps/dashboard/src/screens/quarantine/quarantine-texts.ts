import { count } from '../../model/format.ts';

const resultsOf = (n: number) => `${count(n)} ${n === 1 ? 'result' : 'results'}`;
/** The API counts the newest 1,000 of an agent. */
const maxCounted = 1_000;
const orMore = (n: number) => (n >= maxCounted ? `${count(n)} or more` : count(n));

/** Texts of the screen of results that were not accepted. */
export const quarantineTexts = {
  name: 'Quarantine',
  headline: (records: readonly number[]) => {
    const n = records.reduce((sum, each) => sum + each, 0);
    if (n === 0) return 'All results were accepted';
    const least = records.some((each) => each >= maxCounted) ? 'At least ' : '';
    return `${least}${resultsOf(n)} ${n === 1 ? 'was' : 'were'} not accepted`;
  },
  about:
    'Results that the controller could not accept are kept here with the reason, for example because a clock was wrong. After the cause is removed, they can be validated again. No result is stored twice.',
  noRights: 'A key or person of level UA without a limit to tags sees the results that were not accepted.',
  columns: {
    agent: 'Agent',
    location: 'Location',
    reason: 'Reason',
    records: 'Results',
    last: 'Last one',
    act: 'Action',
  },
  records: orMore,
  waiting: (n: number) => `${count(n)} are validated within a minute`,
  ago: (age: string) => `${age} ago`,
  retry: 'Validate again',
  retryLabel: (agent: string, reason: string) => `Validate again: ${agent}, ${reason}`,
  retried: (n: number) =>
    n === 0
      ? 'No result is left that can be validated again.'
      : `${resultsOf(n)} will be validated within a minute.`,
  help: 'What the reasons mean',
} as const;
