/**
 * The value of a JSON text; undefined for any other text. The parser's message is dropped, because it quotes the text,
 * which may contain secrets.
 */
export function parseJson(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
