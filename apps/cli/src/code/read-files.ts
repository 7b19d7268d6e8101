import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { isMask, type Json, methods } from '@vantage/domain';
import { messageOf, nearestName } from '@vantage/kernel';
import { isMap, isScalar, LineCounter } from 'yaml';
import { z } from 'zod';
import { readText, unreadable } from '../imports/input.ts';
import { textOf } from '../json-text.ts';
import { parseYamlDocument } from '../yaml-document.ts';
import { type Entry, type Kind, kindNames, kinds, type Problem, type Settings } from './kinds.ts';

/** Things of all files together. */
const mostEntries = 50_000;

const named = /\.(?:ya?ml|json)$/i;

const environment = /\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** Files as they were read: what they say, and what is wrong in them. */
export interface Files {
  /** Who manages the things; undefined: the files name none. */
  readonly source: string | undefined;
  readonly entries: readonly Entry[];
  readonly problems: readonly Problem[];
}

/**
 * Reads a file, all files of a folder (`.yaml`, `.yml`, `.json`), or standard input for `-`. Throws a Fault where one
 * cannot be read at all; what is wrong inside is among the problems.
 */
export function readFiles(given: string, env: NodeJS.ProcessEnv): Files {
  const problems: Problem[] = [];
  const entries: Entry[] = [];
  let source: string | undefined;
  for (const file of filesOf(given)) {
    const read = readFile(parseFile(readText(file), file === '-' ? 'standard input' : file), env, problems);
    if (source !== undefined && read.source !== undefined && read.source !== source)
      problems.push({
        at: read.sourceAt,
        text: `source is ${read.source} here and ${source} in another file`,
      });
    source ??= read.source;
    for (const each of read.entries) entries.push(each);
    if (entries.length > mostEntries) throw unreadable(`${given} has more than ${mostEntries} things`);
  }
  const seen = new Map<string, Entry>();
  for (const entry of entries) {
    const place = `${entry.kind} ${entry.key}`;
    const first = seen.get(place);
    if (first !== undefined)
      problems.push({
        at: entry.at('Key'),
        text: `the Key ${entry.key} stands twice under ${kinds[entry.kind].section}; the first is at ${first.at('Key')}`,
      });
    seen.set(place, first ?? entry);
  }
  return { source, entries, problems };
}

const deepest = 64;

/** A part of a file: its value, and where it stands. */
interface Part {
  readonly value: Json;
  readonly at: (...path: readonly (string | number)[]) => string;
  /** Where the name of a field stands. */
  readonly keyAt: (...path: readonly (string | number)[]) => string;
}

/** Parses YAML, JSON included. Throws a Fault that names the place of an error. */
function parseFile(text: string, file: string): Part {
  const lines = new LineCounter();
  const place = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `${file}:${line}:${col}`;
  };
  const document = readDocument(text, file, lines);
  const [error] = document.errors;
  if (error !== undefined) throw unreadable(`${place(error.pos[0])}: ${error.message.split('\n')[0]}`);
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 1000 });
  } catch (problem) {
    throw unreadable(`${file}: ${messageOf(problem)}`);
  }
  const at: Part['at'] = (...parts) => {
    // A key that is missing stands where what should have it stands.
    for (let length = parts.length; length >= 0; length -= 1) {
      const node: unknown = document.getIn(parts.slice(0, length), true);
      const range = typeof node === 'object' && node !== null && 'range' in node ? node.range : undefined;
      const start: unknown = Array.isArray(range) ? range[0] : undefined;
      if (typeof start === 'number') return place(start);
    }
    return `${file}:1:1`;
  };
  const keyAt: Part['keyAt'] = (...parts) => {
    const parent: unknown = document.getIn(parts.slice(0, -1), true);
    const pair = isMap(parent)
      ? parent.items.find(({ key }) => isScalar(key) && key.value === parts.at(-1))
      : undefined;
    const start = isScalar(pair?.key) ? pair.key.range?.[0] : undefined;
    return start === undefined ? at(...parts) : place(start);
  };
  const json = z.json().safeParse(value ?? {});
  if (!json.success) throw unreadable(`${file}: holds a value that JSON does not have`);
  if (depthOf(json.data) > deepest) throw unreadable(`${file} is nested deeper than ${deepest} levels`);
  return { value: json.data, at, keyAt };
}

function readDocument(text: string, file: string, lines: LineCounter) {
  try {
    return parseYamlDocument(text, lines);
  } catch (problem) {
    throw unreadable(`${file}: ${messageOf(problem)}`);
  }
}

function depthOf(value: Json): number {
  let depth = 0;
  for (let level: Json[] = [value]; level.length > 0; depth += 1)
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []));
  return depth;
}

function filesOf(given: string): readonly string[] {
  if (given === '-') return [given];
  try {
    if (!statSync(given).isDirectory()) return [given];
    const found = readdirSync(given, { recursive: true, encoding: 'utf8' })
      .filter((name) => named.test(name))
      .sort();
    if (found.length === 0) throw unreadable(`${given} holds no file that ends with .yaml, .yml or .json`);
    return found.map((name) => path.join(given, name));
  } catch (error) {
    if (error instanceof Error && 'code' in error && 'syscall' in error)
      throw unreadable(`${given} cannot be read: ${messageOf(error)}`);
    throw error;
  }
}

const sections = new Map<string, Kind>(kindNames.map((kind) => [kinds[kind].section, kind]));

const parts = ['source', 'defaults', ...sections.keys()];

function readFile(
  { value, at, keyAt }: Part,
  env: NodeJS.ProcessEnv,
  problems: Problem[],
): { readonly source: string | undefined; readonly sourceAt: string; readonly entries: readonly Entry[] } {
  const none = { source: undefined, sourceAt: '', entries: [] };
  if (!isObject(value)) {
    problems.push({ at: at(), text: `must be an object with ${parts.join(', ')}` });
    return none;
  }
  refuseUnknown(value, parts, (name) => keyAt(name), problems);
  const { source, defaults = {} } = value;
  if (source !== undefined && (typeof source !== 'string' || !/^[^\p{C}\p{Zl}\p{Zp}]{1,200}$/u.test(source)))
    problems.push({ at: at('source'), text: 'source must be a text of 1 to 200 characters' });
  const layers = readDefaults(
    {
      value: defaults,
      at: (...rest) => at('defaults', ...rest),
      keyAt: (...rest) => keyAt('defaults', ...rest),
    },
    problems,
  );
  const tagOf = tagNames(value['tags']);
  const entries: Entry[] = [];
  for (const [section, kind] of sections) {
    const list = value[section];
    if (list === undefined || list === null) continue;
    if (!Array.isArray(list)) {
      problems.push({ at: at(section), text: `${section} must be a list` });
      continue;
    }
    for (const [index, each] of list.entries()) {
      const own: Part = {
        value: each,
        at: (...rest) => at(section, index, ...rest),
        keyAt: (...rest) => keyAt(section, index, ...rest),
      };
      const entry = readEntry(kind, own, { layers, tagOf, env, problems });
      if (entry !== undefined) entries.push(entry);
    }
  }
  return { source: typeof source === 'string' ? source : undefined, sourceAt: at('source'), entries };
}

/** Settings of devices: of all, of a Method, of those with a tag (`berlin/*`: of the tags below, too). */
interface Layer {
  readonly name: string;
  readonly settings: Settings;
}

/** The names of the tags of a file by their Keys. */
function tagNames(tags: Json | undefined): ReadonlyMap<string, string> {
  const all = Array.isArray(tags) ? tags.filter((each: Json) => isObject(each)) : [];
  return new Map(all.map(({ Key, Name }) => [textOf(Key), textOf(Name)]));
}

function readDefaults({ value: given, at, keyAt }: Part, problems: Problem[]): readonly Layer[] {
  if (!isObject(given)) {
    problems.push({ at: at(), text: 'defaults must be an object, for example {all: {Frequency: 1}}' });
    return [];
  }
  const layers: Layer[] = [];
  for (const [name, settings] of Object.entries(given)) {
    if (!isObject(settings)) problems.push({ at: at(name), text: `${name} must be an object of settings` });
    else {
      const known = Object.keys(kinds.device.fields).filter((field) => field !== 'Method' && field !== 'URL');
      refuseUnknown(settings, [...known, 'Retries'], (field) => keyAt(name, field), problems);
      layers.push({ name, settings });
    }
  }
  // What is said of fewer devices counts more.
  const rank = ({ name }: Layer) => (name === 'all' ? 0 : methods.some((each) => each === name) ? 1 : 2);
  return layers.sort((a, b) => rank(a) - rank(b));
}

/** Context in which an entry is read. */
interface Surroundings {
  readonly layers: readonly Layer[];
  /** Names of tags by their Keys. */
  readonly tagOf: ReadonlyMap<string, string>;
  readonly env: NodeJS.ProcessEnv;
  readonly problems: Problem[];
}

function readEntry(
  kind: Kind,
  { value, at, keyAt }: Part,
  { layers, tagOf, env, problems }: Surroundings,
): Entry | undefined {
  const { what, fields, id } = kinds[kind];
  if (!isObject(value)) {
    problems.push({ at: at(), text: `must be an object with the settings of a ${what}` });
    return undefined;
  }
  const known = ['Key', ...Object.keys(fields), ...(kind === 'device' ? ['Retries'] : [])];
  refuseUnknown(value, known, (field) => keyAt(field), problems, {
    ExternalKey: 'Key',
    Source: 'source at the top of the file',
    [id]: 'Key',
  });
  const { Key, ...own } = value;
  if (typeof Key !== 'string' || !/^[^\p{C}\p{Zl}\p{Zp}]{1,128}$/u.test(Key)) {
    problems.push({
      at: at('Key'),
      text: `Key must be a text of 1 to 128 characters that stays the same for this ${what}`,
    });
    return undefined;
  }
  const settings = withEnvironment(kind === 'device' ? laid(layers, own, tagOf) : own, env, (name) =>
    problems.push({ at: at(), text: `the environment variable ${name} is not set` }),
  );
  if (kind === 'contact') refuseClear(own, at, problems);
  return { kind, key: Key, settings, at: (field) => (field === undefined ? at() : at(...field.split('.'))) };
}

/** Secrets of contacts come from the environment, because the API has no place to refer to. */
function refuseClear({ Secret }: Settings, at: Part['at'], problems: Problem[]): void {
  if (typeof Secret === 'string' && Secret.replaceAll(environment, '') === Secret)
    problems.push({
      at: at('Secret'),
      text: `Secret ${isMask(Secret) ? 'is a mask' : 'stands in clear'}; write \${env:NAME}, and set the variable when you apply the file`,
    });
}

/** The settings of a device over those of its layers; Options are joined one by one. */
function laid(layers: readonly Layer[], own: Settings, tagOf: ReadonlyMap<string, string>): Settings {
  const fits = ({ name }: Layer): boolean => {
    if (name === 'all' || name === own['Method']) return true;
    const tags = own['Tags'];
    if (!Array.isArray(tags)) return false;
    const names = tags.map((tag: Json) => tagOf.get(textOf(tag)) ?? textOf(tag));
    return names.some((tag) => tag === name || (name.endsWith('/*') && tag.startsWith(name.slice(0, -1))));
  };
  let settings: Settings = {};
  for (const layer of [...layers.filter(fits).map((each) => each.settings), own]) {
    const Options =
      isObject(settings['Options']) && isObject(layer['Options'])
        ? { ...settings['Options'], ...layer['Options'] }
        : (layer['Options'] ?? settings['Options']);
    settings = { ...settings, ...layer, ...(Options === undefined ? {} : { Options }) };
  }
  return settings;
}

/** Fills `${env:NAME}` in. */
function withEnvironment(
  settings: Settings,
  env: NodeJS.ProcessEnv,
  onMissing: (name: string) => void,
): Settings {
  const fill = (value: Json): Json => {
    if (typeof value === 'string')
      return value.replaceAll(environment, (reference, name: string) => {
        const found = env[name];
        if (found === undefined) onMissing(name);
        return found ?? reference;
      });
    if (Array.isArray(value)) return value.map(fill);
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, fill(each)]));
  };
  return Object.fromEntries(Object.entries(settings).map(([field, value]) => [field, fill(value)]));
}

function refuseUnknown(
  given: { readonly [key: string]: Json },
  known: readonly string[],
  at: (name: string) => string,
  problems: Problem[],
  others: Readonly<Record<string, string>> = {},
): void {
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue;
    const likely = others[name] ?? nearestName(name, known);
    const hint = likely === undefined ? `accepted are ${known.join(', ')}` : `did you mean ${likely}?`;
    problems.push({ at: at(name), text: `${JSON.stringify(name.slice(0, 60))} is not known; ${hint}` });
  }
}

function isObject(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
