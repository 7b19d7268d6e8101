import { create, type JsonValue } from '@bufbuild/protobuf';
import { calledSecretNames, deviceSealContext, methods, secretSealContext } from '@vantage/domain';
import { scheduleOffsetMs } from '@vantage/domain/schedule-offset';
import { Fault, type Logger } from '@vantage/kernel';
import { specOf } from '@vantage/probes';
import { type Assignment, AssignmentSchema, type CheckSpec, CheckSpecSchema } from '@vantage/proto';
import type { Tables } from '@vantage/storage';
import { fillSecrets, sealedDevice, secretNames } from '@vantage/storage/secrets/sealed-device';
import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import type { AssignedDevice } from './assigned-device-store.ts';

/** Opens sealed values; see `seal.ts`. */
export interface Unsealer {
  open(sealed: Uint8Array, context: string): unknown;
}

/** An account's secrets in clear, by name; read from the database at the first use. */
export type SecretLookup = () => Promise<ReadonlyMap<string, string>>;

/**
 * Creates the wire's assignment of a device, secrets filled in. Throws when the sealed settings cannot be opened or
 * read.
 */
export type AssignmentBuilder = (
  device: AssignedDevice,
  secrets: SecretLookup,
) => Promise<{ readonly assignment: Assignment; readonly usesSecrets: boolean }>;

/** Creates the builder. */
export function createAssignmentBuilder({
  sealer,
  log,
}: {
  readonly sealer: Unsealer;
  readonly log: Logger;
}): AssignmentBuilder {
  return async (device, secrets) => {
    const opened = readSealed(sealer, device);
    if (opened === undefined) {
      log.error({ device: device.device_id }, 'a device cannot be opened with the key of this controller');
      const problem =
        "the controller cannot open this device's settings: send its URL and Options again, with their secrets";
      return { usesSecrets: false, assignment: assignmentOf(device, create(CheckSpecSchema, { problem })) };
    }
    const method = methods.find((one) => one === device.method);
    if (!method) throw new Fault('drop', 'unknown-method', `method ${device.method} is not known here`);
    // A script calls its secrets by name when it runs, so its text is sent unchanged. The settings of all other Methods
    // are filled in.
    const isScript = method === 'Script';
    const fillable: JsonValue = { url: isScript ? '' : opened.url, options: opened.options };
    const called = isScript ? calledSecretNames('secret', opened.url) : [];
    const names = new Set([...secretNames(fillable), ...called]);
    const values = names.size > 0 ? await secrets() : new Map<string, string>();
    const missing = [...names].filter((name) => !values.has(name));
    if (missing.length > 0) {
      log.warn(
        { device: device.device_id, secrets: missing },
        'a device refers to secrets that have no value',
      );
      const problem = `the secret ${missing.join(', ')} has no value: give it one (PUT /secrets/{secret_id})`;
      return { usesSecrets: true, assignment: assignmentOf(device, create(CheckSpecSchema, { problem })) };
    }
    const spec = specOf({
      method,
      // In a URL each value is percent-encoded, because it may hold any character.
      url: isScript ? opened.url : filledUrl(opened.url, (name) => encoded(values.get(name))),
      timeoutMs: device.timeout_s * 1000,
      options: fillSecrets(opened.options, (name) => values.get(name)),
    });
    // A script reads its secrets from here. For the other Methods the agent redacts these values.
    for (const name of names) {
      const value = values.get(name);
      if (value !== undefined) spec.secrets[name] = value;
    }
    return { usesSecrets: names.size > 0, assignment: assignmentOf(device, spec) };
  };
}

function assignmentOf(device: AssignedDevice, spec: CheckSpec): Assignment {
  const intervalMs = (device.frequency_s ?? device.frequency_min * 60) * 1000;
  spec.timeoutMs = device.timeout_s * 1000;
  return create(AssignmentSchema, {
    deviceNo: device.device_no,
    deviceCreatedUs: BigInt(device.created_us),
    revision: device.revision,
    spec,
    intervalMs,
    scheduleOffsetMs: scheduleOffsetMs(device.device_no, intervalMs),
    rotationIndex: device.rotation_index,
    rotationSize: device.rotation_size,
    retries: device.retries,
    retryDelayMs: device.retry_delay_s * 1000,
    retriesLocally: device.retries_locally,
    changedUs: BigInt(device.changed_us),
    runImmediately: device.run_immediately,
    fromUs: BigInt(device.from_us),
    untilUs: BigInt(device.until_us),
  });
}

/** The opened settings; undefined when no key of the key file opens them. */
function readSealed(sealer: Unsealer, device: AssignedDevice): z.output<typeof sealedDevice> | undefined {
  const opened = openQuietly(sealer, device.sealed, deviceSealContext(device.device_id));
  return opened === undefined ? undefined : sealedDevice.parse(opened);
}

function openQuietly(sealer: Unsealer, sealed: Uint8Array, context: string): unknown {
  try {
    return sealer.open(sealed, context);
  } catch {
    return undefined;
  }
}

function filledUrl(url: string, lookup: (name: string) => string | undefined): string {
  return z.string().parse(fillSecrets(url, lookup));
}

function encoded(value: string | undefined): string | undefined {
  return value === undefined ? undefined : encodeURIComponent(value.toWellFormed());
}

/** A stamp that changes whenever one of the account's secrets changes. */
export async function loadSecretsStamp(db: Kysely<Tables>, accountNo: number): Promise<string> {
  const { rows } = await sql<{ stamp: string }>`
    select concat(max(updated_at), '/', count(*)) as stamp from secrets where account_no = ${accountNo}`.execute(
    db,
  );
  return rows[0]?.stamp ?? '';
}

/** Creates the lookup for one account. It reads the secrets once and keeps them. */
export function createSecretLookup({
  kysely,
  sealer,
  accountNo,
}: {
  readonly kysely: Kysely<Tables>;
  readonly sealer: Unsealer;
  readonly accountNo: number;
}): SecretLookup {
  let loaded: Promise<ReadonlyMap<string, string>> | undefined;
  const load = async () => {
    const rows = await kysely
      .selectFrom('secrets')
      .select(['name', 'secret_id', 'sealed'])
      .where('account_no', '=', accountNo)
      .execute();
    return new Map(
      rows.flatMap((row) => {
        const value = openQuietly(sealer, row.sealed, secretSealContext(row.secret_id));
        return value === undefined ? [] : [[row.name, z.string().parse(value)]];
      }),
    );
  };
  return () => {
    loaded ??= load();
    return loaded;
  };
}
