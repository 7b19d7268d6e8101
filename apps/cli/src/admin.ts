import { spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
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

/** Opens the door to the operator's commands on a database. */
export type AdminOf = (databaseUrl: string) => Admin;

/** A process of the program. It runs one command after the other; disposing ends it. */
interface AdminProcess extends AsyncDisposable {
  readonly admin: Admin;
}

/**
 * Creates the door to the operator's commands on one database. Each command is a process of the controller's program.
 */
export function createAdmin(databaseUrl: string): Admin {
  return async (command, request) => {
    await using started = startAdmin(databaseUrl);
    return await started.admin(command, request);
  };
}

/**
 * Starts one process for several commands on one database. Calls are lines of its standard input, because every user of
 * the machine can read a command line. With a `signal` the process has a process group of its own, so that a signal to
 * ours does not reach it, and ends when the signal aborts.
 */
export function startAdmin(databaseUrl: string, signal?: AbortSignal): AdminProcess {
  const child = spawn(process.execPath, [program], {
    stdio: ['pipe', 'pipe', 'inherit'],
    ...(signal && { signal, detached: true }),
  });
  const ended = new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, killedBy) => resolve(killedBy ?? `code ${code}`));
  });
  ended.catch(() => {}); // a call that waits rejects
  child.stdin.on('error', () => {}); // A process that ended before it read the call has no answer either.
  const replies = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async admin(command, request) {
      child.stdin.write(`${JSON.stringify({ database_url: databaseUrl, command, request })}\n`);
      const line = await replies.next();
      const reply = line.done === true ? undefined : operatorReply.safeParse(parseJson(line.value)).data;
      if (reply === undefined)
        throw new Fault(
          'stop',
          'failed',
          `the controller's admin program ended without an answer (${await ended})`,
        );
      if (!reply.ok) throw new Fault('stop', reply.error.code, reply.error.message);
      return operatorCommands[command].answer.parse(reply.answer);
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await ended.catch(() => {}); // the call has thrown it
    },
  };
}
