import {
  type OperatorAnswers,
  type OperatorCommand,
  type OperatorRequests,
  operatorCall,
  operatorCommands,
  type operatorReply,
} from '@vantage/domain/operator-commands';
import { Fault, messageOf } from '@vantage/kernel';
import type { Database } from '@vantage/storage';
import type { z } from 'zod';

/** The function of each command. When it fails, it throws a Fault with a code for programs. */
type Commands = {
  readonly [C in OperatorCommand]: (
    db: Database,
    request: OperatorRequests[C],
  ) => Promise<OperatorAnswers[C]>;
};

/** The first word of a command: `keys` of `keys.list`. */
type GroupName = OperatorCommand extends infer C ? (C extends `${infer G}.${string}` ? G : never) : never;

/** The commands whose names begin with this word. */
export type CommandGroup<G extends GroupName> = Pick<Commands, Extract<OperatorCommand, `${G}.${string}`>>;

/** Functions that load the commands, by the first word of the command. */
export type CommandGroups = { readonly [G in GroupName]: () => Promise<CommandGroup<G>> };

/**
 * Runs a call, the JSON text of an `operatorCall`, and returns the reply. Never rejects, because the reply contains
 * errors. `open` opens the database that the call names.
 */
export async function runCall(
  text: string,
  {
    groups,
    open,
  }: {
    readonly groups: CommandGroups;
    readonly open: (url: string) => Promise<{ readonly db: Database } & AsyncDisposable>;
  },
): Promise<z.input<typeof operatorReply>> {
  try {
    const { database_url, command, request } = operatorCall.parse(JSON.parse(text));
    if (!isCommand(command)) throw new Fault('stop', 'failed', `there is no command ${command}`);
    await using database = await open(database_url);
    return { ok: true, answer: await run(groups, { db: database.db, command, request }) };
  } catch (error) {
    const code = error instanceof Fault ? error.code : 'failed';
    return { ok: false, error: { code, message: messageOf(error) } };
  }
}

function isCommand(name: string): name is OperatorCommand {
  return Object.hasOwn(operatorCommands, name);
}

async function run<C extends OperatorCommand>(
  groups: CommandGroups,
  { db, command, request }: { readonly db: Database; readonly command: C; readonly request: unknown },
): Promise<unknown> {
  const { request: requestSchema, answer: answerSchema } = operatorCommands[command];
  const group = command.slice(0, command.indexOf('.'));
  const commands: Partial<Commands> = isGroup(groups, group) ? await groups[group]() : {};
  const work = commands[command];
  if (work === undefined) throw new Error(`the group ${group} lacks the command ${command}`);
  return answerSchema.encode(await work(db, requestSchema.parse(request)));
}

function isGroup(groups: CommandGroups, name: string): name is GroupName {
  return Object.hasOwn(groups, name);
}
