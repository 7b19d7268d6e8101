import { spawn } from 'node:child_process';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { Fault, keepFiles } from '@vantage/kernel';
import { Option } from 'commander';
import { z } from 'zod';
import { type CommandLine, jsonOption, readSettings } from '../command-line.ts';
import { print } from '../output.ts';
import { runningDatabase } from '../running-database.ts';
import { openData } from '../up/data-folder.ts';
import { controllerEnvironment } from '../up/environment.ts';
import { lockData } from '../up/lock.ts';

/** The controller's program for backups. Apps are joined by processes, never by imports. */
const programFile = path.resolve(import.meta.dirname, '../../../controller/src/admin/backup-program.ts');
const answerSchema = z.object({
  file: z.string(),
  at: z.string(),
  tables: z.int(),
  rows: z.int(),
  verified: z.boolean(),
});
const reply = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true), answer: answerSchema }),
  z.object({ ok: z.literal(false), error: z.object({ code: z.string(), message: z.string() }) }),
]);
type Answer = z.output<typeof answerSchema>;

interface Options {
  readonly verify?: boolean;
  readonly recipient?: readonly string[];
  readonly passphraseFile?: string;
  readonly identityFile?: string;
}

/** Adds `backup` and `restore`. */
export function addBackupCommands({ program, asJson }: CommandLine): void {
  program
    .command('backup <file>')
    .description('write the database and its key into a file, while everything runs')
    .option(...jsonOption(program, 'answer as JSON'))
    .option('--verify', 'restore the file into a scratch database beside it, and compare every row')
    .option('--recipient <age1...>', 'encrypt the file for this recipient of age (repeatable)', add, [])
    .addOption(passphraseFile('encrypt the file with the passphrase in this file').conflicts('recipient'))
    .addOption(identityFile())
    .action(async (file: string, options: Options) => print(await backup(file, options), asJson()));
  program
    .command('restore <file>')
    .description('restore a backup into an empty data folder or database')
    .option(...jsonOption(program, 'answer as JSON'))
    .option('--verify', 'restore it into a scratch database beside it only, and compare every row')
    .addOption(
      passphraseFile('the file was encrypted with the passphrase in this file').conflicts('identityFile'),
    )
    .addOption(identityFile())
    .action(async (file: string, options: Options) => print(await restore(file, options), asJson()));
}

const add = (recipient: string, all: readonly string[]) => [...all, recipient];
const passphraseFile = (about: string) => new Option('--passphrase-file <file>', about);
const identityFile = () =>
  new Option('--identity-file <file>', 'file of age with the identity that decrypts the backup');

function backup(file: string, options: Options): Promise<Answer> {
  const { env, dataDir } = surroundings();
  const url = env['VANTAGE_DATABASE_URL'] ?? runningDatabase(dataDir);
  return run('backup', file, options, { ...env, VANTAGE_DATABASE_URL: url });
}

/** Holds the data folder meanwhile, so that nothing starts on it. */
async function restore(file: string, options: Options): Promise<Answer> {
  const { env, dataDir } = surroundings();
  if (options.verify) return run('restore', file, options, env);
  const say = (line: string) => console.error(`vantage: ${line}`);
  const lock = await lockData(openData(dataDir), say, keepFiles(say));
  try {
    return await run('restore', file, options, env);
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

async function run(
  command: 'backup' | 'restore',
  file: string,
  { verify = false, recipient: recipients = [], ...files }: Options,
  env: NodeJS.ProcessEnv,
): Promise<Answer> {
  const call = JSON.stringify({ command, file, verify, recipients, ...files });
  const child = spawn(process.execPath, [programFile, call], {
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
