import { Argument } from 'commander';
import type { CommandLine } from '../command-line.ts';
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
      const { candidatesFor, knownNames } = await import('../completion/candidates.ts');
      const current = words.at(-1) ?? '';
      const found = candidatesFor(program, words);
      const all = [...found.words, ...(await knownNames(found.names, current))];
      const fitting = [...new Set(all)].filter((word) => word.startsWith(current));
      if (fitting.length > 0) printText(fitting.join('\n'));
    });
}

/** The shells that can complete commands. */
const shells = ['bash', 'zsh', 'fish'] as const;

/**
 * The scripts for the shells. Each asks the program that stands on the line for candidates, so `./vantage` completes,
 * too.
 */
const completionScripts: Readonly<Record<(typeof shells)[number], string>> = {
  bash: `# Completion for vantage: source <(./vantage completion bash)
_vantage() {
  local IFS=$'\\n'
  COMPREPLY=($("\${COMP_WORDS[0]}" complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _vantage vantage ./vantage
`,
  zsh: `# Completion for vantage: source <(./vantage completion zsh)
_vantage() {
  local -a found
  found=("\${(@f)$("\${words[1]}" complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  [[ -n "\${found[1]}" ]] && compadd -Q -a found || _files
}
compdef _vantage vantage ./vantage
`,
  fish: `# Completion for vantage: ./vantage completion fish | source
function __vantage_complete
  set -l words (commandline -opc)
  $words[1] complete -- $words[2..] (commandline -ct) 2>/dev/null
end
complete -c vantage -a '(__vantage_complete)'
`,
};
