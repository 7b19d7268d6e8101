import { createCalls } from './calls.ts';
import { createFailures } from './failures.ts';
import { createLocalFunctions } from './local-functions.ts';
import { takeNatives } from './natives.ts';
import { prelude } from './prelude.ts';

/**
 * The source text of an expression whose value is `prelude`, for the JavaScript inside the sandbox. It consists of the
 * source texts of these functions, so they use only their arguments, the language and each other. The messages are
 * encoded outside, where a script's changes to prototypes have no effect. The functions read and write no inherited
 * property.
 */
export function preludeSource(): string {
  const functions = [takeNatives, createFailures, createCalls, createLocalFunctions, prelude];
  // A bundler may rename the functions, consistently in all their texts.
  return `(() => {\n${functions.map(String).join('\n')}\nreturn ${prelude.name};\n})()`;
}
