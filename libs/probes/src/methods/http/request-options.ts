import { boundedText } from '@vantage/kernel';
import { z } from 'zod';
import { headersOption } from '../../contract/headers.ts';
import { regexProblem } from '../../search/compile-regex.ts';
import { readJsonPath } from '../../search/json-path.ts';

// Options that a check and each of its steps have.

/** Headers that the connection sets. */
const connectionHeaders = [
  'connection',
  'content-length',
  'transfer-encoding',
  'upgrade',
  'expect',
  'te',
  'trailer',
];

export const requestHeaders = headersOption.refine(
  (headers) => Object.keys(headers).every((name) => !connectionHeaders.includes(name.toLowerCase())),
  `must not name ${connectionHeaders.join(', ')}: the connection sets them`,
);

export const requestMethod = z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

export const expectStatus = z
  .array(
    boundedText(7).regex(
      /^[1-5]\d\d(-[1-5]\d\d)?$/,
      'must be a status such as 200 or a range such as 200-299',
    ),
  )
  .max(50)
  .default([])
  .describe('Statuses that are good; default: all below 400.');

export const expectText = boundedText(4096, 1).optional().describe('Text that the body must contain.');

export const bodyRegex = boundedText(1000, 1).refine(
  (pattern) => regexProblem(pattern) === undefined,
  'must be a regular expression such as ^OK',
);

export const jsonPath = boundedText(500, 1).superRefine((path, fault) => {
  const read = readJsonPath(path);
  if (!read.ok) fault.addIssue({ code: 'custom', message: `is not accepted: ${read.message}` });
});

export const expectJsonPath = jsonPath
  .optional()
  .describe(
    "JSONPath that must find something in the body: names, ['names'], [0], [1:3], * and .., no filters.",
  );

export const expectJsonValue = boundedText(4096)
  .optional()
  .describe('What ExpectJSONPath must find at least once, as text or JSON.');
