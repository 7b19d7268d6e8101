import { newQuickJSWASMModuleFromVariant, type QuickJSWASMModule, RELEASE_SYNC } from 'quickjs-emscripten';
import { z } from 'zod';
import type { AnyProbe } from '../../contract/probe.ts';

const memoryBytes = 32 * 1024 * 1024;
/** As the agents have it: a program that nests deeper fails there too. */
const stackBytes = 64 * 1024;

/** One parser for all programs, made for the first one. Each program has its own runtime, and nothing is run. */
let parser: Promise<QuickJSWASMModule> | undefined;

/**
 * The fault in the syntax of a Script's program, with line and column; undefined for a program that can be parsed
 * and for the other methods. QuickJS parses it, as it does on the agents. The controller calls it before it stores a
 * program.
 */
export async function syntaxProblem(probe: AnyProbe, program: string): Promise<string | undefined> {
  if (probe.method !== 'Script') return undefined;
  parser ??= newQuickJSWASMModuleFromVariant(RELEASE_SYNC);
  const quickjs = await parser;
  try {
    return parse(quickjs, program);
  } catch {
    // The module aborted (its own stack or memory is gone) and must not be entered again.
    parser = undefined;
    return 'is a program that needs more memory than an agent has for its syntax; send a shorter one';
  }
}

const thrown = z.object({ message: z.string().catch(''), stack: z.string().catch('') });

function parse(quickjs: QuickJSWASMModule, program: string): string | undefined {
  const runtime = quickjs.newRuntime();
  runtime.setMemoryLimit(memoryBytes);
  runtime.setMaxStackSize(stackBytes);
  const context = runtime.newContext();
  const parsed = context.evalCode(program, 'script.js', { type: 'module', compileOnly: true });
  const error: unknown = parsed.error === undefined ? undefined : context.dump(parsed.error);
  (parsed.error ?? parsed.value).dispose();
  context.dispose();
  runtime.dispose();
  if (error === undefined) return undefined;
  const { message, stack } = thrown.parse(error);
  if (message.includes('could not load module'))
    return 'imports a module, and a script cannot import anything: it has only the functions of docs/script/vantage-script.d.ts';
  const [, line, column] = /script\.js:(\d+)(?::(\d+))?/.exec(stack) ?? [];
  const at = line === undefined ? '' : ` (line ${line}${column === undefined ? '' : `, column ${column}`})`;
  // QuickJS calls the end of the text a token without characters.
  if (message.endsWith(": ''")) return `The script ends too early${at}`;
  const place =
    line === undefined ? '' : ` in line ${line}${column === undefined ? '' : `, column ${column}`}`;
  return `has a syntax error${place}: ${message.slice(0, 200)}`;
}
