import { Argument } from 'commander';
import type { CommandLine } from '../command-line.ts';
import { completionScripts, shells } from '../completion/scripts.ts';
import { printText } from '../output.ts';

/** Adds `completion`, and the command that its scripts ask. */
export function addCompletionCommands({ program }: CommandLine): void {
  program
    .command('completion')
    .description('a script that completes commands, options and names in a shell')
    .addArgument(new Argument('<shell>', 'source <(./vantage completion bash)').choices([...shells]))
    .action((shell: (typeof shells)[number]) => printText(completionScripts[shell].trimEnd()));
  program
    .command('complete', { hidden: true })
    .argument('[words...]')
    .action(async (words: readonly string[]) => {
      const { candidatesFor } = await import('../completion/candidates.ts');
      const { knownNames } = await import('../completion/known-names.ts');
      const current = words.at(-1) ?? '';
      const found = candidatesFor(program, words);
      const all = [...found.words, ...(await knownNames(found.names, current))];
      const fitting = [...new Set(all)].filter((word) => word.startsWith(current));
      if (fitting.length > 0) printText(fitting.join('\n'));
    });
}
