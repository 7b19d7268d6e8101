import { z } from 'zod';
import { tlsOptions, tlsOptionsWithoutStart, tlsSettingKeys } from '../contract/options.ts';
import type { DeclaredMember, ScriptFunction } from '../contract/probe.ts';
import { checkFunctions, registry } from '../engine/registry.ts';

const begin =
  '// Generated from here on: `vitest run script-declarations -u` writes this part from the Methods.';
const end = '// Generated up to here.';

/** The text of vantage-script.d.ts with its generated part replaced from the registry. */
export function generateDeclarations(text: string): string {
  const [head, rest] = text.split(`${begin}\n`);
  const tail = rest?.split(`${end}\n`)[1];
  if (head === undefined || tail === undefined)
    throw new TypeError('the comments around the generated part are missing');
  return `${head}${begin}\n${generated()}\n${end}\n${tail}`;
}

function generated(): string {
  const results = new Map<unknown, string>();
  const functions = [...checkFunctions].map(([name, definition]) => {
    const typeName = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
    const known = results.get(definition.result);
    const result = definition.result === undefined ? 'Result' : (known ?? `${typeName}Result`);
    if (definition.result !== undefined) results.set(definition.result, result);
    return [
      callOf(`${typeName}Call`, definition),
      definition.result === undefined || known !== undefined ? '' : resultOf(result, definition.result),
      `${comment(definition.description, '')}declare function ${name}(call: ${typeName}Call): Promise<${result}>;\n`,
    ];
  });
  return ['', ...tlsInterfaces(), ...functions.flat()].filter((part, n) => n === 0 || part !== '').join('\n');
}

function callOf(
  name: string,
  definition: ScriptFunction & { readonly method: keyof typeof registry },
): string {
  const { options } = registry[definition.method];
  const members = definition.parameters ?? {};
  const overridden = Object.keys(members);
  const bases = ['Call'];
  if (definition.target === 'host and port') bases.push('Place');
  if (definition.implicitTls) bases.push('TlsSettings');
  const omitted = ['SlowMs', ...(definition.implicitTls ? ['TLS'] : [])];
  const target = definition.target === 'host and port' ? '' : `  ${definition.target}: string;\n`;
  const parameters = Object.entries(members).map(([key, member]) => memberOf(`${key}?`, member, '  '));
  return `interface ${name} extends ${bases.join(', ')} {
${target}${parameters.join('')}${membersOf(options, (key) => !omitted.includes(key) && !overridden.includes(scriptKey(key)))}}
`;
}

function resultOf(name: string, members: Readonly<Record<string, DeclaredMember>>): string {
  const lines = Object.entries(members).map(([key, member]) => memberOf(`readonly ${key}`, member, '  '));
  return `interface ${name} extends Result {\n${lines.join('')}}\n`;
}

/** The interfaces of the TLS settings, which many Methods share. */
function tlsInterfaces(): readonly string[] {
  const isMode = (key: string) => !tlsSettingKeys.includes(key);
  return [
    `interface TlsSettings {\n${membersOf(tlsOptions, (key) => !isMode(key))}}\n`,
    `interface OwnTls extends TlsSettings {\n${membersOf(tlsOptionsWithoutStart, isMode)}}\n`,
    `interface StartTls extends TlsSettings {\n${membersOf(tlsOptions, isMode)}}\n`,
  ];
}

const nameOfSchema = new Map<unknown, string>([
  [tlsOptions, 'StartTls'],
  [tlsOptionsWithoutStart, 'OwnTls'],
]);

const schema = z.looseObject({
  type: z.string().optional(),
  description: z.string().optional(),
  enum: z.array(z.string()).optional(),
  required: z.array(z.string()).optional(),
  get items(): z.ZodOptional<typeof schema> {
    return schema.optional();
  },
  get additionalProperties(): z.ZodOptional<z.ZodUnion<readonly [z.ZodBoolean, typeof schema]>> {
    return z.union([z.boolean(), schema]).optional();
  },
  get properties(): z.ZodOptional<z.ZodRecord<z.ZodString, typeof schema>> {
    return z.record(z.string(), schema).optional();
  },
});
type JsonSchema = z.output<typeof schema>;

function membersOf(options: unknown, includes: (key: string) => boolean): string {
  const inner = options instanceof z.ZodPrefault ? options.unwrap() : options;
  if (!(inner instanceof z.ZodObject)) throw new TypeError('Options are a z.strictObject');
  const shape: Readonly<Record<string, unknown>> = inner.shape;
  const found = schema.parse(z.toJSONSchema(inner, { io: 'input', unrepresentable: 'any' }));
  return properties(found, '  ', includes, (key) => nameOfSchema.get(shape[key]));
}

function properties(
  of: JsonSchema,
  indent: string,
  includes: (key: string) => boolean = () => true,
  nameOf: (key: string) => string | undefined = () => undefined,
): string {
  const lines = Object.entries(of.properties ?? {})
    .filter(([key]) => includes(key))
    .map(([key, property]) => {
      const type = nameOf(key) ?? typeOf(property, indent);
      const name = `${scriptKey(key)}${of.required?.includes(key) ? '' : '?'}`;
      const { description } = property;
      return memberOf(name, { type, ...(description !== undefined && { description }) }, indent);
    });
  return lines.join('');
}

function memberOf(name: string, { type, description }: DeclaredMember, indent: string): string {
  return `${description === undefined ? '' : comment(description, indent)}${indent}${name}: ${type};\n`;
}

function typeOf(of: JsonSchema, indent: string): string {
  if (of.enum) return of.enum.map((value) => `'${value}'`).join(' | ');
  if (of.items) {
    const item = typeOf(of.items, indent);
    return item.includes(' | ') && !item.includes('{') ? `(${item})[]` : `${item}[]`;
  }
  if (of.properties) return `{\n${properties(of, `${indent}  `)}${indent}}`;
  if (typeof of.additionalProperties === 'object')
    return `Record<string, ${typeOf(of.additionalProperties, indent)}>`;
  if (of.type === 'integer' || of.type === 'number') return 'number';
  if (of.type === 'string' || of.type === 'boolean') return of.type;
  throw new TypeError(`no declaration for ${JSON.stringify(of)}`);
}

function comment(text: string, indent: string): string {
  const lines = text.replaceAll('*/', '* /').match(/\S(?:.{0,110}\S)?(?=\s|$)/g) ?? [];
  if (lines.length <= 1) return `${indent}/** ${lines.join('')} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}\n`).join('')}${indent} */\n`;
}

/** `ExpectText` is `expectText`, `IPFamily` `ipFamily`, `TLS` `tls`. */
function scriptKey(key: string): string {
  return key.replace(/^[A-Z]+(?=[A-Z][a-z]|$)|^[A-Z]/, (start) => start.toLowerCase());
}
