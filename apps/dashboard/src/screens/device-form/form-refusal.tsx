import { problemWords } from '../../parts/problem-words.ts';
import { ApiProblem } from '../../store/api.ts';
import type { DeviceDraft } from './device-draft.ts';
import css from './device-form.module.css';
import { deviceFormTexts as say } from './device-form-texts.ts';
import { changesBetween } from './draft-changes.ts';
import { fieldWords } from './field-words.ts';

/** A refusal, and the draft that was refused. */
export interface Refusal {
  readonly problem: Error;
  readonly draft: DeviceDraft;
}

/** The refusals of fields that were not changed since. */
export function openProblems(refusal: Refusal | undefined, draft: DeviceDraft): ReadonlyMap<string, string> {
  if (!(refusal?.problem instanceof ApiProblem)) return new Map();
  const changed = new Set(changesBetween(refusal.draft, draft).map(({ field }) => field));
  return new Map(
    refusal.problem.fields
      .filter(({ field }) => ![...changed].some((name) => field === name || field.startsWith(`${name}.`)))
      .map(({ field, message }) => [field, message] as const),
  );
}

/** The refusal of the whole form; undefined: its fields have the reasons. */
export function wholeRefusal(refusal: Refusal | undefined): string | undefined {
  if (refusal === undefined) return undefined;
  const { problem } = refusal;
  return problem instanceof ApiProblem && problem.fields.length > 0 ? undefined : problemWords(problem);
}

const maxFaults = 6;

/** The fields that cannot be saved, each with its reason and a button that leads to it. */
export function FaultList({
  faults,
  onPick,
}: {
  readonly faults: ReadonlyMap<string, string>;
  readonly onPick: (field: string) => void;
}) {
  if (faults.size === 0) return null;
  return (
    <div class="hint bad" role="alert">
      <p>{say.incomplete(faults.size)}</p>
      <ul>
        {[...faults].slice(0, maxFaults).map(([name, words]) => (
          <li key={name}>
            <button type="button" class={`link ${css['plain']}`} onClick={() => onPick(name)}>
              {fieldWords(name)}
            </button>
            : {words}
          </li>
        ))}
      </ul>
    </div>
  );
}
