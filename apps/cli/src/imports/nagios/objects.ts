import { mostThings, unreadable } from '../input.ts';

/** An object of Nagios: its kind, its directives, and where it stands. */
export interface NagiosObject {
  readonly kind: string;
  readonly at: string;
  readonly fields: Readonly<Record<string, string>>;
}

const accepts = 'object files of Nagios or Naemon (define host { … }), or objects.cache';

/** Parses `define KIND { directive value }`. Comments begin with `#`, or with `;` also behind a value. */
export function parseObjects(text: string, file: string): NagiosObject[] {
  const objects: NagiosObject[] = [];
  let open: { kind: string; line: number; fields: Record<string, string> } | undefined;
  for (const [at, raw] of text
    .replaceAll(/\\\r?\n\s*/g, ' ')
    .split(/\r?\n/)
    .entries()) {
    const line = raw
      .replace(/^\s*#.*$/, '')
      .replace(/(?<!\\);.*$/, '')
      .replaceAll('\\;', ';')
      .trim();
    if (line === '') continue;
    if (open === undefined) {
      const [, kind, inline] = /^define\s+(\w+)\s*\{(.*)$/.exec(line) ?? [];
      if (kind === undefined) {
        if (/^(cfg_(file|dir)|include_(file|dir)|\$USER\d+\$\s*=|\w+\s*=)/.test(line)) continue; // a main configuration
        throw unreadable(
          `${file}:${at + 1} is no definition: ${JSON.stringify(line.slice(0, 60))}; accepted is ${accepts}`,
        );
      }
      open = { kind, line: at + 1, fields: {} };
      if (inline === undefined || inline.trim() === '') continue;
      throw unreadable(`${file}:${at + 1} has directives behind "{"; each stands on a line of its own`);
    }
    if (line === '}') {
      objects.push({ kind: open.kind, at: `${file}:${open.line}`, fields: open.fields });
      open = undefined;
      if (objects.length > mostThings * 5)
        throw unreadable(`${file} has more than ${mostThings * 5} objects`);
      continue;
    }
    const [, name = '', value = ''] = /^(\S+)\s*(.*)$/.exec(line) ?? [];
    if (!Object.hasOwn(Object.prototype, name)) open.fields[name] = value.trim();
  }
  if (open !== undefined) throw unreadable(`${file}:${open.line} has no closing "}"; accepted is ${accepts}`);
  return objects;
}

/** Objects with what their templates (`use`) give them; templates themselves (`register 0`) are left out. */
export function resolveTemplates(objects: readonly NagiosObject[]): NagiosObject[] {
  const templates = new Map(
    objects.flatMap((each) =>
      each.fields['name'] === undefined ? [] : [[`${each.kind} ${each.fields['name']}`, each] as const],
    ),
  );
  const resolve = (one: NagiosObject, above: readonly NagiosObject[]): Record<string, string> => {
    const fields: Record<string, string> = {};
    const parents = list(one.fields['use']).flatMap((name) => templates.get(`${one.kind} ${name}`) ?? []);
    // The first template wins, so the last one is laid down first.
    for (const parent of parents.toReversed())
      if (!above.includes(parent)) Object.assign(fields, resolve(parent, [...above, parent]));
    const { name: _, register: __, use: ___, ...own } = one.fields;
    for (const [key, value] of Object.entries(own)) {
      const inherited = fields[key];
      if (value === 'null') Reflect.deleteProperty(fields, key);
      else
        fields[key] = value.startsWith('+')
          ? [inherited, value.slice(1)].filter((part) => part !== undefined && part !== '').join(',')
          : value;
    }
    return fields;
  };
  return objects
    .filter(({ fields }) => fields['register'] !== '0')
    .map((one) => ({ ...one, fields: resolve(one, [one]) }));
}

/** Names separated by commas. */
export function list(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
}
