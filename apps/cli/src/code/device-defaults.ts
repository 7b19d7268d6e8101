import { type Json, methods } from '@vantage/domain';
import { isRecord } from '@vantage/kernel';
import { textOf } from '../json-values.ts';
import { rejectUnknown } from './known-fields.ts';
import { type FileProblem, kinds, type ResourceSettings } from './managed-kinds.ts';
import type { FilePart } from './parse-file.ts';

/** Default settings of devices. `name` is `all`, a Method, or a tag (`berlin/*`: that tag and those below it). */
export interface DefaultsLayer {
  readonly name: string;
  readonly settings: ResourceSettings;
}

/** Reads `defaults` of a file. The most general layer comes first. */
export function readDefaults(
  { value, at, keyAt }: FilePart,
  problems: FileProblem[],
): readonly DefaultsLayer[] {
  if (!isRecord(value)) {
    problems.push({ at: at(), text: 'defaults must be an object, for example {all: {Frequency: 1}}' });
    return [];
  }
  const layers: DefaultsLayer[] = [];
  for (const [name, settings] of Object.entries(value)) {
    if (!isRecord(settings)) problems.push({ at: at(name), text: `${name} must be an object of settings` });
    else {
      const known = Object.keys(kinds.device.fields).filter((field) => field !== 'Method' && field !== 'URL');
      rejectUnknown(settings, [...known, 'Retries'], (field) => keyAt(name, field), problems);
      layers.push({ name, settings });
    }
  }
  const rank = ({ name }: DefaultsLayer) =>
    name === 'all' ? 0 : methods.some((method) => method === name) ? 1 : 2;
  return layers.sort((a, b) => rank(a) - rank(b));
}

/**
 * Applies the layers that match a device below its own settings. Options are merged field by field. `tagNames` are the
 * names of tags by Key.
 */
export function withDefaults(
  layers: readonly DefaultsLayer[],
  ownSettings: ResourceSettings,
  tagNames: ReadonlyMap<string, string>,
): ResourceSettings {
  const matches = ({ name }: DefaultsLayer): boolean => {
    if (name === 'all' || name === ownSettings['Method']) return true;
    const tags = ownSettings['Tags'];
    if (!Array.isArray(tags)) return false;
    const names = tags.map((tag: Json) => tagNames.get(textOf(tag)) ?? textOf(tag));
    return names.some((tag) => tag === name || (name.endsWith('/*') && tag.startsWith(name.slice(0, -1))));
  };
  let settings: ResourceSettings = {};
  for (const layer of [...layers.filter(matches).map((match) => match.settings), ownSettings]) {
    const Options =
      isRecord(settings['Options']) && isRecord(layer['Options'])
        ? { ...settings['Options'], ...layer['Options'] }
        : (layer['Options'] ?? settings['Options']);
    settings = { ...settings, ...layer, ...(Options === undefined ? {} : { Options }) };
  }
  return settings;
}
