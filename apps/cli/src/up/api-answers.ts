import { readFileSync } from 'node:fs';
import { get } from 'node:https';

/** Whether the REST API answers with a certificate that the CA in `caFile` signed. */
export function apiAnswers(baseUrl: string, caFile: string): Promise<boolean> {
  return new Promise((resolve) => {
    const options = { ca: readFileSync(caFile), agent: false, timeout: 5_000 };
    const request = get(`${baseUrl}/hello`, options, (answer) => {
      answer.resume();
      answer.once('end', () => resolve(answer.statusCode === 200));
      answer.once('error', () => resolve(false));
    });
    request.once('timeout', () => request.destroy());
    request.once('error', () => resolve(false));
  });
}
