import { boundedText } from '@vantage/kernel';
import { z } from 'zod';

export const headerName = boundedText(100, 1).regex(
  /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/,
  "must be a header's name such as X-Request-Id",
);
export const headerValuePattern = /^[\t\x20-\x7e\x80-\xff]*$/;
const headerValue = boundedText(8192).regex(
  headerValuePattern,
  "must be a header's value: one line, Latin-1 only",
);
/** The headers of a request or answer, by name. */
export const headersOption = z
  .record(headerName, headerValue)
  .refine((headers) => Object.keys(headers).length <= 100, 'must hold at most 100 headers');
