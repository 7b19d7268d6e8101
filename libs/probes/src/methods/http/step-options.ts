// biome-ignore-all lint/suspicious/noTemplateCurlyInString: steps and references are written so

import { maskQuerySecrets, referencedNames } from '@vantage/domain';
import { boundedText, withoutControls } from '@vantage/kernel';
import { z } from 'zod';
import { headerName } from '../../contract/headers.ts';
import { parseHttpTarget } from './http-target.ts';
import {
  bodyRegex,
  expectJsonPath,
  expectJsonValue,
  expectStatus,
  expectText,
  jsonPath,
  requestHeaders,
  requestMethod,
} from './request-options.ts';
import { fillValues, namesIn, originOf } from './step-values.ts';

const maxSteps = 10;
const maxExtracts = 20;
/** The number of `${name}` in one text. It bounds the length of the filled text. */
const maxReferences = 50;

const isCapturing = (pattern: string): boolean => {
  try {
    return new RegExp(`${pattern}|`).exec('')?.length === 2;
  } catch {
    return false;
  }
};

const extract = z
  .strictObject({
    Name: boundedText(50)
      .regex(
        /^[A-Za-z_][A-Za-z0-9_]*$/,
        'must be a name of letters, digits and _ such as token, not beginning with a digit',
      )
      .describe('Later steps use the value as ${name} in their URL, headers and body.'),
    JSONPath: jsonPath.optional().describe('The first value that a JSONPath finds in the body.'),
    Regex: bodyRegex
      .refine(isCapturing, 'must have exactly one group, such as name="csrf" value="([^"]+)"')
      .optional()
      .describe('What the one group of a regular expression matches in the body.'),
    Header: headerName.optional().describe('A header of the answer.'),
    Cookie: boundedText(200, 1).optional().describe('A cookie that this step or an earlier one set.'),
    Secret: z
      .boolean()
      .default(false)
      .describe('The value is shown as *** everywhere, and no redirect takes it to another host.'),
  })
  .refine(
    ({ JSONPath, Regex, Header, Cookie }) =>
      [JSONPath, Regex, Header, Cookie].filter((source) => source !== undefined).length === 1,
    'must hold exactly one of JSONPath, Regex, Header and Cookie',
  );

const accepts =
  'must be http://host/path or https://host/path, a path such as /login at the address of the device, or begin with a value such as ${next}';

const stepUrl = boundedText(2048, 1).superRefine((url, fault) => {
  const message = urlFault(url);
  if (message !== undefined) fault.addIssue({ code: 'custom', message });
});

/** The fault of a step's URL before its values are known. */
function urlFault(url: string): string | undefined {
  if (/[\p{Cc}\s]/u.test(url)) return 'must hold no blank and no control character';
  const origin = originOf(url);
  if (origin === undefined && !/^(\/(?![/\\])|\?|\$\{[A-Za-z_])/.test(url)) return accepts;
  if (isReferring(url)) return 'must hold no secret; use a header or the body of the step';
  const sample = fillValues(url, () => 'x');
  const parsed = parseHttpTarget(origin === undefined ? 'http://host.example/' : sample);
  if (!parsed.ok) return `is not accepted: ${parsed.message}`;
  if (parsed.target.user !== undefined || parsed.target.password !== undefined)
    return 'must hold no login; use User and Password of the Options, or a header';
  const plain = fillValues(url, () => '');
  if (maskQuerySecrets(plain) !== plain)
    return 'must hold no credential in its query; use a header, the body or an extracted value';
  return undefined;
}

const isReferring = (text: string) =>
  referencedNames('secret', text).length + referencedNames('local', text).length > 0;

const step = z.strictObject({
  Name: boundedText(100, 1)
    .regex(withoutControls, 'must hold no control character')
    .describe('The name of the step, unique in the list. The text of a failure has it.'),
  URL: stepUrl
    .optional()
    .describe(
      "URL, or a path at the address of the device, with ${name} for extracted values; default: the device's URL.",
    ),
  Method: requestMethod.default('GET').describe('Request method.'),
  Headers: requestHeaders.default({}).describe('Request headers of this step, beside those of the Options.'),
  Body: boundedText(16 * 1024)
    .optional()
    .describe(
      'Request body. Extracted values are escaped as its Content-Type needs it: JSON, or a form (x-www-form-urlencoded).',
    ),
  ExpectStatus: expectStatus,
  ExpectText: expectText,
  ExpectRegex: bodyRegex.optional().describe('Regular expression that the body (its first MiB) must match.'),
  ExpectJSONPath: expectJsonPath,
  ExpectJSONValue: expectJsonValue,
  MaxTimeMs: z.int().min(1).max(120_000).optional().describe('A step that takes longer fails.'),
  Extract: z
    .array(extract)
    .max(maxExtracts)
    .default([])
    .describe('Values to take from the answer for later steps.'),
});

export type HttpStep = z.output<typeof step>;
export type HttpExtract = z.output<typeof extract>;

/** `Steps` of HTTP. */
export const httpSteps = z
  .array(step)
  .max(maxSteps)
  .superRefine((steps, fault) => {
    const names = new Set<string>();
    const known = new Set<string>();
    for (const [at, each] of steps.entries()) {
      if (names.has(each.Name))
        fault.addIssue({
          code: 'custom',
          path: [at, 'Name'],
          message: 'must be unique: an earlier step has this name',
        });
      names.add(each.Name);
      for (const [field, text] of textsOf(each)) {
        const used = namesIn(text);
        const unknown = used.find((name) => !known.has(name));
        if (unknown !== undefined)
          fault.addIssue({
            code: 'custom',
            path: [at, ...field],
            message: `uses \${${unknown}}, which no earlier step extracts`,
          });
        if (used.length > maxReferences)
          fault.addIssue({
            code: 'custom',
            path: [at, ...field],
            message: `must use at most ${maxReferences} values`,
          });
      }
      for (const { Name } of each.Extract) known.add(Name);
    }
  })
  .default([])
  .describe(
    'Requests in turn, instead of one to the URL. A step extracts values for later ones; cookies are kept. Login and Headers of the Options go to the address of the URL only.',
  );

function textsOf({ URL: url, Headers, Body }: HttpStep): readonly (readonly [readonly string[], string])[] {
  return [
    ...(url === undefined ? [] : [[['URL'], url] as const]),
    ...Object.entries(Headers).map(([name, text]) => [['Headers', name], text] as const),
    ...(Body === undefined ? [] : [[['Body'], Body] as const]),
  ];
}
