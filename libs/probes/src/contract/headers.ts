import { boundedText } from '@vantage/kernel';
import { z } from 'zod';

const headerName = boundedText(100, 1).regex(
  /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/,
  "must be a header's name such as X-Request-Id",
);
const headerValue = boundedText(8192).regex(
  /^[\t\x20-\x7e\x80-\xff]*$/,
  "must be a header's value: one line, Latin-1 only",
);
/** The headers of a request or answer, by name. */
export const headersOption = z
  .record(headerName, headerValue)
  .refine((headers) => Object.keys(headers).length <= 100, 'must hold at most 100 headers');
