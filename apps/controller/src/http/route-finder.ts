import Router from '@koa/router';
import { malformed, Problem } from './problem.ts';
import type { Route } from './route.ts';

/** The paths' common beginning. */
export const basePath = '/v1.1';

/** A route with the values of its placeholders. */
interface FoundRoute {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

/**
 * Finds the route of a verb and a path (without `basePath`), as the server's router does. Throws a Problem (1000) that names the verbs of
 * the path, and a URIError for wrong percent-encoding.
 */
export function createRouteFinder(routes: readonly Route[]): (method: string, path: string) => FoundRoute {
  const router = new Router({ sensitive: true });
  const byName = new Map(routes.map((route) => [`${route.method} ${route.path}`, route]));
  for (const [name, route] of byName) router.register(routerPath(route), [route.method], () => {}, { name });
  return (method, path) => {
    const { pathAndMethod, path: layers } = router.match(path, method);
    const [layer] = pathAndMethod;
    const route = byName.get(layer?.name ?? '');
    if (layer === undefined || route === undefined)
      throw notRouted(
        method,
        layers.flatMap(({ methods }) => methods),
      );
    return { route, params: layer.params(path, layer.captures(path)) };
  };
}

/** The path of a route in the router's form. */
export function routerPath({ path }: Route): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

/** The Problem (1000) of a request that has no route; `verbs` are those of its path. */
export function notRouted(method: string, verbs: readonly string[]): Problem {
  const known = [...new Set(verbs)].sort();
  if (known.length === 0)
    return malformed(`There is no such address in this API; ${basePath}/openapi.json describes all of them.`);
  const problem = malformed(`${method} is not supported here; supported: ${known.join(', ')}.`);
  return new Problem(problem.code, problem.message, { headers: { Allow: known.join(', ') } });
}
