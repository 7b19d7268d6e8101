import { type Command, Option } from 'commander';
import { type CommandLine, jsonOption } from '../command-line.ts';
import type { AccessOptions } from '../remote/find-access.ts';
import { addAccessOptions } from './access-options.ts';

/** The common options of `apply`, `diff` and `plan`. */
interface CodeOptions extends AccessOptions {
  readonly file?: string;
  readonly prune?: 'delete' | 'pause' | 'forget';
  readonly adopt?: boolean;
  readonly sendSecrets?: boolean;
  readonly output?: string;
  readonly yes?: boolean;
}

const accessHelp =
  '\nThe controller: --server and --key, else VANTAGE_SERVER and VANTAGE_KEY, else the profile, else the system of the data folder here.';

/** `apply`, `diff`, `plan` and `export`: the resources of an account as files. */
export function addCodeCommands({ program, asJson }: CommandLine): void {
  const command = (name: string, description: string): Command =>
    addAccessOptions(program.command(name).description(description))
      .option(...jsonOption(program, 'answer as JSON'))
      .addHelpText('after', `${accessHelp}\ndocs/as-code.md has the form of the files.`);
  const requestOf = async ({ file = '-', prune, adopt, sendSecrets, ...accessOptions }: CodeOptions) => {
    const { findAccess } = await import('../remote/find-access.ts');
    return {
      access: findAccess(accessOptions, process.env),
      file,
      prune,
      isAdopting: adopt === true,
      isSendingSecrets: sendSecrets === true,
      asJson: asJson(),
    };
  };

  addFileOptions(
    command('diff', 'show the changes that apply would make; ends with 3 where something differs'),
  ).action(async (options: CodeOptions) => {
    const { runDiff } = await import('../code/run-code.ts');
    if (!(await runDiff(await requestOf(options)))) process.exitCode = 3;
  });
  addFileOptions(command('plan', 'write the changes into a plan that apply carries out later'))
    .requiredOption('-o, --output <file>', 'the plan')
    .action(async ({ output = '', ...options }: CodeOptions) => {
      const { runPlan } = await import('../code/run-code.ts');
      await runPlan(await requestOf(options), output);
    });
  addFileOptions(
    command('apply', 'change the account to match a file').argument('[plan]', 'a plan of vantage plan'),
    false,
  )
    .option('-y, --yes', 'apply without asking')
    .action(async (plan: string | undefined, options: CodeOptions) => {
      const { runApply, runSavedPlan } = await import('../code/run-code.ts');
      const isYes = options.yes === true;
      if (plan === undefined && options.file === undefined)
        program.error('error: give a file with -f, or a plan (vantage apply --help)', { exitCode: 2 });
      const request = await requestOf(options);
      const isDone =
        plan === undefined
          ? await runApply({ ...request, isYes })
          : await runSavedPlan(request.access, plan, { isYes, asJson: asJson() });
      if (!isDone) process.exitCode = 1;
    });
  command('export', 'write the resources of the account as a file of apply, or for another tool')
    .option('--source <name>', 'only the resources of this source')
    .addOption(
      new Option('--format <format>', 'the form of the file')
        .choices(['yaml', 'csv', 'gatus', 'prometheus-file-sd'])
        .default('yaml'),
    )
    .option('-o, --output <file>', 'the file to write (default: standard output)')
    .action(async ({ source, format, output, ...accessOptions }: AccessOptions & ExportOptions) => {
      const { runExport } = await import('../code/run-export.ts');
      const { findAccess } = await import('../remote/find-access.ts');
      await runExport({ access: findAccess(accessOptions, process.env), source, form: format, output });
    });
}

interface ExportOptions {
  readonly source?: string;
  readonly format: 'yaml' | 'csv' | 'gatus' | 'prometheus-file-sd';
  readonly output?: string;
}

function addFileOptions(command: Command, isRequired = true): Command {
  const [flags, description] = [
    '-f, --file <path>',
    'a file, a folder of files, or - for standard input',
  ] as const;
  return (isRequired ? command.requiredOption(flags, description) : command.option(flags, description))
    .addOption(
      new Option(
        '--prune <how>',
        'treatment of resources of this source that left the file (default: none)',
      ).choices(['delete', 'pause', 'forget']),
    )
    .option('--adopt', 'adopt resources without a Key that are the same: give them the Key of the file')
    .option('--send-secrets', 'send the Secrets of contacts again, which cannot be compared');
}
