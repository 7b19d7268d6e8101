import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { programEnv } from '@vantage/kernel/testing';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { repositoryRoot } from '../../harness/system.ts';
import { system } from './system.ts';

/** Starts `vantage mcp`, and connects to it as an assistant does. */
async function start(...args: readonly string[]) {
  const { base_url, api_key_uw, ca_file } = system.quickstart();
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(
    new StdioClientTransport({
      command: path.join(repositoryRoot, 'vantage'),
      args: ['mcp', ...args],
      cwd: tmpdir(),
      env: {
        ...programEnv(),
        VANTAGE_SERVER: base_url,
        VANTAGE_KEY: api_key_uw,
        VANTAGE_CA: ca_file,
      },
    }),
  );
  const call = async (name: string, values: Record<string, unknown> = {}) => {
    const { content, isError = false } = await client.callTool({ name, arguments: values });
    const [{ text }] = z.tuple([z.object({ text: z.string() })]).parse(content);
    return { text, isError };
  };
  return { client, call, [Symbol.asyncDispose]: () => client.close() };
}

describe('an assistant by the Model Context Protocol', { timeout: 240_000 }, () => {
  test('reads what the controller has, and is told what is wrong with a question', async () => {
    const body = { Method: 'PING', URL: '192.0.2.7', ShortName: 'mcp-7', Enabled: false };
    const made = z.object({ device_id: z.string() }).parse(await system.api.ok('POST', '/devices', body));
    await using server = await start();
    const { tools } = await server.client.listTools();
    const names = tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['listDevices', 'getDevice', 'listOutages', 'getUptime']));
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true);
    expect(names.filter((name) => /Key|Secret|User|Session/.test(name))).toEqual([]);
    const list = await server.call('listDevices', { Search: 'mcp', Limit: 5 });
    expect(JSON.parse(list.text)).toMatchObject([{ ShortName: 'mcp-7', device_id: made.device_id }]);
    expect(JSON.parse((await server.call('getDevice', made)).text)).toMatchObject({ URL: '192.0.2.7' });
    expect(await server.call('getDevice', { device_id: '0'.repeat(48) })).toEqual({
      text: 'No such device.',
      isError: true,
    });
    expect(await server.call('getDevice')).toEqual({ text: 'device_id is missing', isError: true });
    expect((await server.call('listDevices', { Color: 'red' })).text).toContain(
      'listDevices has no argument Color',
    );
    expect(await server.call('deleteDevice', made)).toEqual({
      text: 'there is no tool deleteDevice',
      isError: true,
    });
  });

  test('changes only what --allow-writes lets it', async () => {
    await using server = await start('--allow-writes');
    const body = { Method: 'PING', URL: '192.0.2.8', ShortName: 'mcp-8', Enabled: false };
    const made = z.object({ device_id: z.string() });
    const { device_id } = made.parse(JSON.parse((await server.call('createDevice', { body })).text));
    await server.call('updateDevice', { device_id, body: { FullName: 'Gateway' } });
    expect(await system.api.ok('GET', `/devices/${device_id}`)).toMatchObject({ FullName: 'Gateway' });
    const wrong = await server.call('updateDevice', { device_id, body: { Timeout: 'x' } });
    expect(wrong).toMatchObject({ isError: true });
    expect(wrong.text.match(/Timeout must be/g)).toHaveLength(1);
    const detached = await server.call('detachTag', { device_id, tag_id: '..' });
    expect(detached).toMatchObject({ isError: true, text: expect.stringContaining('tag_id must be an id') });
    expect((await server.call('getDevice', { device_id })).isError).toBe(false);
    const all = await server.call('acknowledgeAlert', { alert_id: '.', body: {} });
    expect(all).toMatchObject({ isError: true, text: expect.stringContaining('alert_id must be an id') });
    expect((await server.call('deleteDevice', { device_id })).isError).toBe(false);
  });
});
