import Router from '@koa/router';
import { malformed, type Problem, wrongVerb } from './problem.ts';
import type { Route } from './route.ts';

/** The paths' common beginning. */
export const basePath = '/v1.1';

/** A route with the values of its placeholders. */
interface FoundRoute {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

/**
 * Finds the route of a verb and a path (without `basePath`), as the server's router does. Throws a Problem (1000) that
 * names the verbs of the path, and a URIError for wrong percent-encoding.
 */
export function createRouteFinder(routes: readonly Route[]): (method: string, path: string) => FoundRoute {
  const router = new Router({ sensitive: true });
  const byName = new Map(routes.map((route) => [`${route.method} ${route.path}`, route]));
  for (const [name, route] of byName) router.register(routerPath(route), [route.method], () => {}, { name });
  return (method, path) => {
    const { pathAndMethod } = router.match(path, method);
    const [layer] = pathAndMethod;
    const route = byName.get(layer?.name ?? '');
    if (layer === undefined || route === undefined) throw notRouted(router, method, path);
    return { route, params: layer.params(path, layer.captures(path)) };
  };
}

/** The path of a route in the router's form. */
export function routerPath({ path }: Route): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

/** The Problem (1000) of a request that has no route. `path` is without `basePath`. */
export function notRouted(router: Router, method: string, path: string): Problem {
  const verbs = verbsOf(router, path);
  if (verbs.length === 0) {
    const near = nearPath(router, path);
    const hint = near === undefined ? '' : ` Did you mean ${near}?`;
    return malformed(
      `There is no such address in this API; ${basePath}/openapi.json describes all of them.${hint}`,
      'unknown_route',
    );
  }
  return wrongVerb(method, verbs.join(', '));
}

/** The verbs that a path supports, sorted. */
export function verbsOf(router: Router, path: string): readonly string[] {
  const verbs = router.match(path, 'GET').path.flatMap((layer) => layer.methods);
  return [...new Set(verbs)].sort();
}

/**
 * The path that was likely meant: in small letters, without `basePath` where it does not belong, without a `/` at its
 * end.
 */
function nearPath(router: Router, path: string): string | undefined {
  const trimmed = path.slice(0, 200).replace(/\/+$/, '');
  const bare = trimmed.startsWith(`${basePath}/`) ? trimmed.slice(basePath.length) : trimmed;
  const candidates = [trimmed, bare, bare.toLowerCase(), `${basePath}${bare.toLowerCase()}`];
  return candidates.find((each) => each !== path && verbsOf(router, each).length > 0);
}
