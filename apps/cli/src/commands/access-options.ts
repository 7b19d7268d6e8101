import { type Command, Option } from 'commander';

/** The options of a command that uses the API of a controller from anywhere. */
export function addAccessOptions(command: Command): Command {
  return command
    .option('--server <url>', 'address of the API: https://host:port/v1.1 (VANTAGE_SERVER)')
    .option('--key <key>', 'key of the API (VANTAGE_KEY)')
    .option('--ca <file>', 'the CA of the controller (VANTAGE_CA)')
    .addOption(new Option('--profile <name>', 'a profile of vantage login (default: default)'));
}
