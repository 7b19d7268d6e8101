import type { CommandLine } from '../command-line.ts';
import { printText, render } from '../output.ts';
import type { ScriptTrial } from '../script-trial.ts';

/** Adds `script run`. It needs no database: the probes run in this process. */
export function addScriptCommands({ group, asJson }: CommandLine): void {
  const scripts = group('script', 'scripts, the programs of devices with the method Script');
  scripts
    .command('run <file>')
    .description('run a script once from this machine, as an agent would, and show the outcome')
    .option('--timeout <seconds>', 'its Timeout', Number, 30)
    .option('--secrets <file>', 'a JSON file of values for secret("NAME"), by name')
    .action(async (file: string, { timeout, secrets }: { timeout: number; secrets?: string }) => {
      const trial: ScriptTrial = {
        file,
        timeoutSeconds: timeout,
        ...(secrets !== undefined && { secretsFile: secrets }),
      };
      const ending = new AbortController();
      // The probes take longer to load than all other commands to run.
      const { tryScript, verdictText } = await import('../script-trial.ts');
      const verdict = await tryScript(trial, ending.signal);
      printText(asJson() ? render(verdict, true) : verdictText(verdict, file));
      if (verdict.ResultCode !== 1) process.exitCode = 1;
    });
}
