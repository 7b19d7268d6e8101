import type { CommandLine } from '../command-line.ts';
import { printText, render } from '../print-answer.ts';
import type { ScriptRun } from '../try-script.ts';

/** `script run` needs no database, because the probes run in this process. */
export function addScriptCommands({ group, asJson }: CommandLine): void {
  const scripts = group('script', 'scripts, the programs of devices with the method Script');
  scripts
    .command('run <file>')
    .description('run a script once from this machine, as an agent would, and show the outcome')
    .option('--timeout <seconds>', 'Timeout of the script', Number, 30)
    .option('--secrets <file>', 'a JSON file of values for secret("NAME"), by name')
    .action(async (file: string, { timeout, secrets }: { timeout: number; secrets?: string }) => {
      const trial: ScriptRun = {
        file,
        timeoutSeconds: timeout,
        ...(secrets !== undefined && { secretsFile: secrets }),
      };
      const ending = new AbortController();
      // Loading the probes takes longer than most other commands.
      const { tryScript, verdictText } = await import('../try-script.ts');
      const verdict = await tryScript(trial, ending.signal);
      printText(asJson() ? render(verdict, true) : verdictText(verdict, file));
      if (verdict.ResultCode !== 1) process.exitCode = 1;
    });
}
