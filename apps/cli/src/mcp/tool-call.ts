import { fillPath } from '@vantage/client';
import { Fault } from '@vantage/kernel';
import { z } from 'zod';
import type { McpTool } from './mcp-tools.ts';

/** The arguments of a tool, by name. */
export const toolArguments = z.record(z.string(), z.json());
type ToolArguments = z.infer<typeof toolArguments>;

/**
 * Builds the request of a tool. Throws a Fault for a missing or unknown argument, and a RangeError for an argument that
 * would change the path. Pure.
 */
export function requestOf({ name, method, path, query, inputSchema }: McpTool, values: ToolArguments) {
  for (const name of inputSchema.required)
    if (values[name] === undefined) throw new Fault('stop', 'settings', `${name} is missing`);
  const unknown = Object.keys(values).filter((name) => !Object.hasOwn(inputSchema.properties, name));
  if (unknown.length > 0) {
    const known = Object.keys(inputSchema.properties);
    const text =
      known.length === 0
        ? `${name} has no arguments.`
        : `${name} has no argument ${unknown.join(', ')}. Its arguments are ${known.join(', ')}.`;
    throw new Fault('stop', 'settings', text);
  }
  const plainText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
  const text = (name: string) => {
    const value = values[name];
    return Array.isArray(value) ? value.map(plainText).join(',') : plainText(value);
  };
  const parameters = query.filter((name) => values[name] !== undefined).map((name) => [name, text(name)]);
  const { body } = values;
  return {
    method,
    path: fillPath(path, values),
    query: z.record(z.string(), z.string()).parse(Object.fromEntries(parameters)),
    ...(body === undefined ? {} : { body }),
  };
}

/** The characters of an answer. More would fill the assistant's context. */
const maxAnswerLength = 40_000;

/** The text of an answer. A list that is too long is cut after an element, with a hint how to get the others. Pure. */
export function boundedAnswer(body: unknown, maxLength = maxAnswerLength): string {
  const text = JSON.stringify(body);
  if (text.length <= maxLength) return text;
  if (!Array.isArray(body))
    return `${text.slice(0, maxLength)}… (${text.length} characters; the rest is omitted)`;
  const elements: string[] = [];
  let length = 0;
  for (const element of body) {
    const elementText = JSON.stringify(element);
    length += elementText.length + 1;
    if (length > maxLength) break;
    elements.push(elementText);
  }
  return `[${elements.join()}]\n${elements.length} of ${body.length} are shown. Use filters, or request fewer with Limit and continue with Offset, After or Before.`;
}
