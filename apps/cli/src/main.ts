import { readFileSync } from 'node:fs';
import { type Accepted, createSettingsReader, Fault, type SettingsReader } from '@vantage/kernel';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import about from '../package.json' with { type: 'json' };
import { createAccount, listAccounts } from './accounts.ts';
import { inviteAgent, listAgents, revokeAgent, unfenceAgent } from './agents.ts';
import { inTransaction, runningDatabase, type Sql } from './database.ts';
import { checkEndpoint, defaultEndpoint } from './endpoint.ts';
import { issueKey, type Level, levels, listKeys, revokeKey } from './keys.ts';
import { createLocation, hasDefaultLocation, listLocations } from './locations.ts';
import { ignoreClosedOutput, render, renderFailure } from './output.ts';
import { runPart } from './part.ts';
import type { ScriptTrial, ScriptVerdict } from './script.ts';
import { settingsHelp } from './settings-help.ts';
import { up } from './up/up.ts';

/** A database by its URL, as the controller takes it. */
const databaseUrl: Accepted<string> = [
  z.string().regex(/^postgres(ql)?:\/\/./),
  'postgres://user:password@host:5432/name',
];

/** The settings, from the environment and the optional file, with what is wrong with them so far. */
function readSettings(): SettingsReader {
  return createSettingsReader({ env: process.env, readText: (file) => readFileSync(file, 'utf8') });
}

const program = new Command('vantage')
  .description('Self-hosted monitoring: a controller that knows what to watch, agents that look.')
  .version(about.version, '-V, --version', 'show the version')
  .option('--json', 'answer as JSON')
  .helpOption('-h, --help', 'show this')
  .addHelpText('after', settingsHelp(['controller', 'agent']))
  .addHelpText(
    'after',
    '\nA command ends with 0 when it is done, 1 when it failed, 2 when arguments or settings are wrong.',
  )
  .showHelpAfterError('(--help shows what is accepted)')
  .exitOverride();

/** Whether the answer is to be JSON. */
const asJson = () => program.opts()['json'] === true;

/** Runs one of the operator's commands in a transaction and prints its answer. */
async function answer(work: (sql: Sql) => Promise<object>): Promise<void> {
  const { given, problems, read } = readSettings();
  const url = read('VANTAGE_DATABASE_URL', databaseUrl);
  if (problems.length > 0) throw new Fault('stop', 'settings', problems.join('\n'));
  const found = await inTransaction(url ?? runningDatabase(given['VANTAGE_DATA'] ?? 'data'), work);
  console.log(render(found, asJson()));
}

/** `--json` after a command is the same as before it. */
const setJson = () => void program.setOptionValue('json', true);
/** A name as the API takes it. */
const name = (text: string) => {
  if (text.trim() === '' || text.length > 200)
    throw new InvalidArgumentError('A name has 1 to 200 characters.');
  return text;
};
/** An agents' port as an agent reaches it. */
const endpoint = (text: string) => {
  const url = URL.parse(text);
  if (url?.protocol !== 'https:' || url.pathname !== '/' || url.search !== '' || url.username !== '')
    throw new InvalidArgumentError('An endpoint is https://host:port.');
  return text;
};
const account = () => new Option('--account <name>', 'name or id of the account').default('default');
const maybeAccount = () => new Option('--account <name>', 'only of this account');

program
  .command('up')
  .description('run everything on this machine: controller, database and one agent (npm start)')
  .option('--json', 'answer as JSON: what quickstart.json holds', setJson)
  .addHelpText('after', settingsHelp(['controller', 'agent']))
  .action(() => up({ settings: readSettings(), env: process.env, json: asJson() }));
for (const part of ['controller', 'agent'] as const)
  program
    .command(part)
    .description(`run the ${part} alone; its log is lines of JSON on standard error`)
    .option('--json', 'accepted everywhere; changes nothing here', setJson)
    .addHelpText('after', settingsHelp([part]))
    .action(() => runPart(part));

const accounts = program.command('accounts').description('accounts, the owners of devices');
accounts
  .command('create')
  .argument('<name>', 'its name', name)
  .description('make an account')
  .option('--timezone <zone>', 'IANA time zone of its timestamps', 'UTC')
  .action((name: string, { timezone }: { timezone: string }) =>
    answer(async (sql) => {
      const made = await createAccount(sql, { name, timezone });
      if (!(await hasDefaultLocation(sql, name)))
        console.error(
          `vantage: nobody looks at the devices of ${name} yet: "./vantage locations create local --account ${name}" makes the Location of devices that name none, "./vantage agents invite" an agent for it`,
        );
      return made;
    }),
  );
accounts
  .command('list')
  .description('list accounts')
  .action(() => answer(listAccounts));

/** The password that standard input brings, without the line break at its end. */
const readPassword = () => {
  const password = readFileSync(0, 'utf8').replace(/\r?\n$/, '');
  if (password === '') throw new Fault('stop', 'settings', 'standard input brought no password');
  return password;
};

const keys = program.command('keys').description('API keys');
keys
  .command('issue')
  .description('issue a key; it is shown once')
  .addOption(account())
  .addOption(new Option('--level <level>', 'UW views and modifies, UR views').choices(levels).default('UW'))
  .option('--name <name>', 'what it is for', '')
  .option('--user <user>', 'also demand HTTP Basic with this user')
  .option('--password <->', '"-": and the password that standard input brings')
  .action((given: { account: string; level: Level; name: string; user?: string; password?: string }) => {
    if ((given.user === undefined) !== (given.password === undefined))
      throw new Fault('stop', 'settings', '--user and --password must be given together');
    if (given.user?.includes(':')) throw new Fault('stop', 'settings', 'a user must not contain ":"');
    const { user, password } = given;
    if (password !== undefined && password !== '-')
      throw new Fault(
        'stop',
        'settings',
        'a password is not taken as an argument, because every user of this machine could read it (ps): write "--password -" and give it on standard input',
      );
    const basic = user === undefined ? {} : { basic: { user, password: readPassword() } };
    const { account, level, name } = given;
    return answer((sql) => issueKey(sql, { account, level, name, ...basic }));
  });
keys
  .command('list')
  .description('list keys')
  .addOption(maybeAccount())
  .action(({ account }: { account?: string }) => answer((sql) => listKeys(sql, account)));
keys
  .command('revoke <key>')
  .description('revoke a key by its key_id or its first 6 characters')
  .action((key: string) => answer((sql) => revokeKey(sql, key)));

const locations = program.command('locations').description('places where agents look');
locations
  .command('create')
  .argument('<name>', 'its name', name)
  .description('make a Location')
  .addOption(account())
  .action((name: string, { account }: { account: string }) =>
    answer((sql) => createLocation(sql, { account, name })),
  );
locations
  .command('list')
  .description('list Locations')
  .addOption(maybeAccount())
  .action(({ account }: { account?: string }) => answer((sql) => listLocations(sql, account)));

const agents = program.command('agents').description('agents');
agents
  .command('invite')
  .description('make an agent and show the settings to start it with; its token is shown once')
  .addOption(account())
  .requiredOption('--location <name>', 'the Location at which it looks')
  .option('--name <name>', 'a name for it', '')
  .option(
    '--endpoint <url>',
    "the controller's agent port as the agent reaches it (default: that of this machine's controller)",
    endpoint,
  )
  .action((given: { account: string; location: string; name: string; endpoint?: string }) =>
    answer(async (sql) => {
      const { given: settings } = readSettings();
      const reached = given.endpoint ?? defaultEndpoint(settings);
      checkEndpoint(reached, settings);
      const { agent_id, token } = await inviteAgent(sql, given);
      const environment = `VANTAGE_AGENT_ENDPOINTS=${reached} VANTAGE_AGENT_TOKEN=${token} VANTAGE_CA_FILE=ca.pem`;
      return { agent_id, token, environment, command: `${environment} ./vantage agent` };
    }),
  );
agents
  .command('list')
  .description('list agents')
  .addOption(maybeAccount())
  .action(({ account }: { account?: string }) => answer((sql) => listAgents(sql, account)));
agents
  .command('revoke <agent_id>')
  .description('revoke an agent: its stream is cut within 5 s')
  .action((agentId: string) => answer((sql) => revokeAgent(sql, agentId)));
agents
  .command('unfence <agent_id>')
  .description('let an agent connect again whose copy was seen, once only one of the two is left')
  .action((agentId: string) => answer((sql) => unfenceAgent(sql, agentId)));

const scripts = program
  .command('script')
  .description('scripts, the programs of devices with the method Script');
scripts
  .command('run <file>')
  .description('run a script once from this machine, as an agent would, and show what became of it')
  .option('--timeout <seconds>', 'its Timeout', Number, 30)
  .option('--secrets <file>', 'a JSON file of values for secret("NAME"), by name')
  .action(async (file: string, { timeout, secrets }: { timeout: number; secrets?: string }) => {
    const trial: ScriptTrial = {
      file,
      timeoutSeconds: timeout,
      ...(secrets !== undefined && { secretsFile: secrets }),
    };
    const ending = new AbortController();
    // The probes take longer to load than all other commands to run.
    const { tryScript, verdictText } = await import('./script.ts');
    const verdict: ScriptVerdict = await tryScript(trial, ending.signal);
    console.log(asJson() ? render(verdict, true) : verdictText(verdict, file));
    if (verdict.ResultCode !== 1) process.exitCode = 1;
  });

for (const group of [accounts, keys, locations, agents, scripts])
  for (const command of group.commands) command.option('--json', 'answer as JSON', setJson);

/** Of `script run`: there was nothing to try. */
const unusable = ['unreadable', 'no_script', 'bad_secrets', 'bad_timeout'];

ignoreClosedOutput();
try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    // It has said itself what is wrong; help and version are no failures.
    process.exitCode = error.exitCode === 0 ? 0 : 2;
  } else {
    console.error(renderFailure(error, asJson()));
    const ownMistake = error instanceof Fault && ['settings', ...unusable].includes(error.code);
    process.exitCode = ownMistake ? 2 : 1;
  }
}
