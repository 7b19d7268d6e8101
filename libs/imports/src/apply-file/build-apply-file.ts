import { faultsOf, faultText } from '@vantage/kernel';
import { probeFor, refusedTargetText } from '@vantage/probes';
import { syntaxProblem } from '@vantage/probes/settings';
import type { FormatReading, FoundCheck, ImportNote } from '../found-check.ts';
import type { ApplyFile, FileDevice } from './apply-file.ts';
import { keyOf } from './device-key.ts';
import { createDeviceNames, type DeviceNames } from './device-names.ts';
import { type ImportedDevice, withMasters, withoutUndefined } from './master-order.ts';
import {
  type RoundedValue,
  roundAttempts,
  roundInterval,
  roundRetryDelay,
  roundTimeout,
} from './rounded-values.ts';
import {
  createSecretKeeper,
  hideInOptions,
  hideInUrl,
  type NeededSecret,
  type SecretKeeper,
} from './secret-references.ts';
import { createTagList, type TagList } from './tag-list.ts';
import { createUniqueNames } from './unique-names.ts';

/** The apply file of an import, and its report. */
export interface ImportOutcome {
  readonly file: ApplyFile;
  readonly things: string;
  /** The number of items. Each is a device, or in `became` or `refused`. */
  readonly read: number;
  readonly shown: readonly string[];
  readonly refused: readonly ImportNote[];
  readonly became: readonly ImportNote[];
  readonly rounded: readonly ImportNote[];
  readonly lost: readonly ImportNote[];
  readonly renamed: readonly ImportNote[];
  readonly ignored: readonly string[];
  readonly secrets: readonly NeededSecret[];
}

/** Builds the apply file of a reading. A check that the API would reject is not imported, and the report says why. */
export async function buildApplyFile(reading: FormatReading, source: string): Promise<ImportOutcome> {
  const refused: ImportNote[] = [...reading.refused];
  const notes = { rounded: [] as ImportNote[], lost: [] as ImportNote[], renamed: [] as ImportNote[] };
  const secrets = createSecretKeeper();
  const tags = createTagList();
  const names = createDeviceNames(notes.renamed);
  const keys = createUniqueNames();
  const imported: ImportedDevice[] = [];
  for (const check of reading.checks) {
    const problem = await problemOf(check);
    if (problem !== undefined) {
      refused.push({ at: check.at, name: check.name, text: problem });
      continue;
    }
    const identity = keyOf(check.id ?? check.name);
    const { name: Key } = keys(identity, (count) => keyOf(`${identity.slice(0, 120)}-${count}`));
    imported.push({ check, device: deviceOf(check, Key, { secrets, tags, names, notes }) });
  }
  const devices = withMasters(imported, notes.lost);
  return {
    file: { source, tags: tags.list(), devices },
    things: reading.things,
    read: reading.checks.length + reading.refused.length + (reading.became?.length ?? 0),
    shown: reading.shown ?? [],
    ...notes,
    refused,
    became: reading.became ?? [],
    ignored: [...(reading.ignored ?? []), ...tags.notes()],
    secrets: secrets.needed,
  };
}

/** The reason why the API would reject the check; undefined where it would accept it. */
async function problemOf(check: FoundCheck): Promise<string | undefined> {
  const probe = probeFor(check.method);
  if (probe === undefined) return `Method ${check.method} is not known`;
  const read = probe.parseTarget(check.url);
  if (!read.ok) return `URL ${JSON.stringify(check.url.slice(0, 100))} ${refusedTargetText(read.message)}`;
  const problem = await syntaxProblem(probe, check.url);
  if (problem !== undefined) return faultText({ field: 'URL', message: problem });
  const options = withoutUndefined(check.options ?? {});
  const parsed = probe.options.safeParse(options, { reportInput: true });
  if (parsed.success) return undefined;
  return faultsOf(parsed.error, probe.options, 'Options').map(faultText).join('; ');
}

/** The state that the devices of one file share. */
interface FileState {
  readonly secrets: SecretKeeper;
  readonly tags: TagList;
  readonly names: DeviceNames;
  readonly notes: { readonly rounded: ImportNote[]; readonly lost: ImportNote[] };
}

function deviceOf(check: FoundCheck, Key: string, { secrets, tags, names, notes }: FileState): FileDevice {
  const { at, name } = check;
  const probe = probeFor(check.method);
  if (probe === undefined) throw new Error(`no probe for ${check.method}`);
  const owner = { key: Key, name };
  const rounded = (
    before: number | undefined,
    round: (value: number) => RoundedValue,
  ): number | undefined => {
    if (before === undefined) return undefined;
    const { value, note } = round(before);
    if (note !== undefined) notes.rounded.push({ at, name, text: note });
    return value;
  };
  const URL = hideInUrl(probe, check.url, owner, secrets);
  const Options = hideInOptions(probe, check.options ?? {}, owner, secrets);
  for (const text of check.lost ?? []) notes.lost.push({ at, name, text });
  if (typeof Options['Body'] === 'string' && /pass|secret|token/i.test(Options['Body']))
    notes.lost.push({ at, name, text: 'its Body may contain a secret, which is in the file in clear' });
  return {
    Key,
    Method: check.method,
    URL,
    ShortName: names.shortNameOf(check),
    FullName: names.fullNameOf(check),
    ...frequencyOf(rounded(check.intervalSeconds, roundInterval)),
    Timeout: rounded(check.timeoutSeconds, roundTimeout),
    Attempts: rounded(check.attempts, roundAttempts),
    RetryDelay: rounded(check.retryDelaySeconds, roundRetryDelay),
    Severity: check.severity,
    Enabled: check.enabled === false ? false : undefined,
    Locations: check.locations,
    Tags: tags.add(check.tags ?? []),
    Options: Object.keys(Options).length === 0 ? undefined : Options,
  };
}

/** The API has intervals below a minute in another field. */
function frequencyOf(seconds: number | undefined): Pick<FileDevice, 'Frequency' | 'FrequencySeconds'> {
  if (seconds === undefined) return {};
  return seconds < 60 ? { FrequencySeconds: seconds } : { Frequency: seconds / 60 };
}
