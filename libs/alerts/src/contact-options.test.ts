import { expect, test } from 'vitest';
import { type ContactOptions, optionFaults, smsOptions, templateOptions } from './contact-options.ts';

test.each<[rule: typeof smsOptions | null, options: ContactOptions | null, faults: object[]]>([
  [null, null, []],
  [null, { To: '+4712345678' }, [{ option: undefined }]],
  [smsOptions, null, [{ option: 'To', message: expect.stringContaining('for example +4712345678') }]],
  [smsOptions, { To: '+4712345678' }, []],
  [smsOptions, { To: '12345678' }, [{ option: 'To' }]],
  [templateOptions, null, [{ option: 'Body' }]],
  [templateOptions, { Body: '{}', To: '+4712345678' }, [{ option: 'To' }]],
  [templateOptions, { Body: 'To={{To}}', ContentType: 'text/plain', SecretHeader: 'X-Api-Key' }, []],
  [templateOptions, { Body: '{}', SecretHeader: 'Host' }, [{ option: 'SecretHeader' }]],
  [templateOptions, { Body: '{}', SecretHeader: 'content-length' }, [{ option: 'SecretHeader' }]],
  [templateOptions, { Body: '{}', SecretHeader: 'Expect' }, [{ option: 'SecretHeader' }]],
  [templateOptions, { Body: '{}', SecretHeader: 'keep-alive' }, [{ option: 'SecretHeader' }]],
  [templateOptions, { Body: '{}', SecretHeader: 'Proxy-Connection' }, [{ option: 'SecretHeader' }]],
  [templateOptions, { Body: '{}', SecretHeader: 'A: b' }, [{ option: 'SecretHeader' }]],
])('the Options of %j: %j', (rule, options, faults) => {
  expect(optionFaults(rule, options)).toMatchObject(faults);
});
