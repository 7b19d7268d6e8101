import { useState } from 'preact/hooks';
import { ApiProblem } from '../store/api.ts';
import { wordsOf } from './notice.tsx';

/** A form that sends something: whether it is under way, and what the API refuses, by the names of its fields. */
export function useSending() {
  const [problem, setProblem] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const fields = problem instanceof ApiProblem ? problem.fields : [];
  return {
    isBusy,
    /** The refusal of a field. */
    of: (field: string) => fields.find((each) => each.field === field)?.message,
    /** The refusal that belongs to no field of the form. `shown` are the fields that it has. */
    words: (shown: readonly string[]) =>
      problem === undefined || (fields.length > 0 && fields.every(({ field }) => shown.includes(field)))
        ? undefined
        : wordsOf(problem),
    /** Sends it; a second press while it is under way does nothing. */
    async send(event: Event, work: () => Promise<void>): Promise<void> {
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
