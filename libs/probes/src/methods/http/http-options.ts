import { boundedText } from '@vantage/kernel';
import { z } from 'zod';
import { headersOption } from '../../contract/headers.ts';
import { ipFamilyOption, slowMsOption, tlsOptionsWithoutStart } from '../../contract/options.ts';
import { regexProblem } from '../../search/compile-regex.ts';
import { readJsonPath } from '../../search/json-path.ts';

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
const headers = headersOption;
const size = z.int().min(0).max(0xffff_ffff);

/** The Options of HTTP: the request and the expectations of the answer. */
export const httpOptions = z.strictObject({
  Method: z
    .enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
    .default('GET')
    .describe('Request method.'),
  Headers: headers
    .refine(
      (headers) => Object.keys(headers).every((name) => !connectionHeaders.includes(name.toLowerCase())),
      `must not name ${connectionHeaders.join(', ')}: the connection sets them`,
    )
    .default({})
    .describe('Request headers; Host names a virtual host.'),
  Body: boundedText(256 * 1024)
    .optional()
    .describe('Request body.'),
  User: boundedText(256, 1).optional().describe("User for Basic authentication; default: the URL's."),
  Password: boundedText(1024).optional().describe('Password for Basic authentication.'),
  MaxRedirects: z
    .int()
    .min(0)
    .max(20)
    .default(10)
    .describe('Redirects to follow; 0: the redirect is the answer.'),
  IPFamily: ipFamilyOption,
  Proxy: boundedText(2048)
    .refine(
      (url) => /^https?:\/\/[^/]/i.test(url) && URL.canParse(url),
      'must be a proxy such as http://user:password@proxy.example.org:3128',
    )
    .optional()
    .describe('Proxy to go through: http://user:password@host:port.'),
  HTTPVersion: z
    .enum(['Auto', '1.1', '2'])
    .default('Auto')
    .describe('Auto: what the server prefers (ALPN); plain http is 1.1.'),
  ExpectStatus: z
    .array(
      boundedText(7).regex(
        /^[1-5]\d\d(-[1-5]\d\d)?$/,
        'must be a status such as 200 or a range such as 200-299',
      ),
    )
    .max(50)
    .default([])
    .describe('Statuses that are good; default: all below 400.'),
  ExpectText: boundedText(4096, 1).optional().describe('Text that the body must contain.'),
  RejectText: boundedText(4096, 1).optional().describe('Text that the body must not contain.'),
  ExpectRegex: boundedText(1000, 1)
    .refine((pattern) => regexProblem(pattern) === undefined, 'must be a regular expression such as ^OK')
    .optional()
    .describe('Regular expression that the body (its first MiB) must match.'),
  ExpectJSONPath: boundedText(500, 1)
    .superRefine((path, fault) => {
      const read = readJsonPath(path);
      if (!read.ok) fault.addIssue({ code: 'custom', message: `is not accepted: ${read.message}` });
    })
    .optional()
    .describe(
      "JSONPath that must find something in the body: names, ['names'], [0], [1:3], * and .., no filters.",
    ),
  ExpectJSONValue: boundedText(4096)
    .optional()
    .describe('What ExpectJSONPath must find at least once, as text or JSON.'),
  ExpectHeaders: headers
    .default({})
    .describe('Headers of the answer and the text each must contain ("" for any).'),
  MaxTimeMs: z.int().min(1).max(120_000).optional().describe('A check that takes longer fails.'),
  SlowMs: slowMsOption,
  MinSize: size.optional().describe('Least bytes of the body, decompressed.'),
  MaxSize: size
    .default(16 * 1024 * 1024)
    .describe('Most bytes of the body, decompressed; more are not read and fail the check.'),
  ExpectSHA256: boundedText(64)
    .regex(/^[0-9a-fA-F]{64}$/, 'must be 64 hexadecimal digits')
    .optional()
    .describe('SHA-256 of the body, decompressed.'),
  Compression: z
    .boolean()
    .default(true)
    .describe('Offer to take a compressed body (gzip, deflate, br, zstd).'),
  TLS: tlsOptionsWithoutStart,
});

export type HttpOptions = z.output<typeof httpOptions>;

/** The keys of the HTTP Options that the API shows as `***`. */
export const httpSecretOptions = [
  'Password',
  'Proxy',
  'Headers.Authorization',
  'Headers.Cookie',
  'Headers.Proxy-Authorization',
  'Headers.X-*Key',
  'Headers.X-*Token',
  'TLS.ClientKey',
] as const;
