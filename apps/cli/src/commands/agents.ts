import path from 'node:path';
import { addressesOf, invitationMinutes } from '@vantage/domain';
import type { SettingsReader } from '@vantage/kernel';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Admin } from '../admin.ts';
import { accountFilter, accountOption, type CommandLine } from '../command-line.ts';
import { checkEndpoint, isAddressSet, ownCertificate, publicEndpoint } from '../endpoint.ts';
import { render } from '../output.ts';

/** Where `npm run parcel` puts what it builds. */
const defaultParcels = path.resolve(import.meta.dirname, '../../../../agent-installer/dist');

/** The ways in which people name an agent. */
const anAgent = 'id, the begin of one (6 characters or more), or name';

interface Invitation {
  readonly account: string;
  readonly location: string;
  readonly name: string;
  readonly endpoint?: string;
  /** False by --no-check. */
  readonly check: boolean;
}

/** Adds the commands that manage agents. */
export function addAgentCommands({ group, answer }: CommandLine): void {
  const agents = group('agents', 'agents');
  agents
    .command('invite')
    .description(
      `make an agent and show the line that installs it; its token is good for ${invitationMinutes} minutes and one agent`,
    )
    .addOption(accountOption())
    .requiredOption('--location <name>', 'the Location at which it runs')
    .option('--name <name>', 'a name for it', '')
    .option(
      '--endpoint <url>',
      "the controller's agent port as the agent reaches it, several comma-separated (default: VANTAGE_AGENT_URL, or this machine's name)",
      parseEndpoint,
    )
    .option('--no-check', 'print the line without a look whether the endpoint is right')
    .action((given: Invitation) =>
      answer((admin, settings) => invite(admin, settings, given), invitationText),
    );
  agents
    .command('list')
    .description('list agents')
    .addOption(accountFilter())
    .action((filter: { account?: string }) => answer((admin) => admin('agents.list', filter)));
  agents
    .command('revoke')
    .argument('<agent>', anAgent)
    .description('revoke an agent: its stream is cut within 5 s')
    .action((agent_id: string) => answer((admin) => admin('agents.revoke', { agent_id })));
  agents
    .command('remove')
    .argument('<agent>', anAgent)
    .description('remove a revoked agent from the lists; checks and events keep its name')
    .action((agent_id: string) => answer((admin) => admin('agents.remove', { agent_id })));
  agents
    .command('rename')
    .argument('<agent>', anAgent)
    .argument('<name>')
    .description('give an agent another name; checks and events show it too')
    .action((agent_id: string, name: string) =>
      answer((admin) => admin('agents.rename', { agent_id, name })),
    );
  agents
    .command('move')
    .argument('<agent>', anAgent)
    .argument('<location>')
    .description('move an agent to another Location of its account, by name or id')
    .action((agent_id: string, location: string) => answer((admin) => move(admin, { agent_id, location })));
  addUpgradeCommand(agents, answer);
  agents
    .command('unfence')
    .argument('<agent>', anAgent)
    .description('let a fenced agent connect again, once only one of the two copies is left')
    .action((agent_id: string) => answer((admin) => admin('agents.unfence', { agent_id })));
}

interface AskedUpgrade {
  readonly account: string;
  readonly version: string;
  readonly all?: true;
  readonly location?: string;
  readonly agent?: string;
}

function addUpgradeCommand(agents: Command, answer: CommandLine['answer']): void {
  agents
    .command('upgrade')
    .description('upgrade agents to a signed version: one, a tenth, half, then all; it stops when one fails')
    .addOption(accountOption())
    .requiredOption('--version <version>', 'the version, of which the controller has the signed parcel')
    .addOption(new Option('--all', 'all agents of the account').conflicts(['location', 'agent']))
    .addOption(new Option('--location <name>', 'the agents of this Location').conflicts('agent'))
    .option('--agent <agent>', `this agent: ${anAgent}`)
    .action(({ account, version, all, location, agent }: AskedUpgrade, command: Command) => {
      if (all === undefined && location === undefined && agent === undefined)
        command.error('error: one of --all, --location and --agent is needed');
      return answer((admin, settings) =>
        admin('agents.upgrade', {
          account,
          version,
          parcels: path.resolve(settings['VANTAGE_PARCELS'] ?? defaultParcels),
          release_key: settings['VANTAGE_RELEASE_PUBLIC_KEY'] ?? null,
          of:
            agent !== undefined
              ? { kind: 'agent', agentId: agent }
              : location !== undefined
                ? { kind: 'location', location }
                : { kind: 'all' },
        }),
      );
    });
}

async function move(admin: Admin, asked: { readonly agent_id: string; readonly location: string }) {
  const { left_without_agent: left, ...moved } = await admin('agents.move', asked);
  if (left !== null)
    console.error(
      `vantage: the Location ${left} has no agent any more: nobody checks its devices from there`,
    );
  return moved;
}

async function invite(admin: Admin, settings: SettingsReader['given'], given: Invitation) {
  const { account, location, name } = given;
  const endpoint = given.endpoint ?? publicEndpoint(settings);
  if (given.check) checkEndpoint(endpoint, settings);
  if (given.endpoint === undefined && !isAddressSet(settings))
    console.error(
      `vantage: no setting names the address at which agents reach this controller, so the line has this machine's own name (${URL.parse(endpoint)?.hostname}): set VANTAGE_AGENT_URL, or give --endpoint`,
    );
  const { VANTAGE_PARCELS, VANTAGE_RELEASE_PUBLIC_KEY, VANTAGE_TLS_NAMES = '' } = settings;
  const { warnings, command, ...invited } = await admin('agents.invite', {
    account,
    location,
    name,
    endpoint,
    tls_names: VANTAGE_TLS_NAMES.split(',').filter((part) => part !== ''),
    parcels: path.resolve(VANTAGE_PARCELS ?? defaultParcels),
    makes_parcel: VANTAGE_PARCELS === undefined,
    release_key: VANTAGE_RELEASE_PUBLIC_KEY ?? null,
    certificate: ownCertificate(settings) ?? null,
    check: given.check,
  });
  for (const warning of warnings) console.error(`vantage: ${warning}`);
  const environment = `VANTAGE_AGENT_ENDPOINTS=${endpoint} VANTAGE_AGENT_TOKEN=${invited.token} VANTAGE_CA_FILE=ca.pem`;
  return { ...invited, command: command ?? `${environment} ./vantage agent`, environment };
}

/** The answer for people: the one line that they paste stands alone, at the end. */
function invitationText({ command, ...rest }: Awaited<ReturnType<typeof invite>>): string {
  return `${render(rest, false)}\n\nPaste this line on the host:\n\n${command}\n`;
}

/** Parses the addresses of agents' ports as an agent reaches them. */
function parseEndpoint(text: string): string {
  const all = addressesOf(text);
  if (all.length === 0 || !all.every(isEndpoint))
    throw new InvalidArgumentError('An endpoint is https://host:port.');
  return all.join(',');
}

function isEndpoint(text: string): boolean {
  const url = URL.parse(text);
  return url?.protocol === 'https:' && url.pathname === '/' && url.search === '' && url.username === '';
}
