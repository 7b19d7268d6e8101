import path from 'node:path';
import { compareVersions, isVersion, type ParcelArchitecture, readReleaseKey } from '@vantage/domain';
import { backoffMs, type Clock, type Logger, messageOf, readIfPresent, type Secret } from '@vantage/kernel';
import { UpgradeReport_State as State, type Upgrade } from '@vantage/proto';
import type { Proof } from '../enrol/enrolment.ts';
import { standardPings } from '../stream/connection.ts';
import { type Downloaded, download } from './download.ts';
import { type Fetched, fetchVersion } from './fetch-version.ts';
import { installedVersion } from './launch-plan.ts';
import type { Chosen, Trial } from './select-version.ts';
import { openVersionsFolder } from './versions-folder.ts';

/** A report to the controller about an upgrade. */
interface Report {
  readonly upgradeId: string;
  readonly state: State;
  readonly text: string;
}

/** Runs another version of this agent when the controller asks for it. */
export interface Upgrader {
  /** The parcel of this host; empty where the agent cannot upgrade itself. */
  readonly architecture: string;
  /** Why this agent cannot upgrade itself; empty: it can. */
  readonly fault: string;
  /** The controller asks for another version. A request that is in work already changes nothing. */
  asked(upgrade: Upgrade): void;
  /** A stream is up: the last outcome is sent again. */
  connected(): void;
  /** The controller answered a report of this agent: a version on trial is confirmed. */
  answered(): void;
  /** Resolves when nothing is in work any more; the signal of the agent ends a download. */
  settled(): Promise<void>;
}

const retries = { baseMs: 10_000, capMs: 60_000 };
/** A controller that is busy, or a cut line, gets this long. */
const tryForMs = 30 * 60_000;
const architectures: Readonly<Record<string, ParcelArchitecture>> = { x64: 'amd64', arm64: 'arm64' };

interface UpgraderDeps {
  /** Folder of the installed program, as the launcher gave it; undefined: no launcher started this agent. */
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
  readonly send: (report: Report) => void;
  /** Ends this process, so that the launcher starts the version that was chosen. */
  readonly restart: () => void;
  readonly signal: AbortSignal;
}

/** Opens the upgrader: reads what earlier upgrades left, and removes what an interrupted one left. */
export async function openUpgrader(deps: UpgraderDeps): Promise<Upgrader> {
  const { version, log, send } = deps;
  const host = await hostOf(deps);
  if ('fault' in host) return unable(host.fault, send);
  const { versions, installed, arch, releaseKeyFile } = host;
  let trial = ownOr(await versions.trial(), version);
  let current = ownOr(await versions.current(), version);
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
    const wanted = { version: upgrade.version, arch, releaseKeyFile, versions };
    const fetched = await fetchPatiently(deps, (from) => fetchVersion({ ...wanted, download: from }));
    return fetched.kind === 'there' ? undefined : fetched.text;
  };
  const upgradeTo = async (upgrade: Upgrade) => {
    const { upgradeId } = upgrade;
    const asked = upgrade.version;
    const isOnTrial = trial !== undefined;
    const decision = decideUpgrade({ asked, running: version, previous: previous(), isOnTrial });
    if (decision.kind === 'none') return send({ upgradeId, state: State.RUNNING, text: '' });
    if (decision.kind === 'refuse') return fail(upgrade, decision.text);
    const fault = await prepare(upgrade, decision.kind);
    if (deps.signal.aborted) return;
    if (fault !== undefined) return fail(upgrade, fault);
    await versions.keepTrial({ upgradeId, version: asked, previous: version, installed, starts: 0 });
    log.info({ from: version, to: asked }, 'another version of this agent starts');
    send({ upgradeId, state: State.RESTARTING, text: '' });
    deps.restart();
  };
  const confirm = async (chosen: Trial) => {
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
  const kept = [trial?.version, trial?.previous, current?.version, current?.previous];
  await versions.keepOnly(kept.filter((one) => one !== undefined)).catch(() => undefined); // the disk refuses
  return {
    architecture: arch,
    fault: '',
    asked(upgrade) {
      // A controller that has not heard the outcome of an upgrade asks for it again in the next session.
      if (upgrade.upgradeId === trial?.upgradeId) return;
      if (upgrade.upgradeId === failed?.upgradeId) report();
      else if (work === undefined) begin(upgrade.upgradeId, () => upgradeTo(upgrade));
      else if (work.upgradeId !== upgrade.upgradeId)
        send({ upgradeId: upgrade.upgradeId, state: State.FAILED, text: 'another upgrade is in work' });
    },
    connected: report,
    answered() {
      const chosen = trial;
      if (chosen !== undefined && work === undefined) begin(chosen.upgradeId, () => confirm(chosen));
    },
    settled: async () => work?.done,
  };
}

/** The host's properties that an upgrade needs, or the first that is missing. The fault has at most 100 characters. */
async function hostOf({ home, dataDir, releaseKeyFile }: UpgraderDeps) {
  const arch = architectures[process.arch];
  if (home === undefined || arch === undefined)
    return { fault: 'it runs from a checkout or in a container: upgrade that one' };
  const key = releaseKeyFile === undefined ? undefined : await readIfPresent(releaseKeyFile).catch(() => '');
  if (releaseKeyFile === undefined || key === undefined || readReleaseKey(key) === undefined)
    return {
      fault: 'its host has no release key: docs/install-agent.md, "Upgrades from afar", says how to add it',
    };
  const installed = await installedVersion(home).catch(() => '');
  if (!isVersion(installed)) return { fault: `${path.join(home, 'VERSION')} has no version`.slice(0, 100) };
  return { versions: openVersionsFolder(dataDir), installed, arch, releaseKeyFile };
}

function unable(fault: string, send: (report: Report) => void): Upgrader {
  return {
    architecture: '',
    fault,
    asked: ({ upgradeId }) =>
      send({ upgradeId, state: State.FAILED, text: `this agent cannot upgrade itself: ${fault}` }),
    connected() {},
    answered() {},
    settled: async () => {},
  };
}

/** The entry of a file about the running version; undefined: it is about another one. */
function ownOr<T extends Chosen>(chosen: T | undefined, version: string): T | undefined {
  return chosen?.version === version ? chosen : undefined;
}

/** Fetches from one controller after the other until it is done or refused, for half an hour. */
async function fetchPatiently(
  deps: UpgraderDeps,
  fetch: (from: Parameters<typeof fetchVersion>[0]['download']) => Promise<Fetched>,
): Promise<Exclude<Fetched, { kind: 'later' }>> {
  const { clock, random, signal, endpoints, proxy } = deps;
  const beganMs = clock.monoMs();
  for (let count = 0; ; count += 1) {
    const endpoint = endpoints[count % endpoints.length] ?? '';
    const fetched = await fetch(async (wanted): Promise<Downloaded> => {
      const proof = await deps.prove(endpoint, signal);
      if (proof.kind !== 'certificate') return { kind: 'later', text: 'the agent has no certificate' };
      const { cert, key, ca } = proof;
      return download(
        { endpoint, proxy, ca, proof: { cert, key }, clock, pings: standardPings },
        wanted,
        signal,
      );
    });
    if (fetched.kind !== 'later') return fetched;
    if (signal.aborted || clock.monoMs() - beganMs > tryForMs) return { ...fetched, kind: 'refused' };
    await clock.sleep(1000 + backoffMs(count, retries, random), signal).catch(() => undefined);
  }
}

/** The decision about a request to run another version. `text`: for the operator. */
type UpgradeDecision =
  /** It runs already. */
  | { readonly kind: 'none' }
  /** The version that ran before, which is still on the disk. */
  | { readonly kind: 'switch' }
  | { readonly kind: 'download' }
  | { readonly kind: 'refuse'; readonly text: string };

/*
 *   asked for                             | decision
 *   no version                            | refuse
 *   anything, while a version is on trial | refuse
 *   the running version                   | none
 *   the version that ran before           | switch
 *   an older one                          | refuse: a controller that somebody took over must not bring back old faults
 *   a newer one                           | download
 */
/** Decides about a request of the controller. Pure. */
export function decideUpgrade(now: {
  readonly asked: string;
  readonly running: string;
  /** The version that ran before and is on the disk; undefined: none. */
  readonly previous: string | undefined;
  readonly isOnTrial: boolean;
}): UpgradeDecision {
  const { asked, running, previous, isOnTrial } = now;
  if (!isVersion(asked)) return { kind: 'refuse', text: 'the controller named no version' };
  if (isOnTrial)
    return { kind: 'refuse', text: `version ${running} has just started and is not confirmed yet` };
  if (asked === running) return { kind: 'none' };
  if (asked === previous) return { kind: 'switch' };
  if (compareVersions(asked, running) > 0) return { kind: 'download' };
  const back = previous === undefined ? '' : `; the agent goes back to ${previous} only`;
  return { kind: 'refuse', text: `version ${asked} is older than the running ${running}${back}` };
}
