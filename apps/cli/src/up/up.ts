import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { get } from 'node:https';
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
import { type Admin, startAdmin } from '../admin.ts';
import type { Part } from '../part.ts';
import { whenAskedToEnd } from '../signals.ts';
import type { Ready } from './controller-messages.ts';
import { openData } from './data-folder.ts';
import {
  agentEnvironment,
  agentPreflightEnvironment,
  controllerEnvironment,
  type Surroundings,
} from './environment.ts';
import { isHeld, lockData } from './lock.ts';
import { allEnded, endDatabase } from './processes.ts';
import { credentialsFile, type Provision, provision } from './provision.ts';
import { dashboardUrl, quickstartText, removeQuickstart } from './quickstart.ts';
import { createSystem, type System } from './system.ts';

/** The parts get this long to end by themselves; everything ends within 8 s. */
const endMs = 6_300;
/** After this time the operator is informed that a step takes long. */
const slowMs = 10_000;

/** The command line of `vantage up`. */
interface UpOptions {
  readonly settings: Pick<SettingsReader, 'given' | 'problems'>;
  readonly env: NodeJS.ProcessEnv;
  /** Prints JSON (`quickstartText`) instead of the greeting. */
  readonly json: boolean;
}

/** A start on a data folder that is locked. */
interface Start extends UpOptions {
  readonly dataDir: string;
  readonly files: KeptFiles;
  readonly system: System;
  readonly ending: AbortSignal;
}

const say = (text: string) => console.error(`vantage: ${text}`);

/**
 * Runs a whole system on this machine until it is asked to end: controller, database and one agent at the Location
 * `local`. A part that dies is started again. quickstart.json is there while everything answers. Throws a Fault when
 * the system cannot start.
 */
export async function up(options: UpOptions): Promise<void> {
  const dataDir = openData(path.resolve(options.settings.given['VANTAGE_DATA'] ?? 'data'));
  // A file that a killed start left behind describes nothing that runs.
  if (!isHeld(dataDir)) removeQuickstart(dataDir);
  const files = keepFiles(say);
  const lock = await lockData(dataDir, say, files);
  removeQuickstart(dataDir);
  const ending = new AbortController();
  const system = createSystem({ dataDir, lock, files, say, onFailure: (fault) => ending.abort(fault) });
  using _request = whenAskedToEnd(
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

/** Starts everything and waits for the end; returns the reason when it was a failure. */
async function runUntilEnd(start: Start): Promise<Fault | undefined> {
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

async function startAll(start: Start): Promise<void> {
  const { dataDir, system, ending, json, settings, env } = start;
  const surroundings: Surroundings = { given: settings.given, env };
  const roles =
    settings.given['VANTAGE_ROLES'] === undefined
      ? []
      : ['VANTAGE_ROLES is for "./vantage controller": "./vantage up" runs one controller with all roles'];
  await preflight(
    [...settings.problems, ...roles],
    [
      { part: 'controller', env: controllerEnvironment(surroundings, dataDir) },
      { part: 'agent', env: agentPreflightEnvironment(surroundings) },
    ],
    ending,
  );
  ending.throwIfAborted();
  system.start('controller', () => controllerEnvironment(surroundings, dataDir));
  const ready = await until(() => system.ready(), ending);
  say('the controller serves');
  const credentials = await openAgent(start, surroundings, ready);
  await apiIsProven(ready, ending);
  const quickstart = await until(() => system.publish(credentials), ending);
  console.log(
    json ? quickstartText(quickstart, credentials.isFresh, dataDir) : greeting(ready, credentials, dataDir),
  );
}

/** Issues the credentials that are missing, starts the agent, and waits until it is connected. */
async function openAgent(
  { dataDir, files, system, ending }: Start,
  surroundings: Surroundings,
  ready: Ready,
): Promise<Provision> {
  await using started = startAdmin(ready.database_url, ending);
  const credentials = await provision(dataDir, started.admin, files);
  system.start('agent', () => agentEnvironment(surroundings, dataDir, ready));
  await agentConnects(started.admin, credentials.agent_token, ending);
  say('the agent at the Location "local" is connected');
  return credentials;
}

/** Waits until the agent with this token has its stream. */
async function agentConnects(admin: Admin, agent_token: string, ending: AbortSignal): Promise<void> {
  const isConnected = async () =>
    (await admin('first-run.await-agent', { agent_token, within_ms: slowMs })).connected || undefined;
  if (await isConnected()) return;
  say(
    'still waiting for the agent to connect; see log/agent.log ("a copy of this agent was seen": the folder is older than the database; "./vantage agents list" names the agent, and "./vantage agents unfence" lets it in)',
  );
  await until(isConnected, ending);
}

/**
 * Waits until the REST API answers with a certificate that the CA file proves; continues with a warning when that takes
 * too long.
 */
async function apiIsProven({ base_url, ca_file }: Ready, ending: AbortSignal): Promise<void> {
  const fromMs = performance.now();
  await until(async () => {
    if (await apiAnswers(base_url, ca_file)) return true;
    if (performance.now() - fromMs < slowMs) return undefined;
    say(
      `${base_url} does not answer with a certificate that ${ca_file} proves; check VANTAGE_TLS_CERT and the name`,
    );
    return true;
  }, ending);
}

/** Ends the parts, and the database when its controller could not. */
async function endAll(system: System, dataDir: string): Promise<void> {
  system.end();
  const last = system.processes();
  if (!(await allEnded(last, endMs))) system.kill();
  await allEnded(last, 500);
  await endDatabase(path.join(dataDir, 'postgres'));
}

/** Calls `find` every 50 ms until it finds something; rejects when the signal aborts. */
async function until<T>(find: () => T | undefined | Promise<T | undefined>, signal: AbortSignal): Promise<T> {
  while (true) {
    const found = await find();
    if (found !== undefined) return found;
    await delay(50, undefined, { signal });
  }
}

/** Whether the REST API answers, with a certificate that the CA file proves. */
function apiAnswers(baseUrl: string, caFile: string): Promise<boolean> {
  return new Promise((resolve) => {
    const options = { ca: readFileSync(caFile), agent: false, timeout: 5_000 };
    const request = get(`${baseUrl}/hello`, options, (answer) => {
      answer.resume();
      answer.once('end', () => resolve(answer.statusCode === 200));
      answer.once('error', () => resolve(false));
    });
    request.once('timeout', () => request.destroy());
    request.once('error', () => resolve(false));
  });
}

/**
 * The text that the operator sees when everything answers. It shows the keys when they were issued just now. Later
 * starts name the file that holds them, because others read the journal into which the output of a service goes.
 */
export function greeting(
  ready: { readonly base_url: string; readonly ca_file: string },
  credentials: Pick<Provision, 'api_key_ua' | 'api_key_uw' | 'api_key_ur' | 'isFresh'>,
  dataDir: string,
): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const { api_key_ua: adminKey } = credentials;
  const admin =
    adminKey === undefined ? '' : `Key (UA)     ${adminKey}   also invites people and makes keys\n  `;
  const keys = credentials.isFresh
    ? `${admin}Key (UW)     ${credentials.api_key_uw}   views and modifies
  Key (UR)     ${credentials.api_key_ur}   views`
    : `Keys         in ${path.join(dataDir, credentialsFile)} (shown on the first start only)`;
  const key = credentials.isFresh ? credentials.api_key_uw : '<key>';
  return `
Vantage is up: ${dashboardUrl(ready.base_url)}

  API          ${ready.base_url}
  ${keys}
  Data, logs   ${dataDir}

Say hello:

  curl --cacert ${quoted(ready.ca_file)} -H 'Service-API-Key: ${key}' ${ready.base_url}/hello

Ctrl-C ends everything. ./vantage --help shows the operator's commands, ./vantage help settings the settings.
`;
}

/** A part and the environment in which it will run. */
interface Candidate {
  readonly part: Part;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Lets each part validate its settings before anything starts; the controller also tries its ports. Throws one Fault
 * that names all problems, the `known` ones first. Returns without a result when the signal aborts.
 */
async function preflight(
  known: readonly string[],
  candidates: readonly Candidate[],
  signal: AbortSignal,
): Promise<void> {
  const found = await Promise.all(candidates.map((one) => problemsOf(one, signal)));
  if (signal.aborted) return;
  const problems = [...new Set([...known, ...found.flat()])];
  if (problems.length > 0) throw new Fault('stop', 'settings', problems.join('\n'));
}

/** The programs that validate the settings of each part, under `apps/`. */
const programs: Readonly<Record<Candidate['part'], string>> = {
  agent: 'agent/src/config/validate-settings.ts',
  controller: 'controller/src/platform/config/validate-settings.ts',
};

function problemsOf({ part, env }: Candidate, signal: AbortSignal): Promise<string[]> {
  const program = path.resolve(import.meta.dirname, '../../..', programs[part]);
  return new Promise((resolve) => {
    execFile(process.execPath, [program], { env, signal }, (error, out, err) => {
      const printed = out.trim() || (error ? err.trim() || error.message : '');
      resolve(printed === '' ? [] : printed.split('\n'));
    });
  });
}
