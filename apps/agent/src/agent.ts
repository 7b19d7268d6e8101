import { productVersion as version } from '@vantage/domain';
import { whyNoPing } from '@vantage/icmp';
import { type Clock, every, type Logger, messageOf } from '@vantage/kernel';
import { serveMetrics } from '@vantage/kernel/metrics';
import type { Config } from './config/config.ts';
import { createLocalSecrets } from './config/local-secrets.ts';
import { timingOf } from './config/time-scale.ts';
import { recordLink, statusOf } from './doctor/status-of.ts';
import { serveStatus } from './doctor/status-socket.ts';
import { createEnrolment, type Enrolment } from './enrol/enrolment.ts';
import { openIdentityFolder } from './enrol/identity-folder.ts';
import { createAgentMetrics } from './metrics/agent-metrics.ts';
import type { AgentPolicy } from './policy/policy.ts';
import { concurrencyOf, createChecks } from './run/checks.ts';
import { createConversation } from './run/conversation.ts';
import { runUntilDrained } from './run/drain.ts';
import { reportCoverage, startRounds } from './run/rounds.ts';
import { openStores, type Stores } from './run/stores.ts';
import { standardPings } from './stream/connection.ts';
import { createLink, type Link } from './stream/link.ts';
import { batchOf, createUploader } from './stream/uploader.ts';
import { openUpgrader, type Upgrader } from './upgrade/upgrader.ts';

/** How often the agent looks whether its certificate is due. */
const renewEveryMs = 10 * 60_000;

/** The parts of an agent. */
interface AgentDeps {
  readonly config: Config;
  readonly policy: AgentPolicy;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** The launcher of this process; undefined: none that could start another version. */
  readonly launcher?: { readonly home: string | undefined; readonly restart: () => void };
}

/** Runs the agent until the signal aborts; resolves when everything it knows is on disk. */
export async function runAgent(deps: AgentDeps): Promise<void> {
  const { config, policy, clock, random, log, signal } = deps;
  const timing = timingOf(config.testTimeScale);
  const concurrency = concurrencyOf(config, log);
  await using stores = await openStores({ config, clock, log, timing });
  const { assignments, identity, outbox, retryStore } = stores;
  const localSecrets = createLocalSecrets({
    file: config.secretsFile,
    onFault: (text) => log.error(`${text}; the secrets read before stay in force`),
    onChange: (count) => log.info({ secrets: count }, "this machine's own secrets were read again"),
  });
  const enrolment = await openEnrolment(deps, stores);
  const { endpoints, proxy } = config;
  const link = createLink({
    endpoints,
    proxy,
    clock,
    random,
    pings: standardPings,
    prove: (endpoint, ending) => enrolment.prove(endpoint, ending),
    onRefused: () => enrolment.refused(),
  });
  const uploader = createUploader({
    outbox,
    clock,
    random,
    send: (batch) => link.send({ case: 'batch', value: batchOf(batch) }),
    stuck: (why) => link.drop(why),
    onError: (error) => log.error({ error: messageOf(error) }, 'unexpected error'),
  });
  const parts = { clock, log, timing, stores, link, localSecrets };
  const checks = createChecks({ ...parts, policy, random, concurrency, signal });
  const capacity = Math.min(policy.checksPerMinute, concurrency * 60);
  const upgrader = await openOwnUpgrader(deps, { enrolment, link });
  const conversation = createConversation({ ...parts, checks, uploader, upgrader, version, capacity });

  log.info({ version, devices: assignments.all.size, records: outbox.records }, 'agent starts');
  reportPingFault(whyNoPing(), log);
  checks.table.replace([...assignments.all.values()].map(timing.scaled));
  checks.anchors.set(assignments.anchors);
  if (identity.wallOffsetUs !== undefined) checks.scheduler.start();
  const { metricsPort } = config;
  await using _metrics =
    metricsPort === undefined
      ? undefined
      : await serveMetrics(createAgentMetrics({ ...stores, ...checks, link }, version), metricsPort);
  using _rounds = startRounds({ ...parts, checks });
  using _renewals = every(clock, renewEveryMs, () => void enrolment.renewIfDue(signal));
  const { handlers, record } = recordLink(conversation, clock);
  const startedMs = Math.round(clock.nowUs() / 1000);
  await using _status = await serveStatus(
    config.dataDir,
    () => statusOf({ startedMs, version, link: record(), stores }),
    (text) => log.info(`the status for vantage-agent status is not available: ${text}`),
  );
  await runUntilDrained({ ...parts, checks, handlers, signal });
  checks.anchors.stop();
  await upgrader.settled();
  await checks.scheduler.stop();
  await checks.diagnostics.stop();
  reportCoverage({ clock, stores, checks });
  await outbox.flushed();
  await retryStore.written();
  log.info({ records: outbox.records }, 'agent ends');
}

/** Says that this agent may not ping, to its log and to `vantage up`, which may have started it. */
function reportPingFault(fault: string | undefined, log: Logger): void {
  if (fault === undefined) return;
  log.warn(`checks by PING do not work here: ${fault}`);
  process.send?.({ type: 'ping-fault', text: fault });
}

/** The agent's certificate, from its folder. */
async function openEnrolment(
  { config, clock, random, log }: AgentDeps,
  { identity, time }: Stores,
): Promise<Enrolment> {
  const { endpoints, token, ca, proxy, dataDir } = config;
  return createEnrolment({
    endpoints,
    token,
    ca,
    proxy,
    clock,
    random,
    log,
    hadSessions: identity.hadSessions,
    folder: await openIdentityFolder(dataDir),
    nowUs: () => time.nowUs(),
  });
}

/** Upgrades of this agent, as the controller asks for them over the stream. */
function openOwnUpgrader(
  { config, launcher, clock, random, log, signal }: AgentDeps,
  { enrolment, link }: { readonly enrolment: Enrolment; readonly link: Link },
): Promise<Upgrader> {
  const { dataDir, releaseKeyFile, endpoints, proxy } = config;
  return openUpgrader({
    dataDir,
    releaseKeyFile,
    endpoints,
    proxy,
    version,
    clock,
    random,
    log,
    signal,
    home: launcher?.home,
    prove: (endpoint, ending) => enrolment.prove(endpoint, ending),
    send: (value) => void link.send({ case: 'upgradeReport', value }),
    restart: () => launcher?.restart(),
  });
}
