import { readFileSync } from 'node:fs';
import path from 'node:path';
import { productVersion } from '@vantage/domain';
import { type Accepted, createSettingsReader, Fault, type SettingsReader } from '@vantage/kernel';
import { Command, InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import { type Admin, type AdminOf, createAdmin } from './admin-process.ts';
import { printText, render } from './print-answer.ts';
import { runningDatabase } from './running-database.ts';
import { controllerEnvironment } from './up/part-environment.ts';

/** The program with its commands, and the output of their answers. */
export interface CommandLine {
  readonly program: Command;
  /** Adds a group of commands such as `keys`, or returns the existing one. Each of its commands accepts `--json`. */
  readonly group: (name: string, description: string) => Command;
  readonly run: (args: readonly string[]) => Promise<void>;
  readonly asJson: () => boolean;
  /**
   * Runs an operator's command on the database of the settings, and prints its answer. `asText` formats the answer for
   * people where a table does not fit.
   */
  readonly answer: <T extends object>(
    work: (admin: Admin, settings: SettingsReader['given']) => Promise<T>,
    asText?: (answer: T) => string,
  ) => Promise<void>;
}

/** The form of URL that the controller accepts. */
const databaseUrl: Accepted<string> = [
  z.string().regex(/^postgres(ql)?:\/\/./),
  'postgres://user:password@host:5432/name',
];

/** Reads the settings from the environment and the optional file. Wrong settings are in `problems`. */
export function readSettings(): SettingsReader {
  return createSettingsReader({ env: process.env, readText: (file) => readFileSync(file, 'utf8') });
}

/** The data folder and the environment for a program of the controller. Throws a Fault for wrong settings. */
export function controllerContext(): { readonly dataDir: string; readonly env: NodeJS.ProcessEnv } {
  const { given, problems } = readSettings();
  if (problems.length > 0) throw new Fault('stop', 'settings', problems.join('\n'));
  const dataDir = path.resolve(given['VANTAGE_DATA'] ?? 'data');
  return { dataDir, env: controllerEnvironment({ given, env: process.env }, dataDir) };
}

/** A program without commands. */
export function createCommandLine(adminOf: AdminOf = createAdmin): CommandLine {
  const program = new Command('vantage')
    .description(
      'Self-hosted monitoring. The controller stores devices and schedules; agents run the checks.',
    )
    .version(productVersion, '-V, --version', 'show the version')
    .option('--json', 'answer as JSON')
    .enablePositionalOptions() // `agents upgrade` has its own --version
    .helpOption('-h, --help', 'show this')
    .addHelpText(
      'after',
      '\n"vantage help settings" shows the settings. A command ends with 0 on success, 1 on failure, and 2 when arguments or settings are wrong.',
    )
    .showHelpAfterError('(--help shows what is accepted)')
    .exitOverride();
  // `--json` of a command belongs to the program, so it must not be among the command's options.
  program.hook('preAction', (_, command) => void Reflect.deleteProperty(command.opts(), 'json'));
  const groups: Command[] = [];
  const asJson = () => program.opts()['json'] === true;
  return {
    program,
    asJson,
    group(name, description) {
      const existing = groups.find((group) => group.name() === name);
      if (existing !== undefined) return existing;
      const group = program.command(name).description(description);
      groups.push(group);
      return group;
    },
    async run(args) {
      for (const command of groups.flatMap((group) => group.commands))
        command.option(...jsonOption(program, 'answer as JSON'));
      await program.parseAsync(args, { from: 'user' });
    },
    async answer(work, asText) {
      const { given, problems, read } = readSettings();
      const url = read('VANTAGE_DATABASE_URL', databaseUrl);
      if (problems.length > 0) throw new Fault('stop', 'settings', problems.join('\n'));
      const admin = adminOf(url ?? runningDatabase(given['VANTAGE_DATA'] ?? 'data'));
      const answer = await work(admin, given);
      printText(asText !== undefined && !asJson() ? asText(answer) : render(answer, asJson()));
    },
  };
}

/** `--json` of a command, which means the same as `--json` before the command. */
export function jsonOption(program: Command, description: string): [string, string, () => void] {
  return ['--json', description, () => void program.setOptionValue('json', true)];
}

const nameRule = 'A name has 1 to 200 characters.';
const isName = (text: string) => text.trim() !== '' && text.length <= 200;

/** Parses an argument that is a name, by the rules of the REST API. */
export function parseName(text: string): string {
  if (!isName(text)) throw new InvalidArgumentError(nameRule);
  return text;
}

/** Like `parseName`, for text that is not an argument. Throws a Fault. */
export function requireName(text: string): string {
  if (!isName(text)) throw new Fault('stop', 'bad_name', nameRule);
  return text;
}

/** `--account` of a command for a single account. */
export function accountOption(): Option {
  return new Option('--account <name>', 'name or id of the account').default('default');
}

/** `--account` of a list. Without it the list has all accounts. */
export function accountFilter(): Option {
  return new Option('--account <name>', 'only of this account');
}
