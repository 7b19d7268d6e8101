/**
 * The words of a command as redis-cli reads them: blanks separate them, quotes keep blanks, a backslash in double
 * quotes keeps the next character. undefined: a quote is not closed, or there is no word. Pure.
 */
export function commandWords(line: string): readonly string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let at = 0; at < line.length; at += 1) {
    const char = line.charAt(at);
    if (quote !== '') {
      if (char === quote) quote = '';
      else if (char === '\\' && quote === '"') {
        at += 1;
        word = (word ?? '') + line.charAt(at);
      } else word = (word ?? '') + char;
    } else if (char === '"' || char === "'") {
      quote = char;
      word ??= '';
    } else if (char === ' ') {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + char;
  }
  if (quote !== '') return undefined;
  if (word !== undefined) words.push(word);
  return words.length === 0 ? undefined : words;
}
