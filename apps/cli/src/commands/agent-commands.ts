import path from 'node:path';
import { addressesOf, invitationMinutes } from '@vantage/domain';
import type { SettingsReader } from '@vantage/kernel';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Admin } from '../admin-process.ts';
import { checkEndpoint, isAddressSet, ownCertificate, publicEndpoint } from '../agent-endpoint.ts';
import { accountFilter, accountOption, type CommandLine } from '../command-line.ts';
import { render } from '../print-answer.ts';

/** The folder in which `npm run parcel` puts parcels. */
const defaultParcels = path.resolve(import.meta.dirname, '../../../../agent-installer/dist');

const agentArgument = 'id, the start of the id (6 characters or more), or name';

interface InvitationOptions {
  readonly account: string;
  readonly location: string;
  readonly name: string;
  readonly endpoint?: string;
  /** False with --no-check. */
  readonly check: boolean;
}

export function addAgentCommands({ group, answer }: CommandLine): void {
  const agents = group('agents', 'agents');
  agents
    .command('invite')
    .description(
      `create an agent and show the line that installs it; its token is valid for ${invitationMinutes} minutes and one agent`,
    )
    .addOption(accountOption())
    .requiredOption('--location <name>', 'the Location at which it runs')
    .option('--name <name>', 'a name for it', '')
    .option(
      '--endpoint <url>',
      "the controller's agent port as the agent reaches it, several comma-separated (default: VANTAGE_AGENT_URL, or this machine's name)",
      parseEndpoint,
    )
    .option('--no-check', 'print the line without a check of the endpoint')
    .action((options: InvitationOptions) =>
      answer((admin, settings) => invite(admin, settings, options), invitationText),
    );
  agents
    .command('list')
    .description('list agents')
    .addOption(accountFilter())
    .action((filter: { account?: string }) => answer((admin) => admin('agents.list', filter)));
  agents
    .command('revoke')
    .argument('<agent>', agentArgument)
    .description('revoke an agent: its stream is cut within 5 s')
    .action((agent_id: string) => answer((admin) => admin('agents.revoke', { agent_id })));
  agents
    .command('remove')
    .argument('<agent>', agentArgument)
    .description('remove a revoked agent from the lists; checks and events keep its name')
    .action((agent_id: string) => answer((admin) => admin('agents.remove', { agent_id })));
  agents
    .command('rename')
    .argument('<agent>', agentArgument)
    .argument('<name>')
    .description('give an agent another name; checks and events show it too')
    .action((agent_id: string, name: string) =>
      answer((admin) => admin('agents.rename', { agent_id, name })),
    );
  agents
    .command('move')
    .argument('<agent>', agentArgument)
    .argument('<location>')
    .description('move an agent to another Location of its account, by name or id')
    .action((agent_id: string, location: string) => answer((admin) => move(admin, { agent_id, location })));
  addUpgradeCommand(agents, answer);
  agents
    .command('unfence')
    .argument('<agent>', agentArgument)
    .description('let a fenced agent connect again, once only one of the two copies is left')
    .action((agent_id: string) => answer((admin) => admin('agents.unfence', { agent_id })));
}

interface UpgradeOptions {
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
    .option('--agent <agent>', `this agent: ${agentArgument}`)
    .action(({ account, version, all, location, agent }: UpgradeOptions, command: Command) => {
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

async function move(admin: Admin, request: { readonly agent_id: string; readonly location: string }) {
  const { left_without_agent: emptyLocation, ...moved } = await admin('agents.move', request);
  if (emptyLocation !== null)
    console.error(
      `vantage: the Location ${emptyLocation} no longer has an agent, so nothing is checked from there`,
    );
  return moved;
}

async function invite(admin: Admin, settings: SettingsReader['given'], options: InvitationOptions) {
  const { account, location, name } = options;
  const endpoint = options.endpoint ?? publicEndpoint(settings);
  if (options.check) checkEndpoint(endpoint, settings);
  if (options.endpoint === undefined && !isAddressSet(settings))
    console.error(
      `vantage: no setting has the address at which agents reach this controller, so the line has this machine's own name (${URL.parse(endpoint)?.hostname}): set VANTAGE_AGENT_URL, or use --endpoint`,
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
    check: options.check,
  });
  for (const warning of warnings) console.error(`vantage: ${warning}`);
  const environment = `VANTAGE_AGENT_ENDPOINTS=${endpoint} VANTAGE_AGENT_TOKEN=${invited.token} VANTAGE_CA_FILE=ca.pem`;
  return { ...invited, command: command ?? `${environment} ./vantage agent`, environment };
}

/** The answer for people. The line to paste comes last, on its own. */
function invitationText({ command, ...rest }: Awaited<ReturnType<typeof invite>>): string {
  return `${render(rest, false)}\n\nPaste this line on the host:\n\n${command}\n`;
}

/** Parses comma-separated addresses of agents' ports. */
function parseEndpoint(text: string): string {
  const addresses = addressesOf(text);
  if (addresses.length === 0 || !addresses.every(isEndpoint))
    throw new InvalidArgumentError('An endpoint is https://host:port.');
  return addresses.join(',');
}

function isEndpoint(text: string): boolean {
  const url = URL.parse(text);
  return url?.protocol === 'https:' && url.pathname === '/' && url.search === '' && url.username === '';
}
