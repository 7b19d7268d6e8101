import type { Json } from '@vantage/domain';
import type { ApplyPlan, PlanStep } from './apply-plan.ts';
import { kinds } from './managed-kinds.ts';

const signs = { create: '+', change: '~', delete: '-', pause: '‖', forget: '·' } as const;
const pastVerbs = {
  create: 'created',
  change: 'changed',
  delete: 'deleted',
  pause: 'paused',
  forget: 'no longer managed',
} as const;
const maxTextLength = 100;
/** The steps of a kind and verb that are listed. */
const maxListed = 200;

/** The plan for people: a line for each step, the fields of each change below it, and the counts. */
export function planText(plan: ApplyPlan): string {
  const groups = Map.groupBy(plan.steps, ({ verb, kind }) => `${verb} ${kind}`);
  const lines = [...groups.values()].flatMap((steps) => [
    ...steps.slice(0, maxListed).flatMap(stepLines),
    ...(steps.length > maxListed ? [`  … and ${steps.length - maxListed} more`] : []),
  ]);
  for (const { kind, key, name } of plan.gone)
    lines.push(`? ${kinds[kind].what} ${key ?? ''} ${quoted(name)}: no longer in the file, not changed`);
  return [...lines, countLine(plan)].join('\n');
}

/** `2 created, 1 changed, 147 unchanged.` */
function countLine({ steps, unchanged, gone }: ApplyPlan): string {
  const counts = Object.entries(pastVerbs).flatMap(([verb, pastVerb]) => {
    const count = steps.filter((step) => step.verb === verb).length;
    return count === 0 ? [] : [`${count} ${pastVerb}`];
  });
  const left = gone.length === 0 ? [] : [`${gone.length} left the file (--prune deletes or pauses them)`];
  return `${[...counts, `${unchanged} unchanged`, ...left].join(', ')}.`;
}

function stepLines({ verb, kind, key, name, fields }: PlanStep): readonly string[] {
  const head = `${signs[verb]} ${kinds[kind].what} ${key} ${quoted(name)}`;
  if (verb !== 'change') return [head];
  return [
    head,
    ...fields.map(({ field, old, new: next }) => `    ${field}: ${shortened(old)} → ${shortened(next)}`),
  ];
}

function quoted(name: string): string {
  return JSON.stringify(name.slice(0, maxTextLength));
}

function shortened(value: Json): string {
  const text = JSON.stringify(value);
  return text.length <= maxTextLength ? text : `${text.slice(0, maxTextLength)}…`;
}

/** The plan for programs. */
export function planData({ steps, unchanged, gone }: ApplyPlan) {
  return {
    Steps: steps.map(({ verb, kind, key, name, id, fields }) => ({
      Verb: verb,
      Kind: kind,
      Key: key,
      Name: name,
      Id: id ?? null,
      Fields: fields.map(({ field, old, new: next }) => ({ Field: field, Old: old, New: next })),
    })),
    Unchanged: unchanged,
    Gone: gone.map(({ kind, id, key, name }) => ({ Kind: kind, Key: key, Name: name, Id: id })),
  };
}
