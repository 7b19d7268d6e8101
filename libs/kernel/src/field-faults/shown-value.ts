/** Names of fields whose values may be secret, or hold one. */
const secretName =
  /password|passphrase|secret|token|cookie|authorization|^(url|address|proxy|value|headers|body|send|sendhex|query|command|ca|clientcert|clientkey|.*-key)$/i;
/** Longer texts are not repeated. */
const longest = 60;

/** Characters that a reader does not see, or that move the others: they are shown by their numbers. */
const unseen = /[\p{Cf}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu;

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
  const quoted = JSON.stringify(text).replaceAll(unseen, escaped);
  return `${expected === 'text' ? '' : 'the text '}${quoted}`;
}

/** A character in the form of JSON, one escape for each unit of UTF-16. */
function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
