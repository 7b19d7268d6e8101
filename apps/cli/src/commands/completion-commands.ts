import { Argument } from 'commander';
import type { CommandLine } from '../command-line.ts';
import { printText } from '../print-answer.ts';

/** Adds `completion`, and the hidden command that its scripts run. */
export function addCompletionCommands({ program }: CommandLine): void {
  program
    .command('completion')
    .description('print a script that completes commands, options and names in a shell')
    .addArgument(new Argument('<shell>', 'source <(./vantage completion bash)').choices([...shells]))
    .action((shell: (typeof shells)[number]) => printText(completionScripts[shell].trimEnd()));
  program
    .command('complete', { hidden: true })
    .argument('[words...]')
    .action(async (words: readonly string[]) => {
      const { candidatesFor, knownNames } = await import('../completion/candidates.ts');
      const current = words.at(-1) ?? '';
      const found = candidatesFor(program, words);
      const candidates = [...found.words, ...(await knownNames(found.names, current))];
      const matching = [...new Set(candidates)].filter((word) => word.startsWith(current));
      if (matching.length > 0) printText(matching.join('\n'));
    });
}

const shells = ['bash', 'zsh', 'fish'] as const;

/** Each script gets the candidates from the program on the command line, so `./vantage` is completed, too. */
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
