import { type Command, Option } from 'commander';
import { type CommandLine, jsonOption } from '../command-line.ts';
import type { GivenAccess } from '../remote/access.ts';
import { addAccessOptions } from './access-options.ts';

/** The options that `apply`, `diff` and `plan` share, as commander gives them. */
interface CodeOptions extends GivenAccess {
  readonly file?: string;
  readonly prune?: 'delete' | 'pause' | 'forget';
  readonly adopt?: boolean;
  readonly sendSecrets?: boolean;
  readonly output?: string;
  readonly yes?: boolean;
}

const accessHelp =
  '\nThe controller: --server and --key, else VANTAGE_SERVER and VANTAGE_KEY, else the profile, else the system of the data folder here.';

/** Adds `apply`, `diff`, `plan` and `export`: what an account has, as files. */
export function addCodeCommands({ program, asJson }: CommandLine): void {
  const command = (name: string, about: string): Command =>
    addAccessOptions(program.command(name).description(about))
      .option(...jsonOption(program, 'answer as JSON'))
      .addHelpText('after', `${accessHelp}\ndocs/as-code.md has the form of the files.`);
  const requestOf = async ({ file = '-', prune, adopt, sendSecrets, ...given }: CodeOptions) => {
    const { findAccess } = await import('../remote/access.ts');
    return {
      access: findAccess(given, process.env),
      file,
      prune,
      isAdopting: adopt === true,
      isSendingSecrets: sendSecrets === true,
      asJson: asJson(),
    };
  };

  addFileOptions(command('diff', 'show what apply would change; ends with 3 where something differs')).action(
    async (options: CodeOptions) => {
      const { runDiff } = await import('../code/run-code.ts');
      if (!(await runDiff(await requestOf(options)))) process.exitCode = 3;
    },
  );
  addFileOptions(command('plan', 'write the changes into a plan that apply carries out later'))
    .requiredOption('-o, --output <file>', 'the plan')
    .action(async ({ output = '', ...options }: CodeOptions) => {
      const { runPlan } = await import('../code/run-code.ts');
      await runPlan(await requestOf(options), output);
    });
  addFileOptions(
    command('apply', 'change the account to what a file says').argument('[plan]', 'a plan of vantage plan'),
    false,
  )
    .option('-y, --yes', 'without a question')
    .action(async (plan: string | undefined, options: CodeOptions) => {
      const { runApply, runKeptPlan } = await import('../code/run-code.ts');
      const isYes = options.yes === true;
      if (plan === undefined && options.file === undefined)
        program.error('error: give a file with -f, or a plan (vantage apply --help)', { exitCode: 2 });
      const request = await requestOf(options);
      const isDone =
        plan === undefined
          ? await runApply({ ...request, isYes })
          : await runKeptPlan(request.access, plan, { isYes, asJson: asJson() });
      if (!isDone) process.exitCode = 1;
    });
  command('export', 'write what the account has as a file of apply, or for another tool')
    .option('--source <name>', 'only what this source manages')
    .addOption(
      new Option('--format <format>', 'the form of the file')
        .choices(['yaml', 'csv', 'gatus', 'prometheus-file-sd'])
        .default('yaml'),
    )
    .option('-o, --output <file>', 'where it goes (default: standard output)')
    .action(async ({ source, format, output, ...given }: GivenAccess & ExportOptions) => {
      const { runExport } = await import('../code/run-export.ts');
      const { findAccess } = await import('../remote/access.ts');
      await runExport({ access: findAccess(given, process.env), source, form: format, output });
    });
}

/** The options of `export` as commander gives them. */
interface ExportOptions {
  readonly source?: string;
  readonly format: 'yaml' | 'csv' | 'gatus' | 'prometheus-file-sd';
  readonly output?: string;
}

function addFileOptions(command: Command, isRequired = true): Command {
  const [flags, about] = ['-f, --file <path>', 'a file, a folder of files, or - for standard input'] as const;
  return (isRequired ? command.requiredOption(flags, about) : command.option(flags, about))
    .addOption(
      new Option(
        '--prune <how>',
        'what becomes of things of this source that left the file (default: nothing)',
      ).choices(['delete', 'pause', 'forget']),
    )
    .option('--adopt', 'take over things without a Key that are the same: give them the Key of the file')
    .option('--send-secrets', 'send the Secrets of contacts again, which nobody can compare');
}
