import { useEffect, useState } from 'preact/hooks';
import { ApiProblem } from '../store/api.ts';
import { texts } from '../texts/index.ts';
import css from './notice.module.css';

/** The words of a failure. */
export function wordsOf(problem: unknown): string {
  if (problem instanceof ApiProblem) return problem.code === 0 ? texts.problem.unreachable : problem.message;
  return problem instanceof Error ? problem.message : String(problem);
}

/** The failure, with the button that tries again. */
export function Failure({ problem, retry }: { readonly problem: unknown; readonly retry: () => void }) {
  return (
    <div class={css['failure']} role="alert">
      <h2>{texts.problem.title}</h2>
      <p>{wordsOf(problem)}</p>
      {problem instanceof ApiProblem && problem.code > 0 && (
        <p class="hint">{texts.problem.code(problem.code)}</p>
      )}
      <button type="button" class="button" onClick={retry}>
        {texts.problem.retry}
      </button>
    </div>
  );
}

/** The shape of rows, after a moment in which most answers come. */
export function Waiting({ rows = 6 }: { readonly rows?: number }) {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 200);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div class={css['waiting']} role="status" aria-label={texts.loading}>
      {isLate && Array.from({ length: rows }, (_, at) => <i key={at} />)}
    </div>
  );
}
