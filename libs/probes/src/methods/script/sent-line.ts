/**
 * The line that a guest process sends for what its prelude sent (`prelude.ts`): the texts and numbers of one message,
 * its kind first. undefined for anything else. It is made outside the sandbox's JavaScript, so that a script decides
 * about the contents of a message, never about its kind.
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

/** The options of a call, from the JSON that the script's own objects made of themselves. */
function record(json: unknown): object {
  try {
    const value: unknown = JSON.parse(text(json));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
  } catch {
    return {};
  }
}
