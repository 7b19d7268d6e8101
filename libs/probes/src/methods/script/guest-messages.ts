import type { Json } from '@vantage/domain';
import { parseJson } from '@vantage/kernel';
import { z } from 'zod';

/**
 * The messages of a guest. A script sends them only through its functions (`sent-line.ts`), but the agent trusts none
 * of them, because a script may have taken over its process.
 */
const message = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('ready') }),
  z.strictObject({
    kind: z.literal('call'),
    id: z.int().min(1),
    name: z.string().max(20),
    line: z.int().min(1).optional(),
    options: z.record(z.string(), z.json()).catch({}),
  }),
  z.strictObject({
    kind: z.literal('step'),
    id: z.int().min(1),
    name: z.string(),
    state: z.enum(['section', 'open', 'ok', 'failed']),
  }),
  z.strictObject({ kind: z.literal('log'), text: z.string() }),
  z.strictObject({ kind: z.literal('expect'), text: z.string() }),
  z.strictObject({ kind: z.literal('value'), label: z.string(), value: z.number(), unit: z.string() }),
  z.strictObject({
    kind: z.literal('end'),
    how: z.enum(['done', 'expect', 'check', 'error', 'memory', 'late']),
    text: z.string(),
    code: z.int().optional(),
    line: z.int().min(1).optional(),
    facts: z.json().optional(),
  }),
]);

export type GuestMessage = z.output<typeof message>;

/** The call of a function by a script. */
export type GuestCall = Extract<GuestMessage, { kind: 'call' }>;

/** The last message of a guest: its script has ended. */
export type GuestEnd = Extract<GuestMessage, { kind: 'end' }>;

/** Reads a guest's line; undefined if it is no message. */
export function readMessage(line: string): GuestMessage | undefined {
  return message.safeParse(parseJson(line)).data;
}

/** The first message to a guest. */
export interface GuestStart {
  readonly script: string;
  /** The values that `secret()` returns, by name. */
  readonly secrets: Readonly<Record<string, string>>;
  /** The functions for checks, with the parameter that names the target (`host`). */
  readonly functions: Readonly<Record<string, string>>;
}

export function beginLine(start: GuestStart): string {
  return JSON.stringify(start);
}

/** The answer to a call that succeeded. */
export function valueLine(id: number, value: Json): string {
  return JSON.stringify({ id, value });
}

/** The answer to a call that failed. The script gets a CheckError with this text, code and facts. */
export function errorLine(id: number, error: { code: number; text: string; facts: Json }): string {
  return JSON.stringify({ id, error: { how: 'check', ...error } });
}
