import { createTurnQueue, declareShare } from '@vantage/kernel';
import type { RestAnswer } from './answer.ts';

declareShare({
  name: 'answers_that_are_ready',
  limit: '256 KiB in an iteration of the event loop, 32 answers at most',
  filledBy: 'keys, strangers',
  share: 'accounts and networks take turns',
});

/** Characters. They take a millisecond or two. */
const perIteration = 262_144;
/** Characters; a small answer costs as much as these, because of its headers. */
const minLength = 8_192;

/**
 * Creates what makes answers in turns: one caller may have many large answers ready, and answers to others, and new
 * connections, are served in between.
 */
export function createAnswerTurns(): (owner: string, make: () => RestAnswer) => Promise<RestAnswer> {
  const turns = createTurnQueue({ perIteration, later: setImmediate });
  return (owner, make) =>
    new Promise((resolve, reject) => {
      let made: RestAnswer | undefined;
      const begin = () => {
        try {
          made = make();
          resolve(made);
        } catch (error) {
          reject(error);
        }
      };
      turns.add(owner, begin, () => Math.max(minLength, lengthOf(made)));
    });
}

function lengthOf(answer: RestAnswer | undefined): number {
  const body = answer?.body;
  return typeof body === 'string' || Buffer.isBuffer(body) ? body.length : 0;
}
