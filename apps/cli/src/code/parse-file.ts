import type { Json } from '@vantage/domain';
import { parseYamlDocument, unreadable } from '@vantage/imports/input';
import { messageOf } from '@vantage/kernel';
import { isMap, isScalar, LineCounter } from 'yaml';
import { z } from 'zod';

const maxDepth = 64;

/** A value of a file with its position. */
export interface FilePart {
  readonly value: Json;
  /** `FILE:LINE:COLUMN` of the value at a path. A missing value has the position of its parent. */
  readonly at: (...path: readonly (string | number)[]) => string;
  /** `FILE:LINE:COLUMN` of the name of a field. */
  readonly keyAt: (...path: readonly (string | number)[]) => string;
}

/** Parses YAML, JSON included. Throws a Fault with the position of the error. */
export function parseFile(text: string, file: string): FilePart {
  const lines = new LineCounter();
  const position = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `${file}:${line}:${col}`;
  };
  const document = readDocument(text, file, lines);
  const [error] = document.errors;
  if (error !== undefined) throw unreadable(`${position(error.pos[0])}: ${error.message.split('\n')[0]}`);
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 1000 });
  } catch (problem) {
    throw unreadable(`${file}: ${messageOf(problem)}`);
  }
  const at: FilePart['at'] = (...path) => {
    for (let length = path.length; length >= 0; length -= 1) {
      const node: unknown = document.getIn(path.slice(0, length), true);
      const range = typeof node === 'object' && node !== null && 'range' in node ? node.range : undefined;
      const start: unknown = Array.isArray(range) ? range[0] : undefined;
      if (typeof start === 'number') return position(start);
    }
    return `${file}:1:1`;
  };
  const keyAt: FilePart['keyAt'] = (...path) => {
    const parent: unknown = document.getIn(path.slice(0, -1), true);
    const pair = isMap(parent)
      ? parent.items.find(({ key }) => isScalar(key) && key.value === path.at(-1))
      : undefined;
    const start = isScalar(pair?.key) ? pair.key.range?.[0] : undefined;
    return start === undefined ? at(...path) : position(start);
  };
  const json = z.json().safeParse(value ?? {});
  if (!json.success) throw unreadable(`${file}: has a value that does not exist in JSON`);
  if (depthOf(json.data) > maxDepth) throw unreadable(`${file} is nested deeper than ${maxDepth} levels`);
  return { value: json.data, at, keyAt };
}

/** The part `value` of a part, which is at `path`. */
export function innerPart(
  { at, keyAt }: FilePart,
  value: Json,
  ...path: readonly (string | number)[]
): FilePart {
  return {
    value,
    at: (...rest) => at(...path, ...rest),
    keyAt: (...rest) => keyAt(...path, ...rest),
  };
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
    level = level.flatMap((node) => (typeof node === 'object' && node !== null ? Object.values(node) : []));
  return depth;
}
