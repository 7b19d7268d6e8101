import { createCalls } from './calls.ts';
import { createFailures } from './failures.ts';
import { takeNatives } from './natives.ts';
import { createOwnFunctions } from './own-functions.ts';
import { prelude } from './prelude.ts';

/**
 * The source text of an expression whose value is `prelude`, for the JavaScript inside the sandbox. It consists of
 * these functions' own source texts, so each of them uses nothing but its arguments, the language and the other ones.
 * The messages themselves are made outside, where a script's changes to prototypes have no effect. Nothing that the
 * functions read or write is inherited.
 */
export function preludeSource(): string {
  const functions = [takeNatives, createFailures, createCalls, createOwnFunctions, prelude];
  // A bundle may give the functions other names, all alike in their texts.
  return `(() => {\n${functions.map(String).join('\n')}\nreturn ${prelude.name};\n})()`;
}
