import { type Context, createContext, Script } from 'node:vm';

/** What came of looking for a pattern: a match (its groups as text), none, or an expression that ran away. */
export type RegexResult =
  | { readonly kind: 'match'; readonly index: number; readonly length: number }
  | { readonly kind: 'none' }
  | { readonly kind: 'runaway' };

const limitMs = 250;
let room: { readonly context: Context; readonly script: Script } | undefined;

/** Says why a text is no regular expression (JavaScript, flag `u` not set); undefined when it is one. */
export function regexProblem(pattern: string): string | undefined {
  try {
    new RegExp(pattern);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : 'no regular expression';
  }
}

/**
 * Looks for a user's pattern in a foreign text, for at most 250 ms: a pattern with nested repetition can take for ever on a text that
 * is made for it, and this loop runs every other check too. Multi-line (`m`).
 */
export function searchRegex(pattern: string, text: string): RegexResult {
  room ??= {
    context: createContext({ pattern: '', text: '' }),
    script: new Script(
      '{ const m = new RegExp(pattern, "m").exec(text); m ? [m.index, m[0].length] : undefined }',
    ),
  };
  const { context, script } = room;
  context['pattern'] = pattern;
  context['text'] = text;
  try {
    const found: unknown = script.runInContext(context, { timeout: limitMs });
    if (found === undefined) return { kind: 'none' };
    const [index, length] =
      Array.isArray(found) || isPair(found) ? [Number(found[0]), Number(found[1])] : [0, 0];
    return { kind: 'match', index, length };
  } catch {
    return { kind: 'runaway' };
  } finally {
    context['text'] = '';
  }
}

/** Arrays of another realm are no `instanceof Array` here. */
function isPair(value: unknown): value is { readonly 0: unknown; readonly 1: unknown } {
  return typeof value === 'object' && value !== null && '0' in value && '1' in value;
}
