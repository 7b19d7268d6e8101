/** The shells that can complete commands. */
export const shells = ['bash', 'zsh', 'fish'] as const;

/**
 * The scripts for the shells. Each asks the program that stands on the line for candidates, so `./vantage` completes,
 * too.
 */
export const completionScripts: Readonly<Record<(typeof shells)[number], string>> = {
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
