import { readFileSync, writeFileSync } from 'node:fs';
import { type Json, mebibyte } from '@vantage/domain';
import { Fault, messageOf, parseJson } from '@vantage/kernel';
import { z } from 'zod';
import type { BoundStep } from './carry-out.ts';
import { kindNames } from './kinds.ts';

const longest = 256 * mebibyte;
const json: z.ZodType<Json> = z.json();
const step = z.strictObject({
  verb: z.enum(['create', 'change', 'delete', 'pause', 'forget']),
  kind: z.enum(kindNames),
  key: z.string(),
  name: z.string(),
  id: z.string().optional(),
  body: z.record(z.string(), json),
  fields: z.array(z.strictObject({ field: z.string(), old: json, new: json })),
  etag: z.string().optional(),
  at: z.string(),
});
const planFile = z.strictObject({
  vantage_plan: z.literal(1),
  server: z.string(),
  unchanged: z.int(),
  steps: z.array(step),
});

/** A plan that was kept for later. */
export interface KeptPlan {
  /** The controller for which it was made. */
  readonly server: string;
  readonly unchanged: number;
  readonly steps: readonly BoundStep[];
}

/** Writes a plan; its owner alone can read it, because it may hold secrets of contacts. */
export function writePlan(file: string, { server, unchanged, steps }: KeptPlan): void {
  const kept = {
    vantage_plan: 1,
    server,
    unchanged,
    steps: steps.map(({ at, ...each }) => ({ ...each, at: at() })),
  };
  try {
    writeFileSync(file, `${JSON.stringify(kept, null, 1)}\n`, { mode: 0o600 });
  } catch (error) {
    throw new Fault('stop', 'unwritable', `${file} cannot be written: ${messageOf(error)}`);
  }
}

/** Reads a plan. Throws a Fault for a file that is none. */
export function readPlan(file: string): KeptPlan {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new Fault('stop', 'unreadable', `${file} cannot be read: ${messageOf(error)}`);
  }
  const none = new Fault(
    'stop',
    'unreadable',
    `${file} is no plan; vantage plan -f FILE -o PLAN makes one, and vantage apply -f FILE applies a file`,
  );
  if (text.length > longest) throw none;
  const { data } = planFile.safeParse(parseJson(text));
  if (data === undefined) throw none;
  const { server, unchanged } = data;
  const steps = data.steps.map(
    ({ id, etag, at, ...each }): BoundStep => ({ ...each, id, etag, at: () => at }),
  );
  return { server, unchanged, steps };
}
