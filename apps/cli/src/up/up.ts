import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  Fault,
  type KeptFiles,
  keepFiles,
  messageOf,
  type SettingsReader,
  whenAborted,
} from '@vantage/kernel';
import { type Admin, startAdmin } from '../admin-process.ts';
import { onEndRequest } from '../end-request.ts';
import { apiAnswers } from './api-answers.ts';
import type { Ready } from './controller-messages.ts';
import { openData } from './data-folder.ts';
import { isLocked, lockData } from './data-lock.ts';
import { createSystem, type LocalSystem } from './local-system.ts';
import {
  agentEnvironment,
  agentPreflightEnvironment,
  controllerEnvironment,
  type PartContext,
} from './part-environment.ts';
import { preflight } from './preflight.ts';
import { allEnded, endDatabase } from './process-id.ts';
import { type Provision, provision } from './provision-system.ts';
import { quickstartText, removeQuickstart } from './quickstart.ts';
import { serverFingerprint } from './server-fingerprint.ts';
import { greeting } from './start-greeting.ts';

/** The time for the parts to end on their own. Everything ends within 8 s. */
const endMs = 6_300;
/** The operator is informed about a step that takes longer. */
const slowMs = 10_000;

interface UpOptions {
  readonly settings: Pick<SettingsReader, 'given' | 'problems'>;
  readonly env: NodeJS.ProcessEnv;
  /** Print JSON (`quickstartText`) instead of the greeting. */
  readonly json: boolean;
}

/** A start on a locked data folder. */
interface SystemStart extends UpOptions {
  readonly dataDir: string;
  readonly files: KeptFiles;
  readonly system: LocalSystem;
  readonly ending: AbortSignal;
}

const say = (text: string) => console.error(`vantage: ${text}`);

/**
 * Runs a whole system on this machine until a request to end: controller, database and one agent at the Location
 * `local`. A part that dies is restarted. quickstart.json exists while everything answers. Throws a Fault when the
 * system cannot start.
 */
export async function up(options: UpOptions): Promise<void> {
  const dataDir = openData(path.resolve(options.settings.given['VANTAGE_DATA'] ?? 'data'));
  // A quickstart.json without a running system is left from a start that was killed.
  if (!isLocked(dataDir)) removeQuickstart(dataDir);
  const files = keepFiles(say);
  const lock = await lockData(dataDir, say, files);
  removeQuickstart(dataDir);
  const ending = new AbortController();
  const system = createSystem({ dataDir, lock, files, say, onFailure: (fault) => ending.abort(fault) });
  using _request = onEndRequest(
    () => ending.abort(),
    () => system.kill(),
  );
  say(`starting on ${dataDir}`);
  const failure = await runUntilEnd({ ...options, dataDir, files, system, ending: ending.signal });
  say('ending');
  lock.ending();
  await endAll(system, dataDir);
  removeQuickstart(dataDir);
  lock.release();
  if (failure) throw failure;
  say('ended');
}

/** Starts everything and waits for the end. Returns the reason where it was a failure. */
async function runUntilEnd(start: SystemStart): Promise<Fault | undefined> {
  try {
    await startAll(start);
    await whenAborted(start.ending);
  } catch (error) {
    if (!start.ending.aborted)
      return error instanceof Fault
        ? error
        : new Fault('stop', 'first_start', messageOf(error), { cause: error });
  }
  return start.ending.reason instanceof Fault ? start.ending.reason : undefined;
}

async function startAll(start: SystemStart): Promise<void> {
  const { dataDir, system, ending, json, settings, env } = start;
  const context: PartContext = { given: settings.given, env };
  const roles =
    settings.given['VANTAGE_ROLES'] === undefined
      ? []
      : ['VANTAGE_ROLES is for "./vantage controller": "./vantage up" runs one controller with all roles'];
  await preflight(
    [...settings.problems, ...roles],
    [
      { part: 'controller', env: controllerEnvironment(context, dataDir) },
      { part: 'agent', env: agentPreflightEnvironment(context) },
    ],
    ending,
  );
  ending.throwIfAborted();
  system.start('controller', () => controllerEnvironment(context, dataDir));
  const ready = await until(() => system.ready(), ending);
  say('the controller serves');
  const credentials = await startAgent(start, context, ready);
  await waitForApi(ready, ending);
  const quickstart = await until(() => system.publish(credentials), ending);
  if (json) return console.log(quickstartText(quickstart, credentials.isFresh, dataDir));
  // Browsers trust the operator's own certificate, or the operator knows why not.
  const isOwn = settings.given['VANTAGE_TLS_CERT'] !== undefined;
  const fingerprint = isOwn ? undefined : await serverFingerprint(ready);
  console.log(greeting({ ...ready, fingerprint }, credentials, dataDir));
}

/** Issues missing credentials, starts the agent, and waits for its connection. */
async function startAgent(
  { dataDir, files, system, ending }: SystemStart,
  context: PartContext,
  ready: Ready,
): Promise<Provision> {
  await using started = startAdmin(ready.database_url, ending);
  const credentials = await provision(dataDir, started.admin, files);
  system.start('agent', () => agentEnvironment(context, dataDir, ready));
  await agentConnects(started.admin, credentials.agent_token, ending);
  say('the agent at the Location "local" is connected');
  return credentials;
}

async function agentConnects(admin: Admin, agent_token: string, ending: AbortSignal): Promise<void> {
  const isConnected = async () =>
    (await admin('first-run.await-agent', { agent_token, within_ms: slowMs })).connected || undefined;
  if (await isConnected()) return;
  say(
    'still waiting for the agent to connect; see log/agent.log ("a copy of this agent was seen" means that the folder is older than the database: find the agent with "./vantage agents list", then run "./vantage agents unfence")',
  );
  await until(isConnected, ending);
}

/** Waits until the REST API answers with a certificate of the CA. Continues with a warning when that takes too long. */
async function waitForApi({ base_url, ca_file }: Ready, ending: AbortSignal): Promise<void> {
  const fromMs = performance.now();
  await until(async () => {
    if (await apiAnswers(base_url, ca_file)) return true;
    if (performance.now() - fromMs < slowMs) return undefined;
    say(
      `${base_url} does not answer with a certificate that ${ca_file} verifies; check VANTAGE_TLS_CERT and the name`,
    );
    return true;
  }, ending);
}

/** Ends the parts, and the database when its controller could not. */
async function endAll(system: LocalSystem, dataDir: string): Promise<void> {
  system.end();
  const processes = system.processes();
  if (!(await allEnded(processes, endMs))) system.kill();
  await allEnded(processes, 500);
  await endDatabase(path.join(dataDir, 'postgres'));
}

/** Calls `find` every 50 ms until it returns a value. Rejects when `signal` aborts. */
async function until<T>(find: () => T | undefined | Promise<T | undefined>, signal: AbortSignal): Promise<T> {
  while (true) {
    const found = await find();
    if (found !== undefined) return found;
    await delay(50, undefined, { signal });
  }
}
