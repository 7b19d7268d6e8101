import { boundedText } from '@vantage/kernel';
import { z } from 'zod';
import { headersOption } from '../../contract/headers.ts';
import {
  dscpOption,
  ipFamilyOption,
  slowMsOption,
  sourceAddressOption,
  tlsOptionsWithoutStart,
} from '../../contract/options.ts';
import {
  bodyRegex,
  expectJsonPath,
  expectJsonValue,
  expectStatus,
  expectText,
  requestHeaders,
  requestMethod,
} from './request-options.ts';
import { httpSteps } from './step-options.ts';

const size = z.int().min(0).max(0xffff_ffff);

/** The Options that a step has instead where there are Steps, each with its value if it is not set. */
const besideSteps = {
  Method: 'GET',
  Body: undefined,
  ExpectText: undefined,
  RejectText: undefined,
  ExpectRegex: undefined,
  ExpectJSONPath: undefined,
  ExpectJSONValue: undefined,
  MinSize: undefined,
  ExpectSHA256: undefined,
} as const;

/** The Options of HTTP: the request and the expectations of the answer. */
export const httpOptions = z
  .strictObject({
    Method: requestMethod.default('GET').describe('Request method.'),
    Headers: requestHeaders.default({}).describe('Request headers; Host names a virtual host.'),
    Body: boundedText(256 * 1024)
      .optional()
      .describe('Request body.'),
    Auth: z
      .enum(['Basic', 'Digest', 'Bearer'])
      .optional()
      .describe(
        'Login: Basic and Digest (RFC 7616) use User and Password, Bearer uses Token; default: Bearer if there is a Token, else Basic.',
      ),
    User: boundedText(256, 1).optional().describe("User for Basic and Digest; default: the URL's."),
    Password: boundedText(1024).optional().describe("Password for Basic and Digest; default: the URL's."),
    Token: boundedText(8000, 1)
      .regex(/^[\x21-\x7e]+$/, 'must be a token of visible ASCII characters, without blanks')
      .optional()
      .describe('Token for Bearer.'),
    MaxRedirects: z
      .int()
      .min(0)
      .max(20)
      .default(10)
      .describe('Redirects to follow; 0: the redirect is the answer.'),
    IPFamily: ipFamilyOption,
    SourceAddress: sourceAddressOption,
    DSCP: dscpOption,
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
    ExpectStatus: expectStatus,
    ExpectText: expectText,
    RejectText: boundedText(4096, 1).optional().describe('Text that the body must not contain.'),
    ExpectRegex: bodyRegex
      .optional()
      .describe('Regular expression that the body (its first MiB) must match.'),
    ExpectJSONPath: expectJsonPath,
    ExpectJSONValue: expectJsonValue,
    ExpectHeaders: headersOption
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
    Steps: httpSteps,
  })
  .superRefine((options, fault) => {
    const refuse = (key: string, message: string) => fault.addIssue({ code: 'custom', path: [key], message });
    const { Auth, Token, User, Password, Steps } = options;
    if (Auth === 'Bearer' && Token === undefined) refuse('Token', 'must be set for Auth Bearer');
    if (Auth !== undefined && Auth !== 'Bearer' && Token !== undefined)
      refuse('Token', `is for Auth Bearer, and Auth is ${Auth}`);
    if (Token !== undefined && (User !== undefined || Password !== undefined))
      refuse('Token', 'must not be set beside User or Password: a request has one login');
    if (Steps.length === 0) return;
    for (const [key, unset] of Object.entries(besideSteps)) {
      if (Reflect.get(options, key) !== unset) refuse(key, 'must not be set beside Steps: set it in a step');
    }
    if (options.ExpectStatus.length > 0)
      refuse('ExpectStatus', 'must not be set beside Steps: set it in a step');
    if (Object.keys(options.ExpectHeaders).length > 0)
      refuse('ExpectHeaders', 'must not be set beside Steps');
  });

export type HttpOptions = z.output<typeof httpOptions>;

/** The keys of the HTTP Options that the API shows as `***`. */
export const httpSecretOptions = [
  'Password',
  'Token',
  'Proxy',
  'Headers.Authorization',
  'Headers.Cookie',
  'Headers.Proxy-Authorization',
  'Headers.X-*Key',
  'Headers.X-*Token',
  'TLS.ClientKey',
  'Steps.Headers.Authorization',
  'Steps.Headers.Cookie',
  'Steps.Headers.Proxy-Authorization',
  'Steps.Headers.X-*Key',
  'Steps.Headers.X-*Token',
] as const;
