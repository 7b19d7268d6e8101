import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { Fault, messageOf } from '@vantage/kernel';
import { z } from 'zod';
import about from '../../package.json' with { type: 'json' };
import { type Connection, connect } from '../remote/connection.ts';
import type { ControllerAccess } from '../remote/https-fetch.ts';
import { documentSchema, type Tool, toolsOf } from './tools-of.ts';

const given = z.record(z.string(), z.json());
type Arguments = z.infer<typeof given>;

/**
 * Serves the operations of the controller as tools over standard input and output (Model Context Protocol), until its
 * client closes them. The controller's own document says which there are.
 */
export async function runMcp(
  access: ControllerAccess,
  { writes }: { readonly writes: boolean },
): Promise<void> {
  using connection = connect(access);
  const answer = await connection.call({ method: 'GET', path: '/openapi.json' });
  const tools = new Map(
    toolsOf(documentSchema.parse(await answer.json()), { writes }).map((tool) => [tool.name, tool]),
  );
  const server = new Server(
    { name: 'vantage', version: about.version },
    { capabilities: { tools: {} }, instructions: instructions(writes) },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [...tools.values()].map(shownTool) }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) =>
    callTool(connection, tools.get(params.name), params.name, given.parse(params.arguments ?? {})),
  );
  const ended = new Promise<void>((resolve) => {
    server.onclose = resolve;
    process.stdin.once('end', () => void server.close());
  });
  await server.connect(new StdioServerTransport());
  await ended;
}

function instructions(writes: boolean): string {
  const reading =
    'Vantage monitors devices. Times are ISO 8601. Lists have at most 100 rows a page: narrow them by their filters. listDevices with Search finds a device by its name.';
  return writes
    ? `${reading} Ask before you change or delete anything.`
    : `${reading} Nothing can be changed.`;
}

function shownTool({ name, description, method, inputSchema }: Tool) {
  const annotations = {
    readOnlyHint: method === 'GET',
    destructiveHint: method === 'DELETE' || method === 'PUT',
    idempotentHint: method !== 'POST',
  };
  return { name, description, inputSchema, annotations };
}

/** Does the request of a tool. A refusal is an answer for the assistant, not a failure of the server. */
async function callTool(connection: Connection, tool: Tool | undefined, name: string, values: Arguments) {
  try {
    if (tool === undefined) throw new Fault('stop', 'missing', `there is no tool ${name.slice(0, 100)}`);
    const answer = await connection.call(requestOf(tool, values));
    return { content: [{ type: 'text' as const, text: boundedAnswer(await answer.json()) }] };
  } catch (error) {
    return { content: [{ type: 'text' as const, text: messageOf(error) }], isError: true };
  }
}

/** The request of a tool with these arguments. Throws a Fault for an argument that is missing or unknown. Pure. */
function requestOf({ method, path, query, inputSchema }: Tool, values: Arguments) {
  for (const name of inputSchema.required)
    if (values[name] === undefined) throw new Fault('stop', 'settings', `${name} is missing`);
  const unknown = Object.keys(values).filter((name) => !Object.hasOwn(inputSchema.properties, name));
  if (unknown.length > 0)
    throw new Fault(
      'stop',
      'settings',
      `${unknown.join(', ')} is not accepted; accepted are ${Object.keys(inputSchema.properties).join(', ')}`,
    );
  const text = (name: string) => {
    const value = values[name];
    return typeof value === 'string' ? value : JSON.stringify(value);
  };
  const asked = query.filter((name) => values[name] !== undefined).map((name) => [name, text(name)]);
  const { body } = values;
  return {
    method,
    path: path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(text(name))),
    query: z.record(z.string(), z.string()).parse(Object.fromEntries(asked)),
    ...(body === undefined ? {} : { body }),
  };
}

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
