/**
 * The line of a message from the prelude (`prelude.ts`), given as its kind and its parts; undefined for anything else.
 * This runs outside the sandbox's JavaScript, so a script determines the content of a message, but not its form.
 */
export function sentLine(parts: readonly unknown[]): string | undefined {
  const [kind, first, second, third, fourth] = parts;
  switch (kind) {
    case 'call':
      return line({
        kind,
        id: number(first),
        name: text(second),
        line: number(third),
        options: record(fourth),
      });
    case 'step':
      return line({ kind, id: number(first), name: text(second), state: text(third) });
    case 'value':
      return line({ kind, label: text(first), value: finite(second), unit: text(third) });
    case 'log':
    case 'expect':
      return line({ kind, text: text(first) });
    case 'end':
      return line({ kind, how: text(first), text: text(second), code: number(third), line: number(fourth) });
    default:
      return undefined;
  }
}

function line(message: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(message);
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function number(value: unknown): number | undefined {
  return Number.isSafeInteger(value) ? Number(value) : undefined;
}

function finite(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** The options of a call, from JSON that the script may have influenced. */
function record(json: unknown): object {
  try {
    const value: unknown = JSON.parse(text(json));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
  } catch {
    return {};
  }
}
