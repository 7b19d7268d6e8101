import { type CommandLine, requireName } from '../command-line.ts';

/** Commands of a group that run on the database on the controller's host, and use the API from anywhere else. */
export interface HostCommands {
  readonly list: (filter: { readonly account?: string | undefined }) => Promise<void>;
  readonly create?: (name: string, account: string) => Promise<void>;
}

export const defaultAccount = 'default';

/** `locations create` and `locations list` on the controller's host. */
export function locationsOnHost({ answer }: CommandLine): HostCommands {
  return {
    create: (text, account) => {
      const name = requireName(text);
      return answer((admin) => admin('locations.create', { account, name }));
    },
    list: ({ account }) =>
      answer((admin) => admin('locations.list', account === undefined ? {} : { account })),
  };
}
