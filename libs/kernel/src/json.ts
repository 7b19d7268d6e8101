/**
 * The value of a JSON text; undefined for another text or none. The parser's own message is dropped, because it quotes
 * the text, which may hold secrets.
 */
export function parseJson(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
