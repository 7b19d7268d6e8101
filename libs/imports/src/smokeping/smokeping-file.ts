import { unreadable } from '../input/text-file.ts';

export const smokePingAccepts = "SmokePing's configuration (*** Targets ***), or its file of targets";

/** A section of a part such as `*** Targets ***`, with the directives of the sections around it. */
export interface SmokePingSection {
  readonly line: number;
  /** The path of its names, the outermost first. */
  readonly names: readonly string[];
  readonly fields: Readonly<Record<string, string>>;
  /** Directives of the section itself, not inherited. */
  readonly ownFields: ReadonlySet<string>;
}

interface LogicalLine {
  readonly line: number;
  readonly content: string;
}

/**
 * The sections of each part, by its heading in lower case. `+` signs give the depth of a section. The part '' is what
 * comes before the first heading.
 */
export function parseSmokePing(
  text: string,
  file: string,
  ignored: string[],
): ReadonlyMap<string, readonly SmokePingSection[]> {
  const parts = new Map<string, SmokePingSection[]>();
  let part: SmokePingSection[] = [];
  let stack: SmokePingSection[] = [];
  parts.set('', part);
  for (const { line, content } of logicalLines(text)) {
    const heading = /^\*{3}\s*(.+?)\s*\*{3}$/.exec(content)?.[1];
    const [, plus, name] = /^(\++)\s*(\S+)$/.exec(content) ?? [];
    const [, key, value] = /^([\w.-]+)\s*=\s*(.*)$/s.exec(content) ?? [];
    if (heading !== undefined) {
      part = [rootSection(line)];
      stack = [...part];
      parts.set(heading.toLowerCase(), part);
    } else if (plus !== undefined && name !== undefined) {
      if (plus.length > stack.length)
        throw unreadable(`${file}:${line} is nested too deep: ${content}; accepted is ${smokePingAccepts}`);
      stack = stack.slice(0, plus.length);
      const parent = stack.at(-1);
      const section: SmokePingSection = {
        line,
        names: [...(parent?.names ?? []), name],
        fields: { ...parent?.fields },
        ownFields: new Set(),
      };
      part.push(section);
      stack.push(section);
    } else if (key !== undefined && value !== undefined) {
      const section = stack.at(-1) ?? rootSection(line);
      if (stack.length === 0) {
        stack = [section];
        part.push(section);
      }
      const extended: SmokePingSection = {
        ...section,
        fields: { ...section.fields, [key]: value.trim() },
        ownFields: new Set([...section.ownFields, key]),
      };
      part[part.indexOf(section)] = extended;
      stack[stack.length - 1] = extended;
    } else if (content.startsWith('@include'))
      ignored.push(`line ${line}: ${content} is not read; import that file, too`);
    else if (part.length > 0 && stack.length > 0 && !/^["\d]/.test(content) && part === parts.get('targets'))
      throw unreadable(
        `${file}:${line} is not a directive: ${JSON.stringify(content.slice(0, 60))}; accepted is ${smokePingAccepts}`,
      );
  }
  return parts;
}

function rootSection(line: number): SmokePingSection {
  return { line, names: [], fields: {}, ownFields: new Set() };
}

/** Lines without comments. A backslash at the end of a line joins the next one. */
function logicalLines(text: string): LogicalLine[] {
  const found: LogicalLine[] = [];
  let open: LogicalLine | undefined;
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const content = raw.replace(/^\s*#.*$/, '').trim();
    const joined: LogicalLine =
      open === undefined
        ? { line: index + 1, content }
        : { line: open.line, content: `${open.content} ${content}` };
    if (joined.content.endsWith('\\')) {
      open = { line: joined.line, content: joined.content.slice(0, -1).trim() };
      continue;
    }
    open = undefined;
    if (joined.content !== '') found.push(joined);
  }
  return found;
}
