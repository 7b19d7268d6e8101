/** Commands of a group that the operator has on the controller's host, and that go to the API from anywhere. */
export interface HostCommands {
  readonly list: (filter: { readonly account?: string | undefined }) => Promise<void>;
  /** By a name. */
  readonly create?: (name: string, account: string) => Promise<void>;
}

/** The account that the operator's commands are about, where nothing else is said. */
export const defaultAccount = 'default';
