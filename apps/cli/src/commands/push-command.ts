import { readFileSync } from 'node:fs';
import { Fault, messageOf, systemClock } from '@vantage/kernel';
import { type CommandLine, jsonOption } from '../command-line.ts';
import type { PushTarget } from '../push/send-call.ts';

const maxRetryS = 3_600;

interface PushOptions {
  readonly url?: string;
  readonly ca?: string;
  readonly output: boolean;
  readonly start: boolean;
  readonly retry: number;
}

/** `push -- COMMAND` runs a job and reports it to a device of the Method Push. */
export function addPushCommand({ program }: CommandLine): void {
  program
    .command('push')
    .usage('[options] -- COMMAND [ARGUMENT ...]')
    .argument('[command...]', 'the job; without one, a call of success is sent')
    .passThroughOptions()
    .description('run a job, and report its start, exit status and duration to a device of the Method Push')
    .option(
      '--url <url>',
      'PushURL of the device (VANTAGE_PUSH_URL, which other users of the machine cannot read)',
    )
    .option('--ca <file>', "the controller's CA (VANTAGE_CA)")
    .option('--output', 'send the last 10 kB of what the job writes', false)
    .option('--no-start', 'do not report the start')
    .option('--retry <seconds>', 'repeat a call for this long', Number, 60)
    .addHelpText(
      'after',
      '\nIt ends with the exit status of the job, also if the controller cannot be reached; then standard error says so.',
    )
    .option(...jsonOption(program, 'accepted everywhere; has no effect here'))
    .action(async (command: string[], options: PushOptions) => {
      const found = targetOf(options);
      const onProblem = (line: string) => console.error(`vantage push: ${line}`);
      if (command.length === 0) {
        if (!found.ok) throw new Fault('stop', 'settings', found.problem);
        const { sendCall } = await import('../push/send-call.ts');
        const call = { action: '', runId: '', body: Buffer.alloc(0) };
        const problem = await sendCall(found.target, call, { clock: systemClock });
        if (problem === undefined) return;
        onProblem(`the call was not taken: ${problem}`);
        process.exitCode = 1;
        return;
      }
      // A job runs also where its calls cannot be sent.
      if (!found.ok) onProblem(`the job is not reported: ${found.problem}`);
      const { wrapJob } = await import('../push/wrap-job.ts');
      const job = {
        command,
        target: found.ok ? found.target : undefined,
        sendsOutput: options.output,
        sendsStart: options.start,
      };
      process.exitCode = await wrapJob(job, { clock: systemClock, onProblem });
    });
}

type FoundTarget =
  | { readonly ok: true; readonly target: PushTarget }
  | { readonly ok: false; readonly problem: string };

/** The address of the calls. */
function targetOf({ url, ca, retry }: PushOptions): FoundTarget {
  const no = (problem: string): FoundTarget => ({ ok: false, problem });
  const address = url ?? process.env['VANTAGE_PUSH_URL'] ?? '';
  if (address === '') return no('the address is missing; give VANTAGE_PUSH_URL, or --url');
  if (!/^https?:\/\/[^\s]+\/push\/[0-9a-f]{32}\/?$/.test(address))
    return no('the address must be a PushURL, such as https://host:8443/push/0f9c…');
  if (!(retry >= 0 && retry <= maxRetryS)) return no(`--retry must be 0 to ${maxRetryS} seconds`);
  const file = ca ?? process.env['VANTAGE_CA'];
  try {
    const pem = file === undefined ? undefined : readFileSync(file, 'utf8');
    return { ok: true, target: { url: address, ca: pem, retryMs: retry * 1000 } };
  } catch (error) {
    return no(`${file} cannot be read: ${messageOf(error)}`);
  }
}
