import { newQuickJSWASMModuleFromVariant, type QuickJSWASMModule, RELEASE_SYNC } from 'quickjs-emscripten';
import { z } from 'zod';
import type { AnyProbe } from '../../contract/probe.ts';

const memoryBytes = 32 * 1024 * 1024;
/** The same as in the agents, where a program that nests deeper also fails. */
const stackBytes = 64 * 1024;

/** One parser for all programs, created for the first one. Each program has a separate runtime. Nothing is run. */
let parser: Promise<QuickJSWASMModule> | undefined;

/**
 * The fault in the syntax of a Script's program, with line and column; undefined for a correct program and for the
 * other Methods. QuickJS parses it, as on the agents. The controller calls this before it stores a program.
 */
export async function syntaxProblem(probe: AnyProbe, program: string): Promise<string | undefined> {
  if (probe.method !== 'Script') return undefined;
  parser ??= newQuickJSWASMModuleFromVariant(RELEASE_SYNC);
  const quickjs = await parser;
  try {
    return parse(quickjs, program);
  } catch {
    // The module has aborted, without stack or memory, and must not be entered again.
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
  // For QuickJS, the end of the text is an empty token.
  if (message.endsWith(": ''")) return `The script ends too early${at}`;
  const position =
    line === undefined ? '' : ` in line ${line}${column === undefined ? '' : `, column ${column}`}`;
  return `has a syntax error${position}: ${message.slice(0, 200)}`;
}
