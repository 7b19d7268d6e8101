/** A member of an interface in the declarations of scripts. */
interface ScriptMember {
  readonly name: string;
  /** As it is declared: `'GET' | 'POST'`, `OwnTls`; `TcpCall.steps` for a type that has no name of its own. */
  readonly type: string;
  readonly doc: string;
}

/** A function that scripts can call. */
interface ScriptFunction {
  readonly name: string;
  /** `http(call: HttpCall): Promise<HttpResult>` */
  readonly signature: string;
  readonly doc: string;
  /** The interface of its first parameter; '': it takes no object. */
  readonly takes: string;
  /** The type of its resolved value. */
  readonly gives: string;
}

/** The declarations of `vantage-script.d.ts`. */
export interface ScriptTypes {
  readonly functions: ReadonlyMap<string, ScriptFunction>;
  /** The members of an interface with those that it extends; of a list, those of its items. */
  readonly membersOf: (type: string) => readonly ScriptMember[];
}

interface Declared {
  readonly bases: readonly string[];
  readonly members: readonly ScriptMember[];
}

const memberLine = /^\s+(?:readonly )?(\w+)\??: (.+?);?$/;
const interfaceLine = /^interface (\w+)(?: extends (.+?))? \{$/;
const functionLine = /^declare function (\w+)(?:<\w+>)?(\(.*\)): (.+);$/;

/** Joins the lines of a comment. */
const docOf = (lines: readonly string[]) =>
  lines
    .map((line) => line.replaceAll(/^\s*(?:\/\*\*|\*\/|\*)\s?|\s*\*\/$/g, ''))
    .join(' ')
    .trim();

/** Reads the declarations. They are formatted, so each member, interface and function begins a line. Pure. */
export function readScriptTypes(source: string): ScriptTypes {
  const interfaces = new Map<string, Declared>();
  const functions = new Map<string, ScriptFunction>();
  const open: {
    readonly name: string;
    readonly bases: readonly string[];
    readonly members: ScriptMember[];
  }[] = [];
  let comment: string[] = [];
  let isInComment = false;
  for (const line of source.split('\n')) {
    const trimmed = line.trim();
    if (isInComment || trimmed.startsWith('/**')) {
      comment = isInComment ? [...comment, line] : [line];
      isInComment = !trimmed.endsWith('*/');
      continue;
    }
    const doc = docOf(comment);
    const [, name, bases = ''] = interfaceLine.exec(line) ?? [];
    const [, functionName, parameters = '', result = ''] = functionLine.exec(line) ?? [];
    const [, member, type = ''] = memberLine.exec(line) ?? [];
    const inner = open.at(-1);
    if (name !== undefined) open.push({ name, bases: splitBases(bases), members: [] });
    else if (functionName !== undefined) {
      const takes = /^\(\w+: (\w+Call)\)/.exec(parameters)?.[1] ?? '';
      const gives = /^Promise<(\w+)>$/.exec(result)?.[1] ?? result;
      if (!functions.has(functionName))
        functions.set(functionName, {
          name: functionName,
          signature: `${functionName}${parameters}: ${result}`,
          doc,
          takes,
          gives,
        });
    } else if (member !== undefined && inner !== undefined) {
      const nested = `${inner.name}.${member}`;
      inner.members.push({ name: member, type: type === '{' ? nested : type, doc });
      if (type === '{') open.push({ name: nested, bases: [], members: [] });
    } else if (/^\s*\}/.test(line) && inner !== undefined) {
      open.pop();
      interfaces.set(inner.name, inner);
    }
    comment = [];
  }
  const membersOf = (type: string): readonly ScriptMember[] => {
    const declared = interfaces.get(type.replaceAll(/^readonly |\[\]$/g, ''));
    if (declared === undefined) return [];
    const inherited = declared.bases.flatMap(membersOf);
    const ownNames = new Set(declared.members.map(({ name }) => name));
    return [...declared.members, ...inherited.filter(({ name }) => !ownNames.has(name))];
  };
  return { functions, membersOf };
}

/** The names in `Error, Partial<HttpResult>`. */
const splitBases = (bases: string) =>
  bases
    .split(',')
    .map((base) => base.trim().replace(/^Partial<(\w+)>$/, '$1'))
    .filter((base) => base !== '');
