import Router from '@koa/router';
import { malformed, type Problem, wrongVerb } from './problem.ts';
import type { Route } from './route.ts';

/** The paths' common beginning. */
export const basePath = '/v1.1';

/** A route with the values of its placeholders. */
export interface FoundRoute {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

/**
 * Finds the route of a verb and a path (without `basePath`); undefined: there is none. Paths begin with a fixed part,
 * so a path is compared with those that begin as it does. Throws a URIError for wrong percent-encoding.
 */
export function createRouteIndex(
  routes: readonly Route[],
): (method: string, path: string) => FoundRoute | undefined {
  const byBegin = Map.groupBy(routes, ({ path }) => beginOf(path));
  const finders = new Map([...byBegin].map(([begin, some]) => [begin, findAmong(some)] as const));
  return (method, path) => finders.get(beginOf(path))?.(method, path);
}

/** The same. Throws a Problem (1000) that names the verbs of the path where there is no route. */
export function createRouteFinder(routes: readonly Route[]): (method: string, path: string) => FoundRoute {
  const find = createRouteIndex(routes);
  const router = createRouter(routes);
  return (method, path) => {
    const found = find(method, path);
    if (found === undefined) throw notRouted(router, method, path);
    return found;
  };
}

/** The first part of a path. */
function beginOf(path: string): string {
  const end = path.indexOf('/', 1);
  return end === -1 ? path : path.slice(0, end);
}

function findAmong(routes: readonly Route[]) {
  const router = createRouter(routes);
  const byName = new Map(routes.map((route) => [nameOf(route), route]));
  return (method: string, path: string): FoundRoute | undefined => {
    const [layer] = router.match(path, method).pathAndMethod;
    const route = byName.get(layer?.name ?? '');
    if (layer === undefined || route === undefined) return undefined;
    return { route, params: layer.params(path, layer.captures(path)) };
  };
}

/** A router that knows the routes, and serves none of them: for the verbs of paths. */
export function createRouter(routes: readonly Route[], prefix = ''): Router {
  const router = new Router({ prefix, sensitive: true });
  for (const route of routes)
    router.register(routerPath(route), [route.method], () => {}, { name: nameOf(route) });
  return router;
}

function nameOf({ method, path }: Route): string {
  return `${method} ${path}`;
}

/** The path of a route in the router's form. */
function routerPath({ path }: Route): string {
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
