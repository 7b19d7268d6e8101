import type { Json } from '@vantage/domain';
import { nearestName } from '@vantage/kernel';
import type { FileProblem } from './managed-kinds.ts';

/** Reports fields that are not known, with a likely name. `renamed` has the right name for some wrong ones. */
export function rejectUnknown(
  fields: { readonly [key: string]: Json },
  known: readonly string[],
  at: (name: string) => string,
  problems: FileProblem[],
  renamed: Readonly<Record<string, string>> = {},
): void {
  for (const name of Object.keys(fields)) {
    if (known.includes(name)) continue;
    const likely = renamed[name] ?? nearestName(name, known);
    const hint = likely === undefined ? `accepted are ${known.join(', ')}` : `did you mean ${likely}?`;
    problems.push({ at: at(name), text: `${JSON.stringify(name.slice(0, 60))} is not known; ${hint}` });
  }
}
