import { productVersion as version } from '@vantage/domain';
import { whyNoPing } from '@vantage/icmp';
import { type Clock, every, type Logger, messageOf } from '@vantage/kernel';
import { serveMetrics } from '@vantage/kernel/metrics';
import type { AgentConfig } from './config/agent-config.ts';
import { timingOf } from './config/agent-timing.ts';
import { createLocalSecrets } from './config/local-secrets-file.ts';
import { statusOf } from './doctor/current-status.ts';
import { recordLink } from './doctor/link-record.ts';
import { serveStatus } from './doctor/status-socket.ts';
import { openIdentityFolder } from './enrol/identity-folder.ts';
import { createOwnCertificate, type OwnCertificate } from './enrol/own-certificate.ts';
import { createAgentMetrics } from './metrics/agent-metrics.ts';
import { createDeviceAddresses } from './notices/device-addresses.ts';
import { listenForNotices } from './notices/notice-listener.ts';
import type { AgentPolicy } from './policy/agent-policy.ts';
import { concurrencyOf } from './run/check-concurrency.ts';
import { createChecks } from './run/checks.ts';
import { runUntilDrained } from './run/drain.ts';
import { startPeriodicWork } from './run/periodic-work.ts';
import { reportCoverage } from './run/report-coverage.ts';
import { createSessionHandlers } from './run/session-handlers.ts';
import { openStores, type Stores } from './run/stores.ts';
import { standardPings } from './stream/controller-connection.ts';
import { type ControllerLink, createLink } from './stream/controller-link.ts';
import { batchOf } from './stream/outgoing-batch.ts';
import { createUploader } from './stream/uploader.ts';
import { openUpgrader, type Upgrader } from './upgrade/upgrader.ts';

/** Interval between checks whether the certificate is due for renewal. */
const renewEveryMs = 10 * 60_000;

interface AgentDeps {
  readonly config: AgentConfig;
  readonly policy: AgentPolicy;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** The launcher of this process; undefined: no launcher could start another version. */
  readonly launcher?: { readonly home: string | undefined; readonly restart: () => void };
}

/** Runs the agent until the signal aborts. Resolves when all its state is on disk. */
export async function runAgent(deps: AgentDeps): Promise<void> {
  const { config, policy, clock, random, log, signal } = deps;
  const timing = timingOf(config.testTimeScale);
  const concurrency = concurrencyOf(config, log);
  await using stores = await openStores({ config, clock, log, timing });
  const { assignments, identity, outbox, retryStore } = stores;
  const localSecrets = createLocalSecrets({
    file: config.secretsFile,
    onFault: (text) => log.error(`${text}; the secrets read before stay in force`),
    onChange: (count) => log.info({ secrets: count }, 'the local secrets of this host were read again'),
  });
  const enrolment = await openOwnCertificate(deps, stores);
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
  const sessionHandlers = createSessionHandlers({ ...parts, checks, uploader, upgrader, version, capacity });

  log.info({ version, devices: assignments.all.size, records: outbox.records }, 'agent starts');
  reportPingFault(whyNoPing(), log);
  checks.table.replace([...assignments.all.values()].map(timing.scaled));
  checks.anchors.set(assignments.anchors);
  if (identity.wallOffsetUs !== undefined) checks.scheduler.start();
  const { metricsPort } = config;
  const addresses = createDeviceAddresses({
    assignments: () => assignments.all,
    monoMs: () => clock.monoMs(),
  });
  if (policy.traps !== undefined || policy.syslog !== undefined)
    checks.onChecked((deviceNo, used) => addresses.checked(deviceNo, used));
  await using notices = await listenForNotices({
    policy,
    clock,
    log,
    addresses,
    nowUs: () => stores.time.nowUs(),
    checkNow: (deviceNo) => void checks.table.runNow(deviceNo),
    append: (value) => stores.append({ case: 'notice', value }),
    localSecret: (name) => localSecrets.current.get(name)?.reveal(),
  });
  await using _metrics =
    metricsPort === undefined
      ? undefined
      : await serveMetrics(createAgentMetrics({ ...stores, ...checks, link, notices }, version), metricsPort);
  using _periodicWork = startPeriodicWork({ ...parts, checks });
  using _renewals = every(clock, renewEveryMs, () => void enrolment.renewIfDue(signal));
  const { handlers, record } = recordLink(sessionHandlers, clock);
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

/** Reports that this agent may not ping: to its log, and to `vantage up`, which may have started it. */
function reportPingFault(fault: string | undefined, log: Logger): void {
  if (fault === undefined) return;
  log.warn(`PING checks do not work here: ${fault}`);
  process.send?.({ type: 'ping-fault', text: fault });
}

/** The agent's certificate, from its folder. */
async function openOwnCertificate(
  { config, clock, random, log }: AgentDeps,
  { identity, time }: Stores,
): Promise<OwnCertificate> {
  const { endpoints, token, ca, proxy, dataDir } = config;
  return createOwnCertificate({
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

/** Upgrades this agent when the controller requests it over the stream. */
function openOwnUpgrader(
  { config, launcher, clock, random, log, signal }: AgentDeps,
  { enrolment, link }: { readonly enrolment: OwnCertificate; readonly link: ControllerLink },
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
