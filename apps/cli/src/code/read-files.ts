import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Json } from '@vantage/domain';
import { readText, unreadable } from '@vantage/imports/input';
import { isRecord, messageOf } from '@vantage/kernel';
import { textOf } from '../json-values.ts';
import { readDefaults } from './device-defaults.ts';
import { rejectUnknown } from './known-fields.ts';
import { type FileEntry, type FileProblem, kindNames, kinds, type ManagedKind } from './managed-kinds.ts';
import { type FilePart, innerPart, parseFile } from './parse-file.ts';
import { readEntry } from './read-entry.ts';

/** The entries of all files together. */
const maxEntries = 50_000;
const applyFileName = /\.(?:ya?ml|json)$/i;

/** The content of the files of `apply`, and its problems. */
export interface ApplyFiles {
  /** The owner of the resources; undefined: the files name none. */
  readonly source: string | undefined;
  readonly entries: readonly FileEntry[];
  readonly problems: readonly FileProblem[];
}

/**
 * Reads a file, all files of a folder (`.yaml`, `.yml`, `.json`), or standard input for `-`. Throws a Fault where a
 * file cannot be read at all.
 */
export function readFiles(target: string, env: NodeJS.ProcessEnv): ApplyFiles {
  const problems: FileProblem[] = [];
  const entries: FileEntry[] = [];
  let source: string | undefined;
  for (const file of filesOf(target)) {
    const content = parseFile(readText(file), file === '-' ? 'standard input' : file);
    const read = readFile(content, env, problems);
    if (source !== undefined && read.source !== undefined && read.source !== source)
      problems.push({
        at: content.at('source'),
        text: `source is ${read.source} here and ${source} in another file`,
      });
    source ??= read.source;
    for (const entry of read.entries) entries.push(entry);
    if (entries.length > maxEntries) throw unreadable(`${target} has more than ${maxEntries} resources`);
  }
  rejectDuplicates(entries, problems);
  return { source, entries, problems };
}

function rejectDuplicates(entries: readonly FileEntry[], problems: FileProblem[]): void {
  const firsts = new Map<string, FileEntry>();
  for (const entry of entries) {
    const identity = `${entry.kind} ${entry.key}`;
    const first = firsts.get(identity);
    if (first !== undefined)
      problems.push({
        at: entry.at('Key'),
        text: `the Key ${entry.key} occurs twice under ${kinds[entry.kind].section}; the first is at ${first.at('Key')}`,
      });
    firsts.set(identity, first ?? entry);
  }
}

function filesOf(target: string): readonly string[] {
  if (target === '-') return [target];
  try {
    if (!statSync(target).isDirectory()) return [target];
    const names = readdirSync(target, { recursive: true, encoding: 'utf8' })
      .filter((name) => applyFileName.test(name))
      .sort();
    if (names.length === 0) throw unreadable(`${target} has no file that ends with .yaml, .yml or .json`);
    return names.map((name) => path.join(target, name));
  } catch (error) {
    if (error instanceof Error && 'code' in error && 'syscall' in error)
      throw unreadable(`${target} cannot be read: ${messageOf(error)}`);
    throw error;
  }
}

const sections = new Map<string, ManagedKind>(kindNames.map((kind) => [kinds[kind].section, kind]));
const topFields = ['source', 'defaults', ...sections.keys()];

function readFile(
  file: FilePart,
  env: NodeJS.ProcessEnv,
  problems: FileProblem[],
): { readonly source: string | undefined; readonly entries: readonly FileEntry[] } {
  const { value, at, keyAt } = file;
  if (!isRecord(value)) {
    problems.push({ at: at(), text: `must be an object with ${topFields.join(', ')}` });
    return { source: undefined, entries: [] };
  }
  rejectUnknown(value, topFields, (name) => keyAt(name), problems);
  const { source, defaults = {} } = value;
  if (source !== undefined && (typeof source !== 'string' || !/^[^\p{C}\p{Zl}\p{Zp}]{1,200}$/u.test(source)))
    problems.push({ at: at('source'), text: 'source must be a text of 1 to 200 characters' });
  const context = {
    layers: readDefaults(innerPart(file, defaults, 'defaults'), problems),
    tagNames: tagNamesOf(value['tags']),
    env,
    problems,
  };
  const entries: FileEntry[] = [];
  for (const [section, kind] of sections) {
    const list = value[section];
    if (list === undefined || list === null) continue;
    if (!Array.isArray(list)) {
      problems.push({ at: at(section), text: `${section} must be a list` });
      continue;
    }
    for (const [index, item] of list.entries()) {
      const entry = readEntry(kind, innerPart(file, item, section, index), context);
      if (entry !== undefined) entries.push(entry);
    }
  }
  return { source: typeof source === 'string' ? source : undefined, entries };
}

/** The names of a file's tags by Key. */
function tagNamesOf(tags: Json | undefined): ReadonlyMap<string, string> {
  const objects = Array.isArray(tags) ? tags.filter((tag: Json) => isRecord(tag)) : [];
  return new Map(objects.map(({ Key, Name }) => [textOf(Key), textOf(Name)]));
}
