import { spawn } from 'node:child_process';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import {
  type OperatorAnswers,
  type OperatorCommand,
  type OperatorRequests,
  operatorCommands,
  operatorReply,
} from '@vantage/domain/operator-commands';
import { Fault, parseJson } from '@vantage/kernel';

/** The controller's program for the operator's commands. Apps are joined by processes, never by imports. */
const program = path.resolve(import.meta.dirname, '../../controller/src/admin.ts');

/** Runs an operator's command on the database; throws a Fault with the code and message of the failure. */
export type Admin = <C extends OperatorCommand>(
  command: C,
  request: OperatorRequests[C],
) => Promise<OperatorAnswers[C]>;

/**
 * Creates the door to the operator's commands on one database. Each command is a process of the controller's program;
 * the request goes through its standard input, because every user of the machine can read a command line. With a
 * `signal` the process has a process group of its own, so that a signal to ours does not reach it, and ends when the
 * signal aborts.
 */
export function createAdmin(databaseUrl: string, signal?: AbortSignal): Admin {
  return async (command, request) => {
    const call = JSON.stringify({ database_url: databaseUrl, command, request });
    const { out, ended } = await run(call, signal);
    const reply = readReply(out);
    if (reply === undefined)
      throw new Fault('stop', 'failed', `the controller's admin program ended without an answer (${ended})`);
    if (!reply.ok) throw new Fault('stop', reply.error.code, reply.error.message);
    return operatorCommands[command].answer.parse(reply.answer);
  };
}

async function run(
  call: string,
  signal: AbortSignal | undefined,
): Promise<{ readonly out: string; readonly ended: string }> {
  const child = spawn(process.execPath, [program], {
    stdio: ['pipe', 'pipe', 'inherit'],
    ...(signal && { signal, detached: true }),
  });
  const ended = new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, killedBy) => resolve(killedBy ?? `code ${code}`));
  });
  child.stdin.on('error', () => {}); // A process that ended before it read the call has no answer either.
  child.stdin.end(call);
  const [out, how] = await Promise.all([text(child.stdout), ended]);
  return { out, ended: how };
}

function readReply(out: string) {
  return operatorReply.safeParse(parseJson(out)).data;
}
