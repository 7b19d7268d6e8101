import { spawn } from 'node:child_process';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { Fault } from '@vantage/kernel';
import { z } from 'zod';

const success = z.object({ ok: z.literal(true), answer: z.unknown() });
const failure = z.object({
  ok: z.literal(false),
  error: z.object({ code: z.string(), message: z.string() }),
});

/**
 * Runs a program of the controller's folder `admin` in a process, because apps never import each other. The call goes
 * to its standard input, because every user of the machine can read a command line. Throws a Fault with the code and
 * message of a failure.
 */
export async function runProgram<T extends z.ZodType>(
  name: 'backup' | 'copy',
  call: object,
  env: NodeJS.ProcessEnv,
  answer: T,
): Promise<z.output<T>> {
  const file = path.resolve(import.meta.dirname, `../../controller/src/admin/${name}-program.ts`);
  const child = spawn(process.execPath, [file], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, killedBy) => resolve(killedBy ?? `code ${code}`));
  });
  child.stdin.on('error', () => {}); // reported below by the missing answer
  child.stdin.end(JSON.stringify(call));
  const [out, ending] = await Promise.all([text(child.stdout), ended]);
  const reply = out === '' ? undefined : JSON.parse(out);
  const failed = failure.safeParse(reply);
  if (failed.success) throw new Fault('stop', failed.data.error.code, failed.data.error.message);
  const done = success.safeParse(reply);
  if (!done.success)
    throw new Fault('stop', 'failed', `the controller's ${name} program ended without an answer (${ending})`);
  return answer.parse(done.data.answer);
}
