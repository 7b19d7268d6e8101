import { keepFiles } from '@vantage/kernel';
import { Option } from 'commander';
import { z } from 'zod';
import { type CommandLine, controllerContext, jsonOption } from '../command-line.ts';
import { print } from '../print-answer.ts';
import { runProgram } from '../run-program.ts';
import { runningDatabase } from '../running-database.ts';
import { openData } from '../up/data-folder.ts';
import { lockData } from '../up/data-lock.ts';

const answerSchema = z.object({
  file: z.string(),
  at: z.string(),
  tables: z.int(),
  rows: z.int(),
  verified: z.boolean(),
});
type BackupAnswer = z.output<typeof answerSchema>;

interface BackupOptions {
  readonly verify?: boolean;
  readonly recipient?: readonly string[];
  readonly passphraseFile?: string;
  readonly identityFile?: string;
}

export function addBackupCommands({ program, asJson }: CommandLine): void {
  program
    .command('backup <file>')
    .description('write the database and its key into a file, while everything runs')
    .option(...jsonOption(program, 'answer as JSON'))
    .option('--verify', 'restore the file into a scratch database as well, and compare every row')
    .option('--recipient <age1...>', 'encrypt the file for this recipient of age (repeatable)', add, [])
    .addOption(passphraseFile('encrypt the file with the passphrase in this file').conflicts('recipient'))
    .addOption(identityFile())
    .action(async (file: string, options: BackupOptions) => print(await backup(file, options), asJson()));
  program
    .command('restore <file>')
    .description('restore a backup into an empty data folder or database')
    .option(...jsonOption(program, 'answer as JSON'))
    .option('--verify', 'restore it only into a scratch database, and compare every row')
    .addOption(
      passphraseFile('the file was encrypted with the passphrase in this file').conflicts('identityFile'),
    )
    .addOption(identityFile())
    .action(async (file: string, options: BackupOptions) => print(await restore(file, options), asJson()));
}

const add = (recipient: string, recipients: readonly string[]) => [...recipients, recipient];
const passphraseFile = (description: string) => new Option('--passphrase-file <file>', description);
const identityFile = () =>
  new Option('--identity-file <file>', 'file of age with the identity that decrypts the backup');

function backup(file: string, options: BackupOptions): Promise<BackupAnswer> {
  const { env, dataDir } = controllerContext();
  const url = env['VANTAGE_DATABASE_URL'] ?? runningDatabase(dataDir);
  return run('backup', file, options, { ...env, VANTAGE_DATABASE_URL: url });
}

/** Locks the data folder, so that nothing starts on it meanwhile. */
async function restore(file: string, options: BackupOptions): Promise<BackupAnswer> {
  const { env, dataDir } = controllerContext();
  if (options.verify) return run('restore', file, options, env);
  const say = (line: string) => console.error(`vantage: ${line}`);
  const lock = await lockData(openData(dataDir), say, keepFiles(say));
  try {
    return await run('restore', file, options, env);
  } finally {
    lock.release();
  }
}

async function run(
  command: 'backup' | 'restore',
  file: string,
  { verify = false, recipient: recipients = [], ...files }: BackupOptions,
  env: NodeJS.ProcessEnv,
): Promise<BackupAnswer> {
  return runProgram('backup', { command, file, verify, recipients, ...files }, env, answerSchema);
}
