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

/** The controller's program for the operator's commands. Apps start each other as processes and never import. */
const program = path.resolve(import.meta.dirname, '../../controller/src/admin.ts');

/** Runs an operator's command on a database. Throws a Fault with the code and message of the failure. */
export type Admin = <C extends OperatorCommand>(
  command: C,
  request: OperatorRequests[C],
) => Promise<OperatorAnswers[C]>;

export type AdminOf = (databaseUrl: string) => Admin;

/** A process that runs one command after the other. */
interface AdminProcess extends AsyncDisposable {
  readonly admin: Admin;
}

/** Runs each command on the database in a new process of the controller's program. */
export function createAdmin(databaseUrl: string): Admin {
  return async (command, request) => {
    await using started = startAdmin(databaseUrl);
    return await started.admin(command, request);
  };
}

/**
 * Starts a process for several commands on the database. Commands go to its standard input, because every user of the
 * machine can read a command line. With a `signal` the process gets its own process group, so that no signal to ours
 * reaches it, and ends when `signal` aborts.
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
  ended.catch(() => {}); // the pending call rejects
  child.stdin.on('error', () => {}); // reported by the missing answer
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
      await ended.catch(() => {}); // the call has already thrown
    },
  };
}
