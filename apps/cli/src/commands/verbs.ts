import { type Command, Option } from 'commander';
import { type CommandLine, jsonOption } from '../command-line.ts';
import type { GivenAccess } from '../remote/access.ts';
import type { Opened } from '../remote/run-verbs.ts';
import { addAccessOptions } from './access-options.ts';

/** Adds what people do from anywhere: `check`, `ack`, `maintenance`, `events`, `top`. */
export function addVerbCommands({ program, group, asJson }: CommandLine): void {
  const open: Open = async (given) => {
    const { findAccess } = await import('../remote/access.ts');
    return { access: findAccess(given, process.env), asJson: asJson() };
  };
  add(program, 'check', 'check a device now, and show the result')
    .argument('<device>', 'id, ExternalKey or ShortName')
    .option(...jsonOption(program, 'answer as JSON'))
    .action(async (device: string, given: GivenAccess) => {
      const { runCheck } = await import('../remote/run-verbs.ts');
      if (!(await runCheck(await open(given), device))) process.exitCode = 1;
    });
  add(program, 'ack', 'acknowledge an alert')
    .argument('<alert>', 'id of the alert, or a device: its open alerts')
    .option('--note <text>', 'a note for the others')
    .option(...jsonOption(program, 'answer as JSON'))
    .action(async (alert: string, { note, ...given }: GivenAccess & { readonly note?: string }) => {
      const { runAck } = await import('../remote/run-verbs.ts');
      await runAck(await open(given), alert, note);
    });
  addMaintenance(group('maintenance', 'maintenance of a device or of all devices of a tag'), open);
  add(program, 'events', 'the last events; --follow goes on')
    .option('--follow', 'show events as they happen, until Ctrl C')
    .option('--limit <count>', 'how many of the last ones', '20')
    .option('--jsonl', 'a line of JSON for each')
    .addOption(new Option('-o, --output <form>', 'without --follow').choices(['csv']))
    .option(...jsonOption(program, 'the same as --jsonl'))
    .argument('[filters...]', 'for example Type=Down,Up or Tag=berlin')
    .action(
      async (
        filters: readonly string[],
        { follow = false, limit, jsonl, output, ...given }: EventOptions,
      ) => {
        const { runEvents } = await import('../remote/run-events.ts');
        const opened = await open(given);
        const form = output ?? (jsonl === true || opened.asJson ? 'jsonl' : 'text');
        await runEvents(opened.access, { isFollowing: follow, limit, form, filters });
      },
    );
  add(program, 'top', 'the devices that need somebody, worst first, again every 2 seconds on a terminal')
    .option('--limit <count>', 'how many', '20')
    .action(async ({ limit, ...given }: GivenAccess & { readonly limit: string }) => {
      const { runTop } = await import('../remote/run-top.ts');
      await runTop((await open(given)).access, Number(limit));
    });
}

interface EventOptions extends GivenAccess {
  readonly follow?: boolean;
  readonly limit: string;
  readonly jsonl?: boolean;
  readonly output?: 'csv';
}

/** Finds the controller of a command. */
type Open = (given: GivenAccess) => Promise<Opened>;

function addMaintenance(parent: Command, open: Open): void {
  add(parent, 'start', 'start maintenance')
    .argument('<target>', 'a device (id, ExternalKey, ShortName) or a tag (Name)')
    .argument('<duration>', '30m, 2h or HH:MM')
    .option('--reason <text>', 'why')
    .action(
      async (
        target: string,
        duration: string,
        { reason, ...given }: GivenAccess & { readonly reason?: string },
      ) => {
        const { runMaintenance } = await import('../remote/run-verbs.ts');
        await runMaintenance(await open(given), target, { duration, reason });
      },
    );
  add(parent, 'stop', 'end maintenance')
    .argument('<target>', 'a device (id, ExternalKey, ShortName) or a tag (Name)')
    .action(async (target: string, given: GivenAccess) => {
      const { runMaintenance } = await import('../remote/run-verbs.ts');
      await runMaintenance(await open(given), target, undefined);
    });
}

function add(parent: Command, name: string, about: string): Command {
  return addAccessOptions(parent.command(name).description(about));
}
