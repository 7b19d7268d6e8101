import { formatNames, isFormatName, isStatusFormat, statusFormats } from '@vantage/imports/formats';
import { Argument } from 'commander';
import { type CommandLine, jsonOption } from '../command-line.ts';
import type { AccessOptions } from '../remote/find-access.ts';
import { addAccessOptions } from './access-options.ts';

interface ImportOptions {
  readonly output?: string;
  readonly source?: string;
  readonly strict?: boolean;
  readonly modules?: string;
  readonly module?: string;
}

/** `import` needs neither database nor controller, because it only writes a file for `apply`. */
export function addImportCommands({ program, asJson }: CommandLine): void {
  const names = Object.keys(formatNames);
  program
    .command('import')
    .description("write an apply file of another tool's checks; changes nothing")
    .addArgument(new Argument('<format>', 'format of the file').choices(names))
    .argument('<file>', 'the file, or - for standard input')
    .argument('[files...]', 'more files')
    .option('-o, --output <file>', 'where the apply file goes (default: standard output)')
    .option('--source <name>', 'source of the apply file (default: import/FORMAT)')
    .option('--modules <file>', 'prometheus: the configuration of the blackbox_exporter')
    .option('--module <name>', 'prometheus: the module of targets that name none')
    .option('--strict', 'write nothing and end with 1 when something is not carried over')
    .option(...jsonOption(program, 'the report as JSON'))
    .addHelpText('after', `\nFormats:\n${formatLines(formatNames)}\n\nThe report goes to standard error.`)
    .action(async (format: string, file: string, files: readonly string[], options: ImportOptions) => {
      if (!isFormatName(format)) return; // commander has rejected it
      const { runImport } = await import('../imports/run-import.ts');
      const { strict = false, ...rest } = options;
      const done = await runImport({ ...rest, format, files: [file, ...files], strict, asJson: asJson() });
      if (!done) process.exitCode = 1;
    });
}

/** `compare` reads the other tool's file and the controller's REST API, and changes nothing. */
export function addCompareCommand({ program, asJson }: CommandLine): void {
  addAccessOptions(program.command('compare'))
    .description('list where another tool and Vantage disagree, since when and why')
    .addArgument(new Argument('<format>', 'format of the file').choices(Object.keys(statusFormats)))
    .argument('<file>', 'the file with the statuses of the other tool')
    .option(...jsonOption(program, 'answer as JSON'))
    .addHelpText('after', `\nFormats:\n${formatLines(statusFormats)}\n\nEnds with 3 when they disagree.`)
    .action(async (format: string, file: string, options: AccessOptions) => {
      if (!isStatusFormat(format)) return; // commander has rejected it
      const { runCompare } = await import('../imports/run-compare.ts');
      const { findAccess } = await import('../remote/find-access.ts');
      const access = findAccess(options, process.env);
      if (!(await runCompare(format, file, access, asJson()))) process.exitCode = 3;
    });
}

function formatLines(names: Readonly<Record<string, string>>): string {
  return Object.entries(names)
    .map(([name, description]) => `  ${name.padEnd(12)} ${description}`)
    .join('\n');
}
