import { z } from 'zod';
import { isPlainLine, plainLineRule } from '../plain-line.ts';

/** A timestamp: a Date in the programs, an ISO text between them. */
export const timestamp = z.codec(z.iso.datetime(), z.date(), {
  decode: (text) => new Date(text),
  encode: (date) => date.toISOString(),
});

/** The levels of an API key: manage keys too, view and modify, view and operate, or view only. */
export const keyLevels = ['UA', 'UW', 'UO', 'UR'] as const;

/** A text for people that may be empty: the name of a key. */
export const line = z.string().max(200).refine(isPlainLine, { error: plainLineRule });
/** A name of an account or Location; the name of an agent may be empty. */
export const newName = line.min(1);
/** The name or id of an existing resource. */
export const reference = z.string();
/** An API key or agent token. */
export const credential = z.string().min(1);
export const ofOneAccount = z.strictObject({
  account: reference.optional().describe('Undefined: all accounts.'),
});
