import fc from 'fast-check';
import { expect, test } from 'vitest';
import { boundedAnswer, documentSchema, requestOf, toolsOf } from './run-mcp.ts';

const id = { name: 'device_id', in: 'path', required: true, schema: { type: 'string' } };
const document = documentSchema.parse({
  paths: {
    '/devices': {
      get: {
        operationId: 'listDevices',
        summary: 'Lists devices',
        description: 'Lists devices.\n\nWith `fmt=xml` it is XML.',
        parameters: [
          { name: 'Search', in: 'query', description: 'A part of a name.', schema: { type: 'string' } },
          { name: 'fmt', in: 'query', schema: { type: 'string' } },
          { name: 'X-Request-Id', in: 'header', schema: { type: 'string' } },
        ],
      },
      post: {
        operationId: 'createDevice',
        'x-authorization-level': 'UW',
        summary: 'Creates a device',
        requestBody: {
          content: { 'application/json': { schema: { $ref: '#/components/schemas/DeviceCreate' } } },
        },
      },
    },
    '/devices/{device_id}': { get: { operationId: 'getDevice', parameters: [id] } },
    '/keys': { get: { operationId: 'listKeys' }, post: { operationId: 'createKey' } },
  },
  components: {
    schemas: {
      DeviceCreate: { type: 'object', properties: { Tags: { $ref: '#/components/schemas/Tags' } } },
      Tags: { type: 'array' },
      Other: {},
    },
  },
});

test('tools read; with writes they change, too; keys and forms of answers are left out', () => {
  const reading = toolsOf(document, { writes: false, level: 'UA' });
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
  const all = toolsOf(document, { writes: true, level: 'UA' });
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

test.each(['..', '.', ''])(
  'a tool asks nothing with %j in its path: it would reach another thing',
  (device_id) => {
    const [tool] = toolsOf(document, { writes: false, level: 'UR' }).filter(
      ({ name }) => name === 'getDevice',
    );
    if (tool === undefined) throw new Error('no tool');
    expect(requestOf(tool, { device_id: 'a/../b' }).path).toBe('/devices/a%2F..%2Fb');
    expect(() => requestOf(tool, { device_id })).toThrow('device_id must be an id');
  },
);

test('an answer is bounded, and a list is cut after a whole element', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ name: fc.string() })),
      fc.integer({ min: 10, max: 400 }),
      (list, most) => {
        const text = boundedAnswer(list, most);
        expect(text.length).toBeLessThan(most + 200);
        const [first = ''] = text.split('\n');
        const shown: unknown = JSON.parse(first);
        expect(list.slice(0, Array.isArray(shown) ? shown.length : -1)).toEqual(shown);
      },
    ),
  );
});

test('a key is offered only the tools that it may use', () => {
  const names = (level: 'UR' | 'UW') => toolsOf(document, { writes: true, level }).map(({ name }) => name);
  expect(names('UR')).toEqual(['listDevices', 'getDevice']);
  expect(names('UW')).toEqual(['listDevices', 'createDevice', 'getDevice']);
});
