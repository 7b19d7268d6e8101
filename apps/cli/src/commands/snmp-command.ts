import type { CommandLine } from '../command-line.ts';
import type { AccessOptions } from '../remote/find-access.ts';
import type { SnmpWalk } from '../remote/run-snmp-walk.ts';
import { addAccessOptions } from './access-options.ts';

type WalkOptions = AccessOptions & Omit<SnmpWalk, 'host'>;

/** `snmp walk`, from anywhere. */
export function addSnmpCommands({ group, asJson }: CommandLine): void {
  const snmp = group('snmp', 'devices of the Method SNMP');
  addAccessOptions(
    snmp
      .command('walk')
      .description(
        'ask a device by SNMP what it offers to watch: interfaces with their traffic, and known sensors. An agent of the Location asks; nothing is stored',
      )
      .argument('<host>', 'host, host:port or snmp://host:port'),
  )
    .option(
      '--location <name>',
      "Location whose agent asks; default: the first of the account's default Locations",
    )
    .option(
      '--options <file>',
      'a JSON file with the Options of SNMP (Version, Community, User …); - is standard input',
    )
    .option('--community-secret <name>', 'the secret of the account that holds the community')
    .option(
      '--device <device>',
      'a stored device, whose Options and secrets are used (id, ExternalKey or ShortName)',
    )
    .option('--timeout <seconds>', 'at most 30', Number, 20)
    .action(
      async (
        host: string,
        { location, options, communitySecret, device, timeout, ...access }: WalkOptions,
      ) => {
        const [{ findAccess }, { runSnmpWalk }] = await Promise.all([
          import('../remote/find-access.ts'),
          import('../remote/run-snmp-walk.ts'),
        ]);
        const context = { access: findAccess(access, process.env), asJson: asJson() };
        const walk = {
          host,
          timeout,
          ...(location !== undefined && { location }),
          ...(options !== undefined && { options }),
          ...(communitySecret !== undefined && { communitySecret }),
          ...(device !== undefined && { device }),
        };
        if (!(await runSnmpWalk(context, walk))) process.exitCode = 1;
      },
    );
}
