import { spawn } from 'node:child_process';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { Fault, keepFiles } from '@vantage/kernel';
import { z } from 'zod';
import { type CommandLine, readSettings } from '../command-line.ts';
import { render } from '../output.ts';
import { runningDatabase } from '../running-database.ts';
import { openData } from '../up/data-folder.ts';
import { controllerEnvironment } from '../up/environment.ts';
import { lockData } from '../up/lock.ts';

/** The controller's program for backups. Apps are joined by processes, never by imports. */
const programFile = path.resolve(import.meta.dirname, '../../../controller/src/admin/backup-program.ts');
const answerSchema = z.object({ file: z.string(), at: z.string(), tables: z.int(), rows: z.int() });
const reply = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true), answer: answerSchema }),
  z.object({ ok: z.literal(false), error: z.object({ code: z.string(), message: z.string() }) }),
]);
type Answer = z.output<typeof answerSchema>;

/** Adds `backup` and `restore`. */
export function addBackupCommands({ program, asJson }: CommandLine): void {
  program
    .command('backup <file>')
    .description('write the database and its key into a file, while everything runs')
    .action(async (file: string) => console.log(render(await backup(file), asJson())));
  program
    .command('restore <file>')
    .description('restore a backup into an empty data folder or database')
    .action(async (file: string) => console.log(render(await restore(file), asJson())));
}

function backup(file: string): Promise<Answer> {
  const { env, dataDir } = surroundings();
  const url = env['VANTAGE_DATABASE_URL'] ?? runningDatabase(dataDir);
  return run(['backup', file], { ...env, VANTAGE_DATABASE_URL: url });
}

/** Holds the data folder meanwhile, so that nothing starts on it. */
async function restore(file: string): Promise<Answer> {
  const { env, dataDir } = surroundings();
  const say = (line: string) => console.error(`vantage: ${line}`);
  const lock = await lockData(openData(dataDir), say, keepFiles(say));
  try {
    return await run(['restore', file], env);
  } finally {
    lock.release();
  }
}

function surroundings() {
  const { given, problems } = readSettings();
  if (problems.length > 0) throw new Fault('stop', 'settings', problems.join('\n'));
  const dataDir = path.resolve(given['VANTAGE_DATA'] ?? 'data');
  return { dataDir, env: controllerEnvironment({ given, env: process.env }, dataDir) };
}

async function run(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Answer> {
  const child = spawn(process.execPath, [programFile, ...args], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, killedBy) => resolve(killedBy ?? `code ${code}`));
  });
  const [out, how] = await Promise.all([text(child.stdout), ended]);
  const parsed = reply.safeParse(out === '' ? undefined : JSON.parse(out));
  if (!parsed.success)
    throw new Fault('stop', 'failed', `the controller's backup program ended without an answer (${how})`);
  if (!parsed.data.ok) throw new Fault('stop', parsed.data.error.code, parsed.data.error.message);
  return parsed.data.answer;
}
