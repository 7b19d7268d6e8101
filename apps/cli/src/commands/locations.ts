import { type CommandLine, requireName } from '../command-line.ts';
import type { HostCommands } from './host-commands.ts';

/** `locations create` and `locations list` on the controller's host. */
export function locationsOnHost({ answer }: CommandLine): HostCommands {
  return {
    create: (given, account) => {
      const name = requireName(given);
      return answer((admin) => admin('locations.create', { account, name }));
    },
    list: ({ account }) =>
      answer((admin) => admin('locations.list', account === undefined ? {} : { account })),
  };
}
