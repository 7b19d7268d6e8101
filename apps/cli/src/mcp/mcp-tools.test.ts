import { expect, test } from 'vitest';
import { toolsOf } from './mcp-tools.ts';
import { apiDocument } from './testing/api-document.ts';

test('tools read; with writes they change, too; keys and formats of answers are left out', () => {
  const reading = toolsOf(apiDocument, { writes: false, level: 'UA' });
  expect(reading.map(({ name }) => name)).toEqual(['listDevices', 'getDevice']);
  expect(reading[0]).toMatchObject({
    description: 'Lists devices.',
    query: ['Search'],
    inputSchema: {
      properties: { Search: { type: 'string', description: 'A part of a name.' } },
      required: [],
    },
  });
  expect(Object.keys(reading[0]?.inputSchema.properties ?? {})).toEqual(['Search']);
  const all = toolsOf(apiDocument, { writes: true, level: 'UA' });
  expect(all.map(({ name }) => name)).toEqual(['listDevices', 'createDevice', 'getDevice']);
  expect(all[1]?.inputSchema).toEqual({
    type: 'object',
    properties: { body: { $ref: '#/$defs/DeviceCreate' } },
    required: ['body'],
    $defs: {
      DeviceCreate: { type: 'object', properties: { Tags: { $ref: '#/$defs/Tags' } } },
      Tags: { type: 'array' },
    },
  });
});

test('a key is offered only the tools that it may use', () => {
  const names = (level: 'UR' | 'UW') => toolsOf(apiDocument, { writes: true, level }).map(({ name }) => name);
  expect(names('UR')).toEqual(['listDevices', 'getDevice']);
  expect(names('UW')).toEqual(['listDevices', 'createDevice', 'getDevice']);
});
