import { readFileSync, writeFileSync } from 'node:fs';
import { type Json, mebibyte } from '@vantage/domain';
import { Fault, messageOf, parseJson } from '@vantage/kernel';
import { z } from 'zod';
import type { BoundStep } from './apply-steps.ts';
import { kindNames } from './managed-kinds.ts';

const maxLength = 256 * mebibyte;
const json: z.ZodType<Json> = z.json();
const stepSchema = z.strictObject({
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
const planSchema = z.strictObject({
  vantage_plan: z.literal(1),
  server: z.string(),
  unchanged: z.int(),
  steps: z.array(stepSchema),
});

/** A plan in a file, for a later `apply`. */
export interface SavedPlan {
  /** The controller that it is for. */
  readonly server: string;
  readonly unchanged: number;
  readonly steps: readonly BoundStep[];
}

/** Only the owner of the file can read it, because a plan may contain secrets of contacts. */
export function writePlan(file: string, { server, unchanged, steps }: SavedPlan): void {
  const content = {
    vantage_plan: 1,
    server,
    unchanged,
    steps: steps.map(({ at, ...step }) => ({ ...step, at: at() })),
  };
  try {
    writeFileSync(file, `${JSON.stringify(content, null, 1)}\n`, { mode: 0o600 });
  } catch (error) {
    throw new Fault('stop', 'unwritable', `${file} cannot be written: ${messageOf(error)}`);
  }
}

/** Throws a Fault where the file is not a plan. */
export function readPlan(file: string): SavedPlan {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new Fault('stop', 'unreadable', `${file} cannot be read: ${messageOf(error)}`);
  }
  const notAPlan = new Fault(
    'stop',
    'unreadable',
    `${file} is not a plan; vantage plan -f FILE -o PLAN writes one, and vantage apply -f FILE applies a file`,
  );
  if (text.length > maxLength) throw notAPlan;
  const { data } = planSchema.safeParse(parseJson(text));
  if (data === undefined) throw notAPlan;
  const { server, unchanged } = data;
  const steps = data.steps.map(
    ({ id, etag, at, ...rest }): BoundStep => ({ ...rest, id, etag, at: () => at }),
  );
  return { server, unchanged, steps };
}
