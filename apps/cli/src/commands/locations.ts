import { accountFilter, accountOption, type CommandLine, parseName } from '../command-line.ts';

/** Adds `locations create` and `locations list`. */
export function addLocationCommands({ group, answer }: CommandLine): void {
  const locations = group('locations', 'Locations, the named vantage points at which agents run');
  locations
    .command('create')
    .argument('<name>', 'its name', parseName)
    .description('make a Location')
    .addOption(accountOption())
    .action((name: string, { account }: { account: string }) =>
      answer((admin) => admin('locations.create', { account, name })),
    );
  locations
    .command('list')
    .description('list Locations')
    .addOption(accountFilter())
    .action((filter: { account?: string }) => answer((admin) => admin('locations.list', filter)));
}
