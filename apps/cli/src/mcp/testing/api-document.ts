import { documentSchema } from '../mcp-tools.ts';

const id = { name: 'device_id', in: 'path', required: true, schema: { type: 'string' } };
/** A small OpenAPI document. */
export const apiDocument = documentSchema.parse({
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
