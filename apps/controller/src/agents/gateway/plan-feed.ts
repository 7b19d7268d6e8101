import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { portOfAnchor, type StoredAnchor } from '@vantage/domain';
import { type Clock, declareState, type Logger, messageOf } from '@vantage/kernel';
import { type AnchorListSchema, type Assignment, type Assignments, AssignmentsSchema } from '@vantage/proto';
import { dbFailure, type Tables } from '@vantage/storage';
import type { Kysely } from 'kysely';
import {
  type AssignedDevice,
  loadAnchors,
  loadAssigned,
  loadVersions,
  type Version,
} from './assigned-device-store.ts';
import { type AssignmentBuilder, loadSecretsStamp, type SecretLookup } from './assignment.ts';
import type { KnownAgent } from './gateway-store.ts';

/** The plan that one session's agent has, and the changes that it needs next. */
export interface PlanFeed {
  /** The first time all assignments, in parts; later only the changes since. Yields nothing when nothing changed. */
  next(): AsyncGenerator<Assignments>;
  /**
   * The devices whose secrets changed since they were sent, with the new values. A run request that follows on the
   * stream uses them, although the plan is read only at intervals. Yields nothing when there are none.
   */
  withNewSecrets(deviceNos: readonly number[]): AsyncGenerator<Assignments>;
  /** The time of the next hand-over, at which the plan changes, microseconds since 1970; undefined: there is none. */
  readonly changesAtUs: number | undefined;
}

const partLimits = { devices: 500, bytes: 1_000_000 };

/** An assignment that the agent has. */
interface Sent {
  readonly signature: string;
  readonly usesSecrets: boolean;
}

const tracked = declareState({
  name: 'sent_assignments',
  entries: { each: 'device' },
  entryBytes: 200,
  filledBy: 'accounts',
  atBound: 'the limit of devices of an account',
});

/** Creates the feed of one session. */
export function createPlanFeed({
  kysely,
  agent,
  build,
  secretsNow,
  clock,
  log,
  max = partLimits,
}: {
  readonly kysely: Kysely<Tables>;
  readonly agent: Pick<KnownAgent, 'agentNo' | 'accountNo' | 'locationNo'>;
  readonly build: AssignmentBuilder;
  /** A fresh lookup of the account's secrets. */
  readonly secretsNow: () => SecretLookup;
  readonly clock: Clock;
  readonly log: Logger;
  /** The maximum of a part; its bytes are approximate. */
  readonly max?: typeof partLimits;
}): PlanFeed {
  // All of this says what the agent has, so it changes when a message was sent: a failure leaves the rest for the next
  // reading.
  /** By device. */
  const sent = tracked(new Map<number, Sent>());
  let isSnapshotSent = false;
  let secretsStamp = '';
  let anchorsSent = '[]';
  let changesAtUs: number | undefined;

  /** Undefined, and logged, where the device itself is the cause. */
  const tryBuild = async (device: AssignedDevice, secrets: SecretLookup) => {
    try {
      return await build(device, secrets);
    } catch (error) {
      if (dbFailure(error) === 'retry') throw error;
      log.error(
        { deviceNo: device.device_no, error: messageOf(error) },
        'a device cannot be sent to its agent',
      );
      return undefined;
    }
  };
  /** Builds one part, which is sent next. */
  const makePart = async (part: readonly Version[], secrets: SecretLookup): Promise<Assignment[]> => {
    const upserts: Assignment[] = [];
    const made = new Map<number, Sent>();
    for (const device of await loadAssigned(kysely, part)) {
      const built = await tryBuild(device, secrets);
      if (built !== undefined) upserts.push(built.assignment);
      made.set(device.device_no, { signature: signature(device), usesSecrets: built?.usesSecrets ?? false });
    }
    for (const [deviceNo, one] of made) sent.set(deviceNo, one);
    return upserts;
  };
  const forget = (deviceNos: readonly number[]) => {
    for (const deviceNo of deviceNos) sent.delete(deviceNo);
  };

  return {
    get changesAtUs() {
      return changesAtUs;
    },
    async *withNewSecrets(deviceNos) {
      const changed = new Set(deviceNos.filter((deviceNo) => sent.get(deviceNo)?.usesSecrets));
      if (changed.size === 0 || (await loadSecretsStamp(kysely, agent.accountNo)) === secretsStamp) return;
      const versions = await loadVersions(kysely, agent, clock.nowUs());
      const secrets = secretsNow();
      for (const part of partition(
        versions.filter((version) => changed.has(version.device_no)),
        max,
      ))
        yield create(AssignmentsSchema, { final: true, upserts: await makePart(part, secrets) });
    },
    async *next() {
      const nowUs = clock.nowUs();
      const versions = await loadVersions(kysely, agent, nowUs);
      changesAtUs = earliestAfter(versions, nowUs);
      const stamp = await loadSecretsStamp(kysely, agent.accountNo);
      const stored = await loadAnchors(kysely, agent);
      const anchors = JSON.stringify(stored) === anchorsSent ? undefined : anchorList(stored);
      const snapshot = !isSnapshotSent;
      const current = new Set(versions.map((version) => version.device_no));
      const gone = [...sent.keys()].filter((deviceNo) => !current.has(deviceNo));
      const changed = versions.filter((version) => {
        const known = sent.get(version.device_no);
        return known?.signature !== signature(version) || (stamp !== secretsStamp && known.usesSecrets);
      });
      const secrets = secretsNow();
      const parts = partition(changed, max);
      if (parts.length === 0 && (snapshot || gone.length > 0 || anchors !== undefined)) parts.push([]);
      for (const [i, part] of parts.entries()) {
        const upserts = await makePart(part, secrets);
        yield create(AssignmentsSchema, {
          snapshot,
          final: i === parts.length - 1,
          upserts,
          removedDeviceNos: i === 0 && !snapshot ? gone : [],
          ...(i === 0 && anchors !== undefined ? { anchors } : {}),
        });
        anchorsSent = JSON.stringify(stored);
        if (!snapshot) forget(gone);
      }
      // The parts of a snapshot add up, those before a failure included: what went meanwhile is removed after the last.
      if (snapshot && gone.length > 0)
        yield create(AssignmentsSchema, { final: true, removedDeviceNos: gone });
      forget(gone);
      isSnapshotSent = true;
      secretsStamp = stamp;
    },
  };
}

function anchorList(anchors: readonly StoredAnchor[]): MessageInitShape<typeof AnchorListSchema> {
  return {
    anchors: anchors.map(({ Name: name, Target: target, Networks: networks }) => ({
      name,
      target,
      port: portOfAnchor(target),
      networks,
    })),
  };
}

/** Parts of at most this many devices and about this many bytes. Pure. */
function partition(versions: readonly Version[], max: typeof partLimits): Version[][] {
  const parts: Version[][] = [];
  let bytes = 0;
  for (const version of versions) {
    const last = parts.at(-1);
    if (last && last.length < max.devices && bytes + version.bytes <= max.bytes) {
      last.push(version);
      bytes += version.bytes;
    } else {
      parts.push([version]);
      bytes = version.bytes;
    }
  }
  return parts;
}

/** The earliest end of a hand-over that lies ahead. */
function earliestAfter(versions: readonly Version[], nowUs: number): number | undefined {
  const ends = versions.flatMap(({ until_us }) => (until_us > nowUs ? until_us : []));
  return ends.length > 0 ? ends.reduce((a, b) => Math.min(a, b)) : undefined;
}

function signature(version: Version): string {
  return [
    version.revision,
    version.rotation_index,
    version.rotation_size,
    version.retries_locally,
    version.run_immediately,
    version.from_us,
    version.until_us,
  ].join('/');
}
