import { readFileSync, rmSync } from 'node:fs';
import { get } from 'node:https';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Fault, messageOf, type SettingsReader, settings } from '@vantage/kernel';
import { z } from 'zod';
import { createAdmin } from '../admin.ts';
import type { Part } from '../part.ts';
import { whenAskedToEnd } from '../signals.ts';
import { type ChildEvents, type Supervised, supervise } from './child.ts';
import { openData } from './data-folder.ts';
import { endDatabase } from './database-end.ts';
import { greeting } from './greeting.ts';
import { isHeld, lockData } from './lock.ts';
import { preflight } from './preflight.ts';
import { allEnded, type ProcessId, tell } from './processes.ts';
import { type Provision, provision } from './provision.ts';
import { writeWhole } from './write-whole.ts';

/** What the controller tells its supervisor once it serves. */
const readyMessage = z.object({
  type: z.literal('ready'),
  base_url: z.string(),
  agent_endpoint: z.string(),
  ca_file: z.string(),
  agent_ca_file: z.string(),
  database_url: z.string(),
});
type Ready = z.infer<typeof readyMessage>;

/** What it tells on the way there. */
const progressMessage = z.object({ type: z.literal('progress'), text: z.string() });

/** What the agent gets from us once the controller serves, and not from the operator. */
const notYet = {
  VANTAGE_AGENT_ENDPOINTS: 'https://localhost',
  VANTAGE_AGENT_TOKEN: 'unissued',
  VANTAGE_AGENT_TOKEN_FILE: undefined,
  VANTAGE_CA_FILE: undefined,
  VANTAGE_AGENT_DATA: undefined,
};

/** Parts get this long to end by themselves; the whole end takes at most 8 s. */
const endMs = 6_300;
/** From here on a wait is worth a word. */
const slowMs = 10_000;

/**
 * Runs a whole system on this machine until it is asked to end: controller, database and one agent at the Location `local`, each
 * started again when it dies. Writes quickstart.json (design.md, section 8) when all answers. Throws a Fault when it cannot start.
 */
export async function up(options: {
  readonly settings: Pick<SettingsReader, 'given' | 'problems'>;
  readonly env: NodeJS.ProcessEnv;
  /** Prints what quickstart.json holds instead of the greeting. */
  readonly json: boolean;
}): Promise<void> {
  const say = (text: string) => console.error(`vantage: ${text}`);
  const { given, problems } = options.settings;
  const environment = (reader: Part) => environmentFor({ given, env: options.env }, reader);
  const dataDir = openData(path.resolve(given['VANTAGE_DATA'] ?? 'data'));
  const quickstart = path.join(dataDir, 'quickstart.json');
  // One that a killed start left behind tells of nothing that runs.
  if (!isHeld(dataDir)) rmSync(quickstart, { force: true });
  const lock = await lockData(dataDir, say);
  rmSync(quickstart, { force: true });
  const parts = new Map<Part, Supervised>();
  const running = () =>
    [...parts.values()].flatMap((part): ProcessId[] => {
      const id = part.current();
      return id ? [id] : [];
    });
  const ending = new AbortController();
  const insist = () => {
    for (const id of running()) tell(id, 'SIGKILL');
  };
  using _wish = whenAskedToEnd(() => ending.abort(), insist);
  say(`starting on ${dataDir}`);

  let ready: Ready | undefined;
  let credentials: Provision | undefined;
  let served = false;
  let failure: Fault | undefined;
  const tellQuickstart = () => {
    const [controller, agent] = [parts.get('controller')?.current(), parts.get('agent')?.current()];
    if (!served || !ready || !credentials || !controller || !agent) return undefined;
    const { base_url, ca_file, agent_endpoint, database_url } = ready;
    const { api_key_uw, api_key_ur } = credentials;
    const pids = { controller: controller.pid, agent: agent.pid };
    const all = {
      base_url,
      ca_file,
      api_key_uw,
      api_key_ur,
      agent_endpoint,
      dashboard_url: null,
      database_url,
      pids,
    };
    const text = `${JSON.stringify(all, null, 2)}\n`;
    writeWhole(quickstart, text, 0o600);
    return text;
  };
  const events = (part: Part): ChildEvents => ({
    onStart() {
      // The map has the part only after its first start; its pid is kept from the next turn on.
      setImmediate(() => {
        lock.children(running());
        tellQuickstart();
      });
    },
    onMessage(message) {
      const told = readyMessage.safeParse(message);
      if (part === 'controller' && told.success) ready = told.data;
      const step = progressMessage.safeParse(message);
      if (step.success && !served) say(step.data.text);
    },
    onDeath({ how, lastWords, againInMs }) {
      if (served) {
        say(
          `the ${part} ended (${how}), starting it again in ${(againInMs / 1000).toFixed(1)} s; see log/${part}.log`,
        );
        return;
      }
      failure = new Fault('stop', 'first_start', `the ${part} did not start (${how}):\n${lastWords}`);
      ending.abort();
    },
  });
  const start = (part: Part, own: () => NodeJS.ProcessEnv) =>
    parts.set(part, supervise({ part, logDir: path.join(dataDir, 'log'), events: events(part), env: own }));
  try {
    await preflight(
      problems,
      [
        { part: 'controller', env: { ...environment('controller'), VANTAGE_DATA: dataDir } },
        { part: 'agent', env: { ...environment('agent'), ...notYet } },
      ],
      ending.signal,
    );
    ending.signal.throwIfAborted();
    start('controller', () => ({ ...environment('controller'), VANTAGE_DATA: dataDir }));
    ready = await until(() => ready, ending.signal);
    say('the controller serves');
    const { database_url, agent_endpoint, agent_ca_file } = ready;
    const admin = createAdmin(database_url, ending.signal);
    credentials = await provision(dataDir, admin);
    const { agent_token } = credentials;
    start('agent', () => ({
      ...environment('agent'),
      VANTAGE_AGENT_ENDPOINTS: agent_endpoint,
      VANTAGE_AGENT_TOKEN: undefined,
      VANTAGE_AGENT_TOKEN_FILE: path.join(dataDir, 'agent-token'),
      VANTAGE_CA_FILE: agent_ca_file,
      VANTAGE_AGENT_DATA: path.join(dataDir, 'agent'),
    }));
    const slow = setTimeout(
      () =>
        say(
          'still waiting for the agent to connect; see log/agent.log ("a copy of this agent was seen": the folder is older than the database; "./vantage agents list" names the agent, and "./vantage agents unfence" lets it in)',
        ),
      slowMs,
    );
    await until(
      async () =>
        (await admin('first-run.await-agent', { agent_token, within_ms: slowMs })).connected || undefined,
      ending.signal,
    ).finally(() => clearTimeout(slow));
    say('the agent at the Location "local" is connected');
    const { base_url, ca_file } = ready;
    const fromMs = performance.now();
    await until(async () => {
      if (await answers(base_url, ca_file)) return true;
      if (performance.now() - fromMs < slowMs) return undefined;
      say(
        `${base_url} does not answer with a certificate that ${ca_file} proves; check VANTAGE_TLS_CERT and the name`,
      );
      return true;
    }, ending.signal);
    served = true;
    const told = tellQuickstart();
    console.log(options.json && told !== undefined ? told.trimEnd() : greeting(ready, credentials, dataDir));
    await until(() => undefined, ending.signal);
  } catch (error) {
    if (!ending.signal.aborted)
      failure =
        error instanceof Fault ? error : new Fault('stop', 'first_start', messageOf(error), { cause: error });
  }
  say('ending');
  lock.ending();
  for (const part of parts.values()) part.end();
  const last = running();
  if (!(await allEnded(last, endMs))) insist();
  await allEnded(last, 500);
  await endDatabase(path.join(dataDir, 'postgres'));
  rmSync(quickstart, { force: true });
  lock.release();
  if (failure) throw failure;
  say('ended');
}

/** The environment of a part: ours, with the settings that it reads and no others. */
function environmentFor(
  options: { readonly given: Readonly<Record<string, string>>; readonly env: NodeJS.ProcessEnv },
  reader: Part,
): NodeJS.ProcessEnv {
  const rest = Object.entries(options.env).filter(([name]) => !name.startsWith('VANTAGE_'));
  const own = Object.entries(options.given).filter(
    ([name]) => name !== 'VANTAGE_SETTINGS_FILE' && ['both', reader].includes(settings[name]?.reader ?? ''),
  );
  return Object.fromEntries([...rest, ...own]);
}

/** Looks every 50 ms until `look` finds something; rejects when the signal aborts. */
async function until<T>(look: () => T | undefined | Promise<T | undefined>, signal: AbortSignal): Promise<T> {
  while (true) {
    const found = await look();
    if (found !== undefined) return found;
    await delay(50, undefined, { signal });
  }
}

/** Whether the API greets. */
function answers(baseUrl: string, caFile: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get(
      `${baseUrl}/hello`,
      { ca: readFileSync(caFile), agent: false, timeout: 5_000 },
      (answer) => {
        answer.resume();
        answer.once('end', () => resolve(answer.statusCode === 200));
        answer.once('error', () => resolve(false));
      },
    );
    request.once('timeout', () => request.destroy());
    request.once('error', () => resolve(false));
  });
}
