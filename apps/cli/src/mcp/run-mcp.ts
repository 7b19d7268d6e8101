import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { productVersion } from '@vantage/domain';
import { Fault, messageOf } from '@vantage/kernel';
import { z } from 'zod';
import { type ApiConnection, connect } from '../remote/api-connection.ts';
import type { ControllerAccess } from '../remote/https-fetch.ts';
import { documentSchema, keyLevels, type McpTool, toolsOf } from './mcp-tools.ts';
import { boundedAnswer, requestOf, toolArguments } from './tool-call.ts';

const helloSchema = z.object({ AuthLevel: z.enum(keyLevels) });

/**
 * Serves the operations of the controller's OpenAPI document as tools over standard input and output (Model Context
 * Protocol), until the client closes them.
 */
export async function runMcp(
  access: ControllerAccess,
  { writes }: { readonly writes: boolean },
): Promise<void> {
  using connection = connect(access);
  const answer = await connection.call({ method: 'GET', path: '/openapi.json' });
  const document = documentSchema.parse(await answer.json());
  const hello = await connection.call({ method: 'GET', path: '/hello', query: { fmt: 'json' } });
  const { AuthLevel: level } = helloSchema.parse(await hello.json());
  const tools = new Map(toolsOf(document, { writes, level }).map((tool) => [tool.name, tool]));
  const server = new Server(
    { name: 'vantage', version: productVersion },
    { capabilities: { tools: {} }, instructions: instructions(writes) },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [...tools.values()].map(describeTool) }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) =>
    callTool(connection, tools.get(params.name), params.name, toolArguments.parse(params.arguments ?? {})),
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
    'Vantage monitors devices. Times are ISO 8601. Lists have at most 100 rows a page: use their filters. listDevices with Search finds a device by its name.';
  return writes
    ? `${reading} Ask before you change or delete anything.`
    : `${reading} Nothing can be changed.`;
}

function describeTool({ name, description, method, inputSchema }: McpTool) {
  const annotations = {
    readOnlyHint: method === 'GET',
    destructiveHint: method === 'DELETE' || method === 'PUT',
    idempotentHint: method !== 'POST',
  };
  return { name, description, inputSchema, annotations };
}

/** Sends the request of a tool. An error of the API is an answer for the assistant, not a failure of the server. */
async function callTool(
  connection: ApiConnection,
  tool: McpTool | undefined,
  name: string,
  values: Parameters<typeof requestOf>[1],
) {
  try {
    if (tool === undefined) throw new Fault('stop', 'missing', `there is no tool ${name.slice(0, 100)}`);
    const answer = await connection.call(requestOf(tool, values));
    return { content: [{ type: 'text' as const, text: boundedAnswer(await answer.json()) }] };
  } catch (error) {
    return { content: [{ type: 'text' as const, text: messageOf(error) }], isError: true };
  }
}
