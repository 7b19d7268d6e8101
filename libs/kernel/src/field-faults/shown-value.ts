/** Names of fields whose values may be secret, or hold one. */
const secretName =
  /password|passphrase|secret|token|cookie|authorization|^(url|address|proxy|value|headers|body|send|sendhex|query|command|ca|clientcert|clientkey|.*-key)$/i;
/** Longer texts are not repeated. */
const longest = 60;

/**
 * The sent value, for a sentence: `the text "30"`, `the number 4`, `a list`. A text that is long, or that may be a
 * secret by the names on its `path`, is shown by its length. Texts come in quotes alone where a text is `expected`.
 */
export function shownValue(value: unknown, path: readonly string[], expected: 'text' | 'other'): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${value.length}`;
  switch (typeof value) {
    case 'string':
      return shownText(value, path, expected);
    case 'number':
      return isSecret(path) ? 'a number' : `the number ${value}`;
    case 'boolean':
      return String(value);
    case 'object':
      return 'an object';
    default:
      return 'nothing';
  }
}

function isSecret(path: readonly string[]): boolean {
  return path.some((name) => secretName.test(name));
}

function shownText(text: string, path: readonly string[], expected: 'text' | 'other'): string {
  if (text === '') return 'an empty text';
  if (text.length > longest || isSecret(path))
    return text.length === 1 ? 'a text of 1 character' : `a text of ${text.length} characters`;
  return `${expected === 'text' ? '' : 'the text '}${JSON.stringify(text)}`;
}
