// The thread that searches foreign texts for users' patterns. The main thread terminates it if a job takes too long.
import { parentPort } from 'node:worker_threads';
import { findJson, readJsonPath } from './json-path.ts';
import type { SearchJob, SearchResult } from './text-search.ts';

const maxShown = 1000;
/** One more than `maxTaken`, so that a longer value is recognised. */
const maxTakenLength = 8193;

function search(job: SearchJob): SearchResult {
  switch (job.kind) {
    case 'text': {
      const index = job.text.indexOf(job.pattern);
      return index < 0 ? { kind: 'none' } : { kind: 'match', index, length: job.pattern.length };
    }
    case 'regex':
      return searchRegex(job);
    case 'json-path':
      return searchJson(job);
    case 'take-regex': {
      const value = new RegExp(job.pattern, 'm').exec(job.text)?.[1];
      return value === undefined ? { kind: 'none' } : taken(value);
    }
    case 'take-json':
      return takeJson(job);
  }
}

function taken(value: string): SearchResult {
  return { kind: 'taken', value: value.slice(0, maxTakenLength) };
}

function takeJson({ path, text }: Extract<SearchJob, { kind: 'take-json' }>): SearchResult {
  const read = readJsonPath(path);
  if (!read.ok) return { kind: 'no-path', message: read.message };
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { kind: 'no-json' };
  }
  let first: string | undefined;
  const isComplete = findJson(json, read.steps, (item) => {
    first ??= shownJson(item);
  });
  if (!isComplete) return { kind: 'runaway' };
  return first === undefined ? { kind: 'none' } : taken(first);
}

function searchRegex({ pattern, text }: Extract<SearchJob, { kind: 'regex' }>): SearchResult {
  const found = new RegExp(pattern, 'm').exec(text);
  return found ? { kind: 'match', index: found.index, length: found[0].length } : { kind: 'none' };
}

function searchJson({ path, text, value }: Extract<SearchJob, { kind: 'json-path' }>): SearchResult {
  const read = readJsonPath(path);
  if (!read.ok) return { kind: 'no-path', message: read.message };
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { kind: 'no-json' };
  }
  let found = 0;
  let isMet = value === undefined;
  let shown = '';
  const isComplete = findJson(json, read.steps, (item) => {
    found += 1;
    isMet ||= shownJson(item) === value || JSON.stringify(item) === value;
    if (found <= 5) shown = `${shown}${found > 1 ? ', ' : ''}${shownJson(item)}`.slice(0, maxShown);
  });
  if (!isComplete) return { kind: 'runaway' };
  if (found === 0) return { kind: 'none' };
  return { kind: 'found', isMet, shown: isMet ? '' : shown };
}

function shownJson(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

const port = parentPort;
port?.on('message', (job: SearchJob) => {
  let result: SearchResult;
  try {
    result = search(job);
  } catch {
    // An expression is too large to compile, a document too deep, or a result too long for a text.
    result = { kind: 'runaway' };
  }
  port.postMessage(result);
});
port?.postMessage('ready');
