import { randomUUID } from 'node:crypto';
import type { Clock } from '@vantage/kernel';
import { runJob } from './run-job.ts';
import { maxBodyBytes, type PushTarget, sendCall } from './send-call.ts';

/** A job to wrap. */
export interface WrappedJob {
  readonly command: readonly string[];
  /** undefined: it is not reported. */
  readonly target: PushTarget | undefined;
  /** Send the end of its output. */
  readonly sendsOutput: boolean;
  /** Report its start, too. */
  readonly sendsStart: boolean;
}

/**
 * Runs a job, and reports its start and its exit status. Resolves with the exit status of the job, whatever becomes of
 * the calls: monitoring never makes a job fail. `onProblem` receives what went wrong, as a line for people.
 */
export async function wrapJob(
  { command, target, sendsOutput, sendsStart }: WrappedJob,
  { clock, onProblem }: { readonly clock: Clock; readonly onProblem: (line: string) => void },
): Promise<number> {
  const runId = randomUUID();
  const noBody = Buffer.alloc(0);
  const report = async (action: string, body: Buffer, signal?: AbortSignal) =>
    target && sendCall(target, { action, runId, body }, { clock, ...(signal && { signal }) });
  const ended = new AbortController();
  // The job does not wait for the call, and the call is not repeated once the job has ended.
  const start = sendsStart ? report('start', noBody, ended.signal) : Promise.resolve(undefined);
  const end = await runJob(command, sendsOutput ? maxBodyBytes : 0);
  ended.abort();
  if (end.problem !== undefined) onProblem(end.problem);
  // The calls arrive in their order.
  const startProblem = await start;
  const body = end.problem === undefined ? end.output : Buffer.from(end.problem);
  const endProblem = await report(String(end.status), body);
  if (startProblem !== undefined && endProblem === undefined)
    onProblem(`the start of the job was not reported: ${startProblem}`);
  if (endProblem !== undefined) onProblem(`the end of the job was not reported: ${endProblem}`);
  return end.status;
}
