import { exitCodeOf, findingsText, type SettingReader, settings } from '@vantage/kernel';
import { type CommandLine, jsonOption, readSettings } from '../command-line.ts';
import { printText } from '../print-answer.ts';
import { runPart } from '../program-part.ts';

export function addSystemCommands({ program, asJson }: CommandLine): void {
  program
    .command('up')
    .description('run everything on this machine: controller, database and one agent (npm start)')
    .option(
      ...jsonOption(program, 'answer as JSON: the content of quickstart.json; later starts omit the keys'),
    )
    .addHelpText('after', settingsHelp(['controller', 'agent']))
    .action(async () => {
      const { up } = await import('../up/up.ts');
      await up({ settings: readSettings(), env: process.env, json: asJson() });
    });
  for (const part of ['controller', 'agent'] as const)
    program
      .command(part)
      .description(
        `run the ${part} alone; its log goes to standard error: text on a terminal, else lines of JSON`,
      )
      .option(...jsonOption(program, 'accepted everywhere; has no effect here'))
      .addHelpText('after', settingsHelp([part]))
      .action(() => runPart(part));
  program
    .command('settings')
    .description('show all settings')
    .option(...jsonOption(program, 'accepted everywhere; has no effect here'))
    .addHelpText('after', settingsHelp(['controller', 'agent', 'commands']))
    .action(() => printText(settingsHelp(['controller', 'agent', 'commands']).trimStart()));
  program
    .command('doctor')
    .description('examine the controller of this machine, and show a remedy for each problem')
    .addOption(
      program
        .createOption('--sums <which>', 'the sums (roll-ups) to compare with their checks')
        .choices(['some', 'all', 'none'])
        .default('some'),
    )
    .option(...jsonOption(program, 'answer as JSON: a list of findings'))
    .action(async ({ sums }: { readonly sums: 'some' | 'all' | 'none' }) => {
      const { examine } = await import('../doctor/examine.ts');
      const findings = await examine(readSettings().given, Date.now(), sums);
      printText(asJson() ? JSON.stringify(findings) : findingsText(findings));
      process.exitCode = exitCodeOf(findings);
    });
}

/** The settings that these parts read, for `--help`. */
function settingsHelp(parts: readonly Exclude<SettingReader, 'both'>[]): string {
  const lines = Object.entries(settings)
    .filter(([, { reader }]) => reader === 'both' || parts.includes(reader))
    .map(([name, { reader, otherwise, about }]) => {
      const readers = reader === 'both' ? 'controller, agent' : reader;
      return `  ${name} (${readers}${otherwise ? `; default: ${otherwise}` : ''})\n      ${about}`;
    });
  return `\nSettings (environment variables, or lines of a settings file):\n${lines.join('\n')}`;
}
