import { readFileSync } from 'node:fs';
import path from 'node:path';
import { productVersion } from '@vantage/domain';
import { type Accepted, createSettingsReader, Fault, type SettingsReader } from '@vantage/kernel';
import { Command, InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import { type Admin, type AdminOf, createAdmin } from './admin.ts';
import { printText, render } from './output.ts';
import { runningDatabase } from './running-database.ts';
import { controllerEnvironment } from './up/environment.ts';

/** Context of all commands: the program to which they belong, and how they answer. */
export interface CommandLine {
  readonly program: Command;
  /** Adds a group of commands, `keys`, or finds the one of this name. Each of its commands takes `--json`. */
  readonly group: (name: string, description: string) => Command;
  /** Parses the arguments and runs the command. */
  readonly run: (args: readonly string[]) => Promise<void>;
  /** Whether the answer is to be JSON. */
  readonly asJson: () => boolean;
  /**
   * Runs an operator's command on the database that the settings name, and prints its answer; `asText` gives the text
   * for people, where rows do not do.
   */
  readonly answer: <T extends object>(
    work: (admin: Admin, settings: SettingsReader['given']) => Promise<T>,
    asText?: (answer: T) => string,
  ) => Promise<void>;
}

/** A database by its URL, as the controller takes it. */
const databaseUrl: Accepted<string> = [
  z.string().regex(/^postgres(ql)?:\/\/./),
  'postgres://user:password@host:5432/name',
];

/** Reads the settings from the environment and the optional file; `problems` names those that are wrong. */
export function readSettings(): SettingsReader {
  return createSettingsReader({ env: process.env, readText: (file) => readFileSync(file, 'utf8') });
}

/**
 * The data folder, and the environment in which a program of the controller runs. Throws a Fault for wrong settings.
 */
export function controllerSurroundings(): { readonly dataDir: string; readonly env: NodeJS.ProcessEnv } {
  const { given, problems } = readSettings();
  if (problems.length > 0) throw new Fault('stop', 'settings', problems.join('\n'));
  const dataDir = path.resolve(given['VANTAGE_DATA'] ?? 'data');
  return { dataDir, env: controllerEnvironment({ given, env: process.env }, dataDir) };
}

/** Creates the program without its commands. */
export function createCommandLine(adminOf: AdminOf = createAdmin): CommandLine {
  const program = new Command('vantage')
    .description(
      'Self-hosted monitoring. The controller stores devices and schedules; agents run the checks.',
    )
    .version(productVersion, '-V, --version', 'show the version')
    .option('--json', 'answer as JSON')
    .enablePositionalOptions() // `agents upgrade` has a --version of its own
    .helpOption('-h, --help', 'show this')
    .addHelpText(
      'after',
      '\n"vantage help settings" shows the settings. A command ends with 0 when it is done, 1 when it failed, 2 when arguments or settings are wrong.',
    )
    .showHelpAfterError('(--help shows what is accepted)')
    .exitOverride();
  // `--json` of a command is the program's, and no option of the command.
  program.hook('preAction', (_, command) => void Reflect.deleteProperty(command.opts(), 'json'));
  const groups: Command[] = [];
  const asJson = () => program.opts()['json'] === true;
  return {
    program,
    asJson,
    group(name, description) {
      const there = groups.find((each) => each.name() === name);
      if (there !== undefined) return there;
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

/** `--json` of a command: the same as `--json` before the command. `about` describes it. */
export function jsonOption(program: Command, about: string): [string, string, () => void] {
  return ['--json', about, () => void program.setOptionValue('json', true)];
}

const nameRule = 'A name has 1 to 200 characters.';
const isName = (text: string) => text.trim() !== '' && text.length <= 200;

/** Parses an argument that is a name as the REST API takes it. */
export function parseName(text: string): string {
  if (!isName(text)) throw new InvalidArgumentError(nameRule);
  return text;
}

/** Throws a Fault where a name that was not parsed as an argument is none. */
export function requireName(text: string): string {
  if (!isName(text)) throw new Fault('stop', 'bad_name', nameRule);
  return text;
}

/** `--account`, of a command on one account. */
export function accountOption(): Option {
  return new Option('--account <name>', 'name or id of the account').default('default');
}

/** `--account`, of a list that otherwise holds all accounts. */
export function accountFilter(): Option {
  return new Option('--account <name>', 'only of this account');
}
