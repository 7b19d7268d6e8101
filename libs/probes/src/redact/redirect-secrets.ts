import { encodingsOf } from './encodings.ts';

/** Request headers that never follow a redirect to another origin, whatever they hold. */
const privateHeader = /^(authorization|cookie|proxy-authorization|host|x-.*(key|token))$/i;

/** The parts of a request that may be secret. */
export interface RedirectedRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/**
 * The request without what another origin (scheme, host, port) must not get: headers that log somebody in, and every
 * header or body that holds one of the check's secrets in any of the forms that a program gives them. `dropped` names
 * the headers, and `Body`.
 */
export function withoutSecrets<Request extends RedirectedRequest>(
  request: Request,
  secrets: readonly string[],
): { readonly request: Request; readonly dropped: readonly string[] } {
  const forms = secrets.filter((each) => each !== '').flatMap((each) => [each, ...encodingsOf(each)]);
  const searched = [...new Set(forms.map((each) => each.toLowerCase()))];
  const isSecret = (text: string) => {
    const lower = text.toLowerCase();
    return searched.some((form) => lower.includes(form));
  };
  const all = Object.entries(request.headers);
  const kept = all.filter(([name, value]) => !privateHeader.test(name) && !isSecret(`${name}: ${value}`));
  const dropsBody = request.body !== undefined && isSecret(request.body);
  const names = all.map(([name]) => name).filter((name) => !kept.some(([other]) => other === name));
  return {
    request: {
      ...request,
      headers: Object.fromEntries(dropsBody ? kept.filter(([name]) => !/^content-/i.test(name)) : kept),
      body: dropsBody ? undefined : request.body,
    },
    dropped: dropsBody ? [...names, 'Body'] : names,
  };
}
