import { boundedText, isRecord } from '@vantage/kernel';
import { z } from 'zod';

/** The limits of a batch. */
export const batchLimits = {
  operations: 1_000,
  /** The body of the batch. `values` is 100 an operation. */
  body: { bytes: 4 * 1024 * 1024, depth: 40, values: 100_000 },
  /** Size of all answers; the operations after it are not run. */
  answerBytes: 4 * 1024 * 1024,
  /** Time of a plain batch; operations that have not started by then are not run. */
  ms: 60_000,
  /**
   * Time of an atomic batch, which is then rolled back, because the other changes of its account wait for it. 1,000
   * devices need about 6 s of CPU time.
   */
  atomicMs: 20_000,
} as const;

/** One request of a batch. */
const operation = z
  .strictObject({
    Method: z
      .enum(['GET', 'POST', 'PUT', 'DELETE'])
      .describe('The verb.')
      .meta({ examples: ['POST'] }),
    Path: boundedText(8_000, 1)
      .regex(/^\//, 'must be a path of this API with its query, for example /devices?Limit=5')
      .describe('Path and query as in a request of its own, without `/v1.1`.')
      .meta({ examples: ['/tags'] }),
    Body: z
      .unknown()
      .refine(
        (body) => body === undefined || isRecord(body),
        'must be a JSON object, for example {"Name": "web"}',
      )
      .optional()
      .describe('The body of the request.')
      .meta({ examples: [{ Name: 'web' }], override: { type: 'object', additionalProperties: true } }),
    IfMatch: boundedText(200, 1)
      .optional()
      .describe('As the header If-Match: the change is refused (1005) where the resource has another ETag.')
      .meta({ examples: ['"9f2c61ab03de4471.0c1d2e3f40516273"'] }),
  })
  .meta({ id: 'Operation', description: 'One request of a batch.' });

/** A batch as it is sent. */
export const batch = z
  .strictObject({
    Atomic: z
      .boolean()
      .default(false)
      .describe('true: all operations are one transaction; where one fails, nothing changes.')
      .meta({ examples: [true] }),
    Preview: z
      .boolean()
      .optional()
      .describe('With Atomic: the operations are done and answered, and then all of it is rolled back.')
      .meta({ examples: [false] }),
    Operations: z.array(operation).min(1).max(batchLimits.operations).describe('Done in this order.'),
  })
  .refine(({ Atomic, Preview }) => Atomic || Preview !== true, {
    error: 'needs "Atomic": true, because only a transaction can be rolled back',
    path: ['Preview'],
  })
  .meta({ id: 'Batch', description: 'Requests that are done one after the other.' });

/** The result of one operation. */
export const operationResult = z
  .strictObject({
    Status: z
      .int()
      .describe('The HTTP status that a single request would get.')
      .meta({ examples: [200] }),
    Body: z
      .unknown()
      .describe('The JSON that a single request would get.')
      .meta({ examples: [{ tag_id: '27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802' }] }),
    ETag: z
      .string()
      .optional()
      .describe('Of a GET that shows one resource: for IfMatch.')
      .meta({ examples: ['"9f2c61ab03de4471.0c1d2e3f40516273"'] }),
  })
  .meta({ id: 'OperationResult', description: 'The answer of one operation of a batch.' });

/** The answer to a batch. */
export const batchResults = z
  .strictObject({
    Results: z.array(operationResult).describe('One for each operation, in the same order.'),
  })
  .meta({ id: 'BatchResults', description: 'The answers of all operations.' });
