import { isMask, type Json } from '@vantage/domain';
import { isRecord } from '@vantage/kernel';
import { type DefaultsLayer, withDefaults } from './device-defaults.ts';
import { rejectUnknown } from './known-fields.ts';
import {
  type FileEntry,
  type FileProblem,
  kinds,
  type ManagedKind,
  type ResourceSettings,
} from './managed-kinds.ts';
import type { FilePart } from './parse-file.ts';

const environmentReference = /\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** The parts of a file that all of its entries share. */
export interface EntryContext {
  readonly layers: readonly DefaultsLayer[];
  /** Names of tags by Key. */
  readonly tagNames: ReadonlyMap<string, string>;
  readonly env: NodeJS.ProcessEnv;
  readonly problems: FileProblem[];
}

/** Reads an entry. Returns undefined where it has no Key. */
export function readEntry(
  kind: ManagedKind,
  { value, at, keyAt }: FilePart,
  { layers, tagNames, env, problems }: EntryContext,
): FileEntry | undefined {
  const { what, fields, id } = kinds[kind];
  if (!isRecord(value)) {
    problems.push({ at: at(), text: `must be an object with the settings of a ${what}` });
    return undefined;
  }
  const known = ['Key', ...Object.keys(fields), ...(kind === 'device' ? ['Retries'] : [])];
  rejectUnknown(value, known, (field) => keyAt(field), problems, {
    ExternalKey: 'Key',
    Source: 'source at the top of the file',
    [id]: 'Key',
  });
  const { Key, ...ownSettings } = value;
  if (typeof Key !== 'string' || !/^[^\p{C}\p{Zl}\p{Zp}]{1,128}$/u.test(Key)) {
    problems.push({
      at: at('Key'),
      text: `Key must be a text of 1 to 128 characters that stays the same for this ${what}`,
    });
    return undefined;
  }
  const settings = withEnvironment(
    kind === 'device' ? withDefaults(layers, ownSettings, tagNames) : ownSettings,
    env,
    (name) => problems.push({ at: at(), text: `the environment variable ${name} is not set` }),
  );
  if (kind === 'contact') rejectClearSecret(ownSettings, at, problems);
  return { kind, key: Key, settings, at: (field) => (field === undefined ? at() : at(...field.split('.'))) };
}

/** A contact's secret must come from the environment, because contacts cannot refer to stored secrets. */
function rejectClearSecret({ Secret }: ResourceSettings, at: FilePart['at'], problems: FileProblem[]): void {
  if (typeof Secret === 'string' && Secret.replaceAll(environmentReference, '') === Secret)
    problems.push({
      at: at('Secret'),
      text: `Secret ${isMask(Secret) ? 'is a mask' : 'is in clear'}; write \${env:NAME}, and set the variable when you apply the file`,
    });
}

/** Replaces `${env:NAME}`. */
function withEnvironment(
  settings: ResourceSettings,
  env: NodeJS.ProcessEnv,
  onMissing: (name: string) => void,
): ResourceSettings {
  const fill = (value: Json): Json => {
    if (typeof value === 'string')
      return value.replaceAll(environmentReference, (reference, name: string) => {
        const content = env[name];
        if (content === undefined) onMissing(name);
        return content ?? reference;
      });
    if (Array.isArray(value)) return value.map(fill);
    if (!isRecord(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, fill(field)]));
  };
  return Object.fromEntries(Object.entries(settings).map(([field, value]) => [field, fill(value)]));
}
