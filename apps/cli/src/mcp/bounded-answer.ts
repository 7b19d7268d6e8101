/** Characters of an answer to an assistant: more would fill what it can keep in mind. */
const longest = 40_000;

/**
 * The text of an answer. A list that is too long is cut after a whole element, and says how to get the others. Pure.
 */
export function boundedAnswer(body: unknown, most = longest): string {
  const text = JSON.stringify(body);
  if (text.length <= most) return text;
  if (!Array.isArray(body))
    return `${text.slice(0, most)}… (${text.length} characters; the rest is left out)`;
  const kept: string[] = [];
  let length = 0;
  for (const element of body) {
    const own = JSON.stringify(element);
    length += own.length + 1;
    if (length > most) break;
    kept.push(own);
  }
  return `[${kept.join()}]\n${kept.length} of ${body.length} are shown. Narrow the list by its filters, or ask for fewer with Limit and go on with Offset, After or Before.`;
}
