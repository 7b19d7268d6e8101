import { z } from 'zod';
import { accountCommands } from './operator-commands/account-commands.ts';
import { agentCommands } from './operator-commands/agent-commands.ts';
import { alertCommands } from './operator-commands/alert-commands.ts';
import { databaseCommands } from './operator-commands/database-commands.ts';
import { firstRunCommands } from './operator-commands/first-run-commands.ts';

export { keyLevels } from './operator-commands/command-fields.ts';

const schemas = {
  ...accountCommands,
  ...alertCommands,
  ...databaseCommands,
  ...agentCommands,
  ...firstRunCommands,
} as const;

export type OperatorCommand = keyof typeof schemas;

export type OperatorRequests = { [C in OperatorCommand]: z.output<(typeof schemas)[C]['request']> };

export type OperatorAnswers = { [C in OperatorCommand]: z.output<(typeof schemas)[C]['answer']> };

/**
 * The operator's commands on the database. The command line sends the request; the controller's admin program runs it
 * and sends the answer. The fields of an answer are in the order of the columns that people see.
 */
export const operatorCommands: {
  readonly [C in OperatorCommand]: {
    readonly request: z.ZodType<OperatorRequests[C]>;
    readonly answer: z.ZodType<OperatorAnswers[C]>;
  };
} = schemas;

/** A line of the standard input of the admin program, as JSON. */
export const operatorCall = z.strictObject({
  database_url: z.string(),
  command: z.string(),
  request: z.unknown(),
});

/** A line of the output of the admin program, as JSON: the reply to a call. */
export const operatorReply = z.discriminatedUnion('ok', [
  z.strictObject({ ok: z.literal(true), answer: z.unknown() }),
  z.strictObject({
    ok: z.literal(false),
    error: z.strictObject({ code: z.string().describe('Programs may rely on it.'), message: z.string() }),
  }),
]);
