import type { Json } from '@vantage/domain';
import { kinds } from './kinds.ts';
import type { Plan, Step } from './plan.ts';

const signs = { create: '+', change: '~', delete: '-', pause: '‖', forget: '·' } as const;
const words = {
  create: 'created',
  change: 'changed',
  delete: 'deleted',
  pause: 'paused',
  forget: 'managed by nobody',
} as const;
const longest = 100;
/** Of one kind and verb, so many are named. */
const named = 200;

/** The plan for people: a line for each step, the fields of each change below it, and the counts. */
export function planText(plan: Plan): string {
  const groups = Map.groupBy(plan.steps, ({ verb, kind }) => `${verb} ${kind}`);
  const lines = [...groups.values()].flatMap((steps) => [
    ...steps.slice(0, named).flatMap(stepLines),
    ...(steps.length > named ? [`  … and ${steps.length - named} more`] : []),
  ]);
  for (const { kind, key, name } of plan.gone)
    lines.push(`? ${kinds[kind].what} ${key ?? ''} ${quoted(name)}: not in the file any more, left alone`);
  return [...lines, countLine(plan)].join('\n');
}

/** The counts: `2 created, 1 changed, 147 unchanged.` */
function countLine({ steps, unchanged, gone }: Plan): string {
  const counts = Object.entries(words).flatMap(([verb, word]) => {
    const count = steps.filter((step) => step.verb === verb).length;
    return count === 0 ? [] : [`${count} ${word}`];
  });
  const left = gone.length === 0 ? [] : [`${gone.length} left the file (--prune says what becomes of them)`];
  return `${[...counts, `${unchanged} unchanged`, ...left].join(', ')}.`;
}

function stepLines({ verb, kind, key, name, fields }: Step): readonly string[] {
  const head = `${signs[verb]} ${kinds[kind].what} ${key} ${quoted(name)}`;
  if (verb !== 'change') return [head];
  return [head, ...fields.map(({ field, old, new: next }) => `    ${field}: ${short(old)} → ${short(next)}`)];
}

function quoted(name: string): string {
  return JSON.stringify(name.slice(0, longest));
}

function short(value: Json): string {
  const text = JSON.stringify(value);
  return text.length <= longest ? text : `${text.slice(0, longest)}…`;
}

/** The plan for programs. */
export function planData({ steps, unchanged, gone }: Plan) {
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
