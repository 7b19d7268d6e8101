import { type Command, Option } from 'commander';
import { type CommandLine, jsonOption } from '../command-line.ts';
import type { AccessOptions } from '../remote/find-access.ts';
import type { VerbContext } from '../remote/run-verbs.ts';
import { addAccessOptions } from './access-options.ts';

/** `check`, `ack`, `maintenance`, `events` and `top`, from anywhere. */
export function addVerbCommands({ program, group, asJson }: CommandLine): void {
  const open: OpenContext = async (accessOptions) => {
    const { findAccess } = await import('../remote/find-access.ts');
    return { access: findAccess(accessOptions, process.env), asJson: asJson() };
  };
  add(program, 'check', 'check a device now, and show the result')
    .argument('<device>', 'id, ExternalKey or ShortName')
    .option(...jsonOption(program, 'answer as JSON'))
    .action(async (device: string, options: AccessOptions) => {
      const { runCheck } = await import('../remote/run-verbs.ts');
      if (!(await runCheck(await open(options), device))) process.exitCode = 1;
    });
  add(program, 'ack', 'acknowledge an alert')
    .argument('<alert>', 'id of the alert, or a device: its open alerts')
    .option('--note <text>', 'a note for the others')
    .option(...jsonOption(program, 'answer as JSON'))
    .action(async (alert: string, { note, ...accessOptions }: AccessOptions & { readonly note?: string }) => {
      const { runAck } = await import('../remote/run-verbs.ts');
      await runAck(await open(accessOptions), alert, note);
    });
  addMaintenance(group('maintenance', 'maintenance of a device or of all devices of a tag'), open);
  add(program, 'events', 'show the last events; --follow continues with new events')
    .option('--follow', 'show events as they happen, until Ctrl C')
    .option('--limit <count>', 'number of past events', '20')
    .option('--jsonl', 'a line of JSON for each')
    .addOption(new Option('-o, --output <form>', 'without --follow').choices(['csv']))
    .option(...jsonOption(program, 'the same as --jsonl'))
    .argument('[filters...]', 'for example Type=Down,Up or Tag=berlin')
    .action(
      async (
        filters: readonly string[],
        { follow = false, limit, jsonl, output, ...accessOptions }: EventOptions,
      ) => {
        const { runEvents } = await import('../remote/run-events.ts');
        const context = await open(accessOptions);
        const form = output ?? (jsonl === true || context.asJson ? 'jsonl' : 'text');
        await runEvents(context.access, { isFollowing: follow, limit, form, filters });
      },
    );
  add(program, 'top', 'show the devices that are Down or Unknown, refreshed every 2 seconds on a terminal')
    .option('--limit <count>', 'number of devices', '20')
    .action(async ({ limit, ...accessOptions }: AccessOptions & { readonly limit: string }) => {
      const { runTop } = await import('../remote/run-top.ts');
      await runTop((await open(accessOptions)).access, Number(limit));
    });
}

interface EventOptions extends AccessOptions {
  readonly follow?: boolean;
  readonly limit: string;
  readonly jsonl?: boolean;
  readonly output?: 'csv';
}

/** Finds the controller of a command. */
type OpenContext = (options: AccessOptions) => Promise<VerbContext>;

function addMaintenance(parent: Command, open: OpenContext): void {
  add(parent, 'start', 'start maintenance')
    .argument('<target>', 'a device (id, ExternalKey, ShortName) or a tag (Name)')
    .argument('<duration>', '30m, 2h or HH:MM')
    .option('--reason <text>', 'why')
    .action(
      async (
        target: string,
        duration: string,
        { reason, ...accessOptions }: AccessOptions & { readonly reason?: string },
      ) => {
        const { runMaintenance } = await import('../remote/run-verbs.ts');
        await runMaintenance(await open(accessOptions), target, { duration, reason });
      },
    );
  add(parent, 'stop', 'end maintenance')
    .argument('<target>', 'a device (id, ExternalKey, ShortName) or a tag (Name)')
    .action(async (target: string, options: AccessOptions) => {
      const { runMaintenance } = await import('../remote/run-verbs.ts');
      await runMaintenance(await open(options), target, undefined);
    });
}

function add(parent: Command, name: string, description: string): Command {
  return addAccessOptions(parent.command(name).description(description));
}
