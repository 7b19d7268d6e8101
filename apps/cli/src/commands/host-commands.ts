import { type CommandLine, requireName } from '../command-line.ts';

/** Commands of a group that the operator has on the controller's host, and that go to the API from anywhere. */
export interface HostCommands {
  readonly list: (filter: { readonly account?: string | undefined }) => Promise<void>;
  /** By a name. */
  readonly create?: (name: string, account: string) => Promise<void>;
}

/** The account that the operator's commands are about, where nothing else is said. */
export const defaultAccount = 'default';

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
