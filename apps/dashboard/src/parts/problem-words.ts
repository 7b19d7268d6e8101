import { ApiProblem } from '../store/api.ts';
import { problemTexts } from '../texts/problem-texts.ts';

/** A failure as a sentence. */
export function problemWords(problem: unknown): string {
  if (problem instanceof ApiProblem) return problem.code === 0 ? problemTexts.unreachable : problem.message;
  return problem instanceof Error ? problem.message : String(problem);
}
