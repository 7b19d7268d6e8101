import { useEffect, useState } from 'preact/hooks';
import { ApiProblem } from '../store/api.ts';
import { problemTexts } from '../texts/problem-texts.ts';
import css from './notice.module.css';
import { problemWords } from './problem-words.ts';

/** The failure, with a button that tries again. */
export function FailureNotice({ problem, retry }: { readonly problem: unknown; readonly retry: () => void }) {
  return (
    <div class={css['failure']} role="alert">
      <h2>{problemTexts.title}</h2>
      <p>{problemWords(problem)}</p>
      {problem instanceof ApiProblem && problem.code > 0 && (
        <p class="hint">{problemTexts.code(problem.code)}</p>
      )}
      <button type="button" class="button" onClick={retry}>
        {problemTexts.retry}
      </button>
    </div>
  );
}

/** Placeholders for rows. They appear after 200 ms, because most answers are faster. */
export function WaitingRows({ rows = 6 }: { readonly rows?: number }) {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 200);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div class={css['waiting']} role="status" aria-label={problemTexts.loading}>
      {isLate && Array.from({ length: rows }, (_, at) => <i key={at} />)}
    </div>
  );
}
