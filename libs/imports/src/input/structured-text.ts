import { Fault, messageOf } from '@vantage/kernel';
import { LineCounter } from 'yaml';
import { unreadable } from './text-file.ts';
import { parseYamlDocument } from './yaml-document.ts';

const maxDepth = 64;

/** Parses JSON. The fault says what the format accepts. */
export function parseJson(text: string, file: string, accepts: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw unreadable(`${file} is not JSON (${messageOf(error)}); accepted is ${accepts}`);
  }
  return limitDepth(value, file, accepts);
}

/** A parsed YAML file with the lines of its parts. */
interface ParsedYaml {
  readonly value: unknown;
  /** `line 12` of the part at a path; `''` where it has none. */
  readonly at: (path: readonly (string | number)[]) => string;
}

/** Parses the first document of a YAML file, JSON included. The fault names line and column. */
export function parseYaml(text: string, file: string, accepts: string): ParsedYaml {
  const lines = new LineCounter();
  try {
    const document = parseYamlDocument(text, lines);
    const [error] = document.errors;
    if (error !== undefined) {
      const { line, col } = lines.linePos(error.pos[0]);
      throw unreadable(
        `${file}:${line}:${col} is not YAML (${error.message.split('\n')[0]}); accepted is ${accepts}`,
      );
    }
    const value: unknown = document.toJS({ maxAliasCount: 1000 });
    return {
      value: limitDepth(value, file, accepts),
      at(path) {
        const node: unknown = document.getIn(path, true);
        if (typeof node !== 'object' || node === null || !('range' in node)) return '';
        const { range } = node;
        const start: unknown = Array.isArray(range) ? range[0] : undefined;
        return typeof start === 'number' ? `line ${lines.linePos(start).line}` : '';
      },
    };
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw unreadable(`${file} cannot be read as YAML (${messageOf(error)}); accepted is ${accepts}`);
  }
}

/** Returns the value, or throws when it is nested deeper than any configuration. Walks without recursion. */
function limitDepth(value: unknown, file: string, accepts: string): unknown {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth)
      throw unreadable(`${file} is nested deeper than ${maxDepth} levels; accepted is ${accepts}`);
    level = level.flatMap((node) => (typeof node === 'object' && node !== null ? Object.values(node) : []));
  }
  return value;
}
