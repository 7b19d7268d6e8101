import path from 'node:path';
import { isVersion, type ParcelArchitecture, readReleaseKey } from '@vantage/domain';
import { backoffMs, type Clock, type Logger, messageOf, readIfPresent, type Secret } from '@vantage/kernel';
import { UpgradeReport_State as State, type Upgrade } from '@vantage/proto';
import type { Proof } from '../enrol/own-certificate.ts';
import { standardPings } from '../stream/controller-connection.ts';
import { decideUpgrade } from './decide-upgrade.ts';
import { type DownloadOutcome, download } from './download.ts';
import { type FetchOutcome, fetchVersion } from './fetch-version.ts';
import { installedVersion } from './launch-plan.ts';
import type { ChosenVersion, TrialVersion } from './select-version.ts';
import { openVersionsFolder } from './versions-folder.ts';

/** A report to the controller about an upgrade. */
interface UpgradeReportFields {
  readonly upgradeId: string;
  readonly state: State;
  readonly text: string;
}

/** Runs another version of this agent when the controller requests it. */
export interface Upgrader {
  /** The architecture of this host's parcel; empty if the agent cannot upgrade itself. */
  readonly architecture: string;
  /** The reason why this agent cannot upgrade itself; empty: it can. */
  readonly fault: string;
  /** The controller requests another version. A request that is already in progress changes nothing. */
  request(upgrade: Upgrade): void;
  /** A stream is up: sends the last outcome again. */
  connected(): void;
  /** The controller answered a report of this agent, so a version on trial is confirmed. */
  reportAnswered(): void;
  /** Resolves when no upgrade is in progress. The signal of the agent ends a download. */
  settled(): Promise<void>;
}

const retries = { baseMs: 10_000, capMs: 60_000 };

/** Time limit for a busy controller or a broken connection. */
const maxFetchMs = 30 * 60_000;

const architectures: Readonly<Record<string, ParcelArchitecture>> = { x64: 'amd64', arm64: 'arm64' };

interface UpgraderDeps {
  /** Folder of the installed program, as the launcher passed it; undefined: no launcher started this agent. */
  readonly home: string | undefined;
  readonly dataDir: string;
  readonly releaseKeyFile: string | undefined;
  readonly version: string;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly endpoints: readonly string[];
  readonly proxy: Secret | undefined;
  readonly prove: (endpoint: string, signal: AbortSignal) => Promise<Proof>;
  readonly send: (report: UpgradeReportFields) => void;
  /** Ends this process, so that the launcher starts the chosen version. */
  readonly restart: () => void;
  readonly signal: AbortSignal;
}

/** Opens the upgrader. Reads the outcome of earlier upgrades, and removes the files of an interrupted one. */
export async function openUpgrader(deps: UpgraderDeps): Promise<Upgrader> {
  const { version, log, send } = deps;
  const host = await hostOf(deps);
  if ('fault' in host) return unable(host.fault, send);
  const { versions, installed, arch, releaseKeyFile } = host;
  let trial = entryOf(await versions.trial(), version);
  let current = entryOf(await versions.current(), version);
  let failed = await versions.failed();
  let work: { readonly upgradeId: string; readonly done: Promise<void> } | undefined;
  const fail = async (upgrade: Upgrade, text: string) => {
    log.warn({ version: upgrade.version }, `the upgrade failed: ${text}`);
    const { upgradeId } = upgrade;
    failed = { upgradeId, version: upgrade.version, text };
    send({ upgradeId, state: State.FAILED, text });
    await versions.keepFailure(failed);
  };
  const report = () => {
    if (failed !== undefined) send({ upgradeId: failed.upgradeId, state: State.FAILED, text: failed.text });
    if (trial === undefined && current !== undefined)
      send({ upgradeId: current.upgradeId, state: State.RUNNING, text: '' });
  };
  const previous = () => current?.previous ?? (version === installed ? undefined : installed);
  const prepare = async (upgrade: Upgrade, kind: 'switch' | 'download'): Promise<string | undefined> => {
    if (kind === 'switch') return undefined;
    send({ upgradeId: upgrade.upgradeId, state: State.DOWNLOADING, text: '' });
    const request = { version: upgrade.version, arch, releaseKeyFile, versions };
    const fetched = await fetchWithRetries(deps, (from) => fetchVersion({ ...request, download: from }));
    return fetched.kind === 'there' ? undefined : fetched.text;
  };
  const upgradeTo = async (upgrade: Upgrade) => {
    const { upgradeId } = upgrade;
    const requested = upgrade.version;
    const isOnTrial = trial !== undefined;
    const decision = decideUpgrade({ requested, running: version, previous: previous(), isOnTrial });
    if (decision.kind === 'none') return send({ upgradeId, state: State.RUNNING, text: '' });
    if (decision.kind === 'refuse') return fail(upgrade, decision.text);
    const fault = await prepare(upgrade, decision.kind);
    if (deps.signal.aborted) return;
    if (fault !== undefined) return fail(upgrade, fault);
    await versions.keepTrial({ upgradeId, version: requested, previous: version, installed, starts: 0 });
    log.info({ from: version, to: requested }, 'another version of this agent starts');
    send({ upgradeId, state: State.RESTARTING, text: '' });
    deps.restart();
  };
  const confirm = async (chosen: TrialVersion) => {
    await versions.confirm();
    await versions.keepOnly([chosen.version, chosen.previous]);
    [current, trial, failed] = [chosen, undefined, undefined];
    log.info({ version }, 'this version is confirmed');
    report();
  };
  const begin = (upgradeId: string, start: () => Promise<void>) => {
    const done = start()
      .catch((error: unknown) => log.error({ error: messageOf(error) }, 'the upgrade cannot be stored'))
      .finally(() => {
        work = undefined;
      });
    work = { upgradeId, done };
  };
  const versionsInUse = [trial?.version, trial?.previous, current?.version, current?.previous];
  await versions.keepOnly(versionsInUse.filter((used) => used !== undefined)).catch(() => undefined); // the disk refuses
  return {
    architecture: arch,
    fault: '',
    request(upgrade) {
      // A controller that missed the outcome of an upgrade requests it again in the next session.
      if (upgrade.upgradeId === trial?.upgradeId) return;
      if (upgrade.upgradeId === failed?.upgradeId) report();
      else if (work === undefined) begin(upgrade.upgradeId, () => upgradeTo(upgrade));
      else if (work.upgradeId !== upgrade.upgradeId)
        send({ upgradeId: upgrade.upgradeId, state: State.FAILED, text: 'another upgrade is in progress' });
    },
    connected: report,
    reportAnswered() {
      const chosen = trial;
      if (chosen !== undefined && work === undefined) begin(chosen.upgradeId, () => confirm(chosen));
    },
    settled: async () => work?.done,
  };
}

/** The properties of the host that an upgrade needs, or the fault of the first missing one, at most 100 characters. */
async function hostOf({ home, dataDir, releaseKeyFile }: UpgraderDeps) {
  const arch = architectures[process.arch];
  if (home === undefined || arch === undefined)
    return { fault: 'it runs from a checkout or in a container: upgrade the checkout or the image' };
  const key = releaseKeyFile === undefined ? undefined : await readIfPresent(releaseKeyFile).catch(() => '');
  if (releaseKeyFile === undefined || key === undefined || readReleaseKey(key) === undefined)
    return { fault: 'its host has no release key; docs/install-agent.md says how to add it' };
  const installed = await installedVersion(home).catch(() => '');
  if (!isVersion(installed)) return { fault: `${path.join(home, 'VERSION')} has no version`.slice(0, 100) };
  return { versions: openVersionsFolder(dataDir), installed, arch, releaseKeyFile };
}

function unable(fault: string, send: (report: UpgradeReportFields) => void): Upgrader {
  return {
    architecture: '',
    fault,
    request: ({ upgradeId }) =>
      send({ upgradeId, state: State.FAILED, text: `this agent cannot upgrade itself: ${fault}` }),
    connected() {},
    reportAnswered() {},
    settled: async () => {},
  };
}

/** The entry of a file if it is about the running version. */
function entryOf<T extends ChosenVersion>(chosen: T | undefined, version: string): T | undefined {
  return chosen?.version === version ? chosen : undefined;
}

/** Fetches from one controller after the other until the version is there or refused, for at most half an hour. */
async function fetchWithRetries(
  deps: UpgraderDeps,
  fetch: (from: Parameters<typeof fetchVersion>[0]['download']) => Promise<FetchOutcome>,
): Promise<Exclude<FetchOutcome, { kind: 'later' }>> {
  const { clock, random, signal, endpoints, proxy } = deps;
  const beganMs = clock.monoMs();
  for (let count = 0; ; count += 1) {
    const endpoint = endpoints[count % endpoints.length] ?? '';
    const fetched = await fetch(async (request): Promise<DownloadOutcome> => {
      const proof = await deps.prove(endpoint, signal);
      if (proof.kind !== 'certificate') return { kind: 'later', text: 'the agent has no certificate' };
      const { cert, key, ca } = proof;
      return download(
        { endpoint, proxy, ca, proof: { cert, key }, clock, pings: standardPings },
        request,
        signal,
      );
    });
    if (fetched.kind !== 'later') return fetched;
    if (signal.aborted || clock.monoMs() - beganMs > maxFetchMs) return { ...fetched, kind: 'refused' };
    await clock.sleep(1000 + backoffMs(count, retries, random), signal).catch(() => undefined);
  }
}
