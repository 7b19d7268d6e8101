import { type CommandLine, parseName } from '../command-line.ts';

export function addAccountCommands({ group, answer }: CommandLine): void {
  const accounts = group('accounts', 'accounts, the owners of devices');
  accounts
    .command('create')
    .argument('<name>', 'its name', parseName)
    .description('create an account')
    .option('--timezone <zone>', 'IANA time zone of its timestamps', 'UTC')
    .action((name: string, { timezone }: { timezone: string }) =>
      answer(async (admin) => {
        const { account, has_default_location } = await admin('accounts.create', { name, timezone });
        if (!has_default_location)
          console.error(
            `vantage: no Location checks the devices of ${name} yet: "./vantage locations create local --account ${name}" creates the Location for devices that name none, "./vantage agents invite" an agent for it`,
          );
        return account;
      }),
    );
  accounts
    .command('list')
    .description('list accounts')
    .action(() => answer((admin) => admin('accounts.list', {})));
}
