import {
  type OperatorAnswers,
  type OperatorCommand,
  type OperatorRequests,
  operatorCall,
  operatorCommands,
  type operatorReply,
} from '@vantage/domain/operator-commands';
import { Fault, messageOf } from '@vantage/kernel';
import type { z } from 'zod';
import type { Db } from '../platform/db/index.ts';

/** The function of each command. It throws a Fault with a code for programs when it cannot be done. */
export type Commands = {
  readonly [C in OperatorCommand]: (db: Db, request: OperatorRequests[C]) => Promise<OperatorAnswers[C]>;
};

/**
 * Runs one call, the JSON text of an `operatorCall`, and returns the reply. It never rejects: what goes wrong is in the
 * reply. `open` opens the database that the call names.
 */
export async function runCall(
  text: string,
  {
    commands,
    open,
  }: {
    readonly commands: Commands;
    readonly open: (url: string) => Promise<{ readonly db: Db } & AsyncDisposable>;
  },
): Promise<z.input<typeof operatorReply>> {
  try {
    const { database_url, command, request } = operatorCall.parse(JSON.parse(text));
    if (!isCommand(command)) throw new Fault('stop', 'failed', `there is no command ${command}`);
    await using database = await open(database_url);
    return { ok: true, answer: await run(commands, { db: database.db, command, request }) };
  } catch (error) {
    const code = error instanceof Fault ? error.code : 'failed';
    return { ok: false, error: { code, message: messageOf(error) } };
  }
}

function isCommand(name: string): name is OperatorCommand {
  return Object.hasOwn(operatorCommands, name);
}

async function run<C extends OperatorCommand>(
  commands: Commands,
  { db, command, request }: { readonly db: Db; readonly command: C; readonly request: unknown },
): Promise<unknown> {
  const { request: requestSchema, answer: answerSchema } = operatorCommands[command];
  return answerSchema.encode(await commands[command](db, requestSchema.parse(request)));
}
