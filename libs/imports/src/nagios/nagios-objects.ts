import { maxItems } from '../input/max-items.ts';
import { unreadable } from '../input/text-file.ts';

/** The directives of an object, by name. */
export type NagiosFields = Readonly<Record<string, string>>;

export interface NagiosObject {
  readonly kind: string;
  /** `FILE:LINE` of its definition. */
  readonly at: string;
  readonly fields: NagiosFields;
}

const accepts = 'object files of Nagios or Naemon (define host { … }), or objects.cache';
/** Files also have objects that no check needs. */
const maxObjects = maxItems * 5;

/** Parses `define KIND { directive value }`. Comments begin with `#`, or with `;` also after a value. */
export function parseObjects(text: string, file: string): NagiosObject[] {
  const objects: NagiosObject[] = [];
  let open: { kind: string; line: number; fields: Record<string, string> } | undefined;
  for (const [index, raw] of text
    .replaceAll(/\\\r?\n\s*/g, ' ')
    .split(/\r?\n/)
    .entries()) {
    const content = raw
      .replace(/^\s*#.*$/, '')
      .replace(/(?<!\\);.*$/, '')
      .replaceAll('\\;', ';')
      .trim();
    const line = index + 1;
    if (content === '') continue;
    if (open === undefined) {
      const [, kind, inline] = /^define\s+(\w+)\s*\{(.*)$/.exec(content) ?? [];
      if (kind !== undefined) open = { kind, line, fields: {} };
      else if (!isMainConfiguration(content))
        throw unreadable(
          `${file}:${line} is not a definition: ${JSON.stringify(content.slice(0, 60))}; accepted is ${accepts}`,
        );
      if (inline !== undefined && inline.trim() !== '')
        throw unreadable(`${file}:${line} has directives after "{"; each needs a line of its own`);
      continue;
    }
    if (content === '}') {
      objects.push({ kind: open.kind, at: `${file}:${open.line}`, fields: open.fields });
      open = undefined;
      if (objects.length > maxObjects) throw unreadable(`${file} has more than ${maxObjects} objects`);
      continue;
    }
    const [, name = '', value = ''] = /^(\S+)\s*(.*)$/.exec(content) ?? [];
    if (!Object.hasOwn(Object.prototype, name)) open.fields[name] = value.trim();
  }
  if (open !== undefined) throw unreadable(`${file}:${open.line} has no closing "}"; accepted is ${accepts}`);
  return objects;
}

/** Whether a line is one of nagios.cfg or resource.cfg. */
function isMainConfiguration(content: string): boolean {
  return /^(cfg_(file|dir)|include_(file|dir)|\$USER\d+\$\s*=|\w+\s*=)/.test(content);
}

/** The objects with the directives that they inherit from their templates (`use`). Templates are left out. */
export function resolveTemplates(objects: readonly NagiosObject[]): NagiosObject[] {
  const templates = new Map(
    objects.flatMap((object) =>
      object.fields['name'] === undefined
        ? []
        : [[`${object.kind} ${object.fields['name']}`, object] as const],
    ),
  );
  const resolve = (object: NagiosObject, users: readonly NagiosObject[]): Record<string, string> => {
    const resolved: Record<string, string> = {};
    const parents = namesOf(object.fields['use']).flatMap(
      (name) => templates.get(`${object.kind} ${name}`) ?? [],
    );
    // The first template wins, so it is applied last.
    for (const parent of parents.toReversed())
      if (!users.includes(parent)) Object.assign(resolved, resolve(parent, [...users, parent]));
    const { name: _, register: __, use: ___, ...directives } = object.fields;
    for (const [key, value] of Object.entries(directives)) {
      const inherited = resolved[key];
      if (value === 'null') Reflect.deleteProperty(resolved, key);
      else
        resolved[key] = value.startsWith('+')
          ? [inherited, value.slice(1)].filter((part) => part !== undefined && part !== '').join(',')
          : value;
    }
    return resolved;
  };
  return objects
    .filter(({ fields }) => fields['register'] !== '0')
    .map((object) => ({ ...object, fields: resolve(object, [object]) }));
}

/** The names of a comma-separated list. */
export function namesOf(list: string | undefined): string[] {
  return (list ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
