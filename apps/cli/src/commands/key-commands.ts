import { readFileSync } from 'node:fs';
import { keyLevels } from '@vantage/domain/operator-commands';
import { Fault } from '@vantage/kernel';
import { Option } from 'commander';
import { accountFilter, accountOption, type CommandLine } from '../command-line.ts';

interface KeyOptions {
  readonly account: string;
  readonly level: (typeof keyLevels)[number];
  readonly name: string;
  readonly user?: string;
  readonly password?: string;
}

export function addKeyCommands({ group, answer }: CommandLine): void {
  const keys = group('keys', 'API keys');
  keys
    .command('issue')
    .description('issue a key; it is shown once')
    .addOption(accountOption())
    .addOption(
      new Option(
        '--level <level>',
        'UA also manages keys, UW views and modifies, UO views, acknowledges, checks and starts maintenance, UR views',
      )
        .choices(keyLevels)
        .default('UW'),
    )
    .option('--name <name>', 'the purpose of the key', '')
    .option('--user <user>', 'also require HTTP Basic with this user')
    .option('--password <->', '"-": and with the password from standard input')
    .action((options: KeyOptions) => {
      const { account, level, name } = options;
      const basic = readBasic(options);
      return answer((admin) => admin('keys.issue', { account, level, name, ...(basic && { basic }) }));
    });
  keys
    .command('list')
    .description('list keys')
    .addOption(accountFilter())
    .action((filter: { account?: string }) => answer((admin) => admin('keys.list', filter)));
  keys
    .command('revoke <key>')
    .description('revoke a key by its key_id or its first 6 characters')
    .action((key: string) => answer((admin) => admin('keys.revoke', { key })));
}

/** The user and password of HTTP Basic, where the options require it. */
function readBasic({ user, password }: KeyOptions): { user: string; password: string } | undefined {
  if ((user === undefined) !== (password === undefined))
    throw new Fault('stop', 'settings', '--user and --password must be given together');
  if (user === undefined || password === undefined) return undefined;
  if (user.includes(':')) throw new Fault('stop', 'settings', 'a user must not contain ":"');
  if (password !== '-')
    throw new Fault(
      'stop',
      'settings',
      'the password must not be an argument, because every user of this machine could read it (ps): write "--password -" and send it to standard input',
    );
  return { user, password: readPassword() };
}

/** The password on standard input, without the line break at its end. */
function readPassword(): string {
  const password = readFileSync(0, 'utf8').replace(/\r?\n$/, '');
  if (password === '') throw new Fault('stop', 'settings', 'standard input has no password');
  return password;
}
