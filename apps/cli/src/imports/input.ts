import { closeSync, openSync, readSync } from 'node:fs';
import { mebibyte } from '@vantage/domain';
import { Fault, messageOf } from '@vantage/kernel';
import { LineCounter } from 'yaml';
import { parseYamlDocument } from '../yaml-document.ts';

/** A file of another tool is at most this long; a database is opened by SQLite and has no limit. */
const longestInput = 32 * mebibyte;
/** Most things that one import reads; an account of the API has fewer devices. */
export const mostThings = 20_000;
const deepest = 64;

/** The file cannot be used at all. The command ends with 2. */
export function unreadable(message: string): Fault {
  return new Fault('stop', 'unreadable', message);
}

/**
 * The text of a file, or of standard input for `-`. UTF-8, or UTF-16 with a byte order mark as spreadsheets write it.
 */
export function readText(file: string): string {
  const bytes = readBounded(file);
  const [first, second] = bytes;
  try {
    if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le', { fatal: true }).decode(bytes);
    if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be', { fatal: true }).decode(bytes);
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw unreadable(
      `${file} is no text in UTF-8 or UTF-16; save it as UTF-8 ("CSV UTF-8" in a spreadsheet)`,
    );
  }
}

function readBounded(file: string): Buffer {
  let handle: number;
  try {
    handle = file === '-' ? 0 : openSync(file, 'r');
  } catch (error) {
    throw unreadable(`${file} cannot be read: ${messageOf(error)}`);
  }
  try {
    const chunks: Buffer[] = [];
    for (let total = 0; ; ) {
      const chunk = Buffer.alloc(64 * 1024);
      const count = readChunk(handle, chunk);
      if (count === 0) return Buffer.concat(chunks);
      total += count;
      if (total > longestInput)
        throw unreadable(`${file} is longer than ${longestInput / mebibyte} MiB, the most that is read`);
      chunks.push(chunk.subarray(0, count));
    }
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw unreadable(`${file} cannot be read: ${messageOf(error)}`);
  } finally {
    if (handle !== 0) closeSync(handle);
  }
}

/** A pipe that has nothing yet answers EAGAIN; its end is 0. */
function readChunk(handle: number, chunk: Buffer): number {
  for (;;) {
    try {
      return readSync(handle, chunk);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (code === 'EOF') return 0;
      if (code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
}

/** Parses JSON; the fault names the line. `accepts` says what the format wants. */
export function parseJson(text: string, file: string, accepts: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw unreadable(`${file} is no JSON (${messageOf(error)}); accepted is ${accepts}`);
  }
  return shallow(value, file, accepts);
}

/** A YAML file with the lines of its parts. */
interface YamlFile {
  readonly value: unknown;
  /** `line 12` of a part, by its path; `''` where it has none. */
  readonly at: (path: readonly (string | number)[]) => string;
}

/** Parses the first document of a YAML file, JSON included; the fault names the line and column. */
export function parseYaml(text: string, file: string, accepts: string): YamlFile {
  const lines = new LineCounter();
  try {
    const document = parseYamlDocument(text, lines);
    const [error] = document.errors;
    if (error !== undefined) {
      const { line, col } = lines.linePos(error.pos[0]);
      throw unreadable(
        `${file}:${line}:${col} is no YAML (${error.message.split('\n')[0]}); accepted is ${accepts}`,
      );
    }
    const value: unknown = document.toJS({ maxAliasCount: 1000 });
    return {
      value: shallow(value, file, accepts),
      at(path) {
        const node: unknown = document.getIn(path, true);
        if (typeof node !== 'object' || node === null || !('range' in node)) return '';
        const range = node.range;
        const start: unknown = Array.isArray(range) ? range[0] : undefined;
        return typeof start === 'number' ? `line ${lines.linePos(start).line}` : '';
      },
    };
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw unreadable(`${file} cannot be read as YAML (${messageOf(error)}); accepted is ${accepts}`);
  }
}

/** The value, unless it is nested deeper than any configuration is. Walks without recursion. */
function shallow(value: unknown, file: string, accepts: string): unknown {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > deepest)
      throw unreadable(`${file} is nested deeper than ${deepest} levels; accepted is ${accepts}`);
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []));
  }
  return value;
}
