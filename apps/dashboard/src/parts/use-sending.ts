import { useState } from 'preact/hooks';
import { ApiProblem } from '../store/api.ts';
import { problemWords } from './problem-words.ts';

/** The state of a form that is sent: whether a request is running, and the refusals of the API by field name. */
export function useSending() {
  const [problem, setProblem] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const fields = problem instanceof ApiProblem ? problem.fields : [];
  return {
    isBusy,
    problemOf: (field: string) => fields.find((each) => each.field === field)?.message,
    /** The refusal that belongs to none of the form's fields `shown`. */
    words: (shown: readonly string[]) =>
      problem === undefined || (fields.length > 0 && fields.every(({ field }) => shown.includes(field)))
        ? undefined
        : problemWords(problem),
    /** Sends the form. A second press while the request runs does nothing. */
    send: async (event: Event, work: () => Promise<void>): Promise<void> => {
      event.preventDefault();
      if (isBusy) return;
      setBusy(true);
      setProblem(undefined);
      try {
        await work();
      } catch (refused) {
        setProblem(refused);
      }
      setBusy(false);
    },
  };
}
