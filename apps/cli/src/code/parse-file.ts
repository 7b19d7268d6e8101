import type { Json } from '@vantage/domain';
import { messageOf } from '@vantage/kernel';
import { isMap, isScalar, LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';
import { unreadable } from '../imports/input.ts';

const deepest = 64;

/** A part of a file: its value, and where it stands. */
export interface Part {
  readonly value: Json;
  readonly at: (...path: readonly (string | number)[]) => string;
  /** Where the name of a field stands. */
  readonly keyAt: (...path: readonly (string | number)[]) => string;
}

/** Parses YAML, JSON included. Throws a Fault that names the place of an error. */
export function parseFile(text: string, file: string): Part {
  const lines = new LineCounter();
  const place = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `${file}:${line}:${col}`;
  };
  const document = parseDocument(text, { lineCounter: lines, merge: true, prettyErrors: false });
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

function depthOf(value: Json): number {
  let depth = 0;
  for (let level: Json[] = [value]; level.length > 0; depth += 1)
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []));
  return depth;
}
