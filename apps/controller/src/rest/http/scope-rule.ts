import type { ScopeRefusal } from '../../platform/db/index.ts';
import { conflict, denied, invalid, type Problem } from './problem.ts';
import type { Route } from './route.ts';

/** Things of the whole account, which a caller who is limited to tags can neither read nor change. */
const closed = /^\/(contacts|secrets|hooks|pages|reports|installation|sign-in|account\/limits)(\/|$)/;

/** Things that such a caller changes: devices and what belongs to them, and the keys and people of the own tags. */
const changeable =
  /^\/(devices|checks|alerts|maintenance|outages|batch|session|keys|users)(\/|$)|^\/[mn]schedules\/preview$|^\/tags\/\{tag_id\}\/(devices|start-maintenance|stop-maintenance)(\/|$)/;

/** Whether a caller who is limited to tags may use the route; which rows it reads and changes is `Db.inScope`. */
export function isOpenToScope({ method, path }: Pick<Route, 'method' | 'path'>): boolean {
  return method === 'GET' ? !closed.test(path) : changeable.test(path);
}

/** Throws a Problem (1002) where a caller who is limited to tags may not use the route. */
export function requireOpenToScope(route: Pick<Route, 'method' | 'path'>): void {
  if (!isOpenToScope(route)) throw wholeAccount();
}

/** The answer to a limited caller whose write the database refused. */
export function scopeProblem(reason: ScopeRefusal['reason']): Problem {
  if (reason === 'account') return wholeAccount();
  if (reason === 'taken')
    return conflict(
      'conflict',
      'Something outside the tags of your key prevents this: a name or e-mail address is taken there, or a device there refers to this one. Somebody without this limit can see it.',
    );
  const message =
    'must keep one of the tags to which your key is limited; GET /session and GET /keys show them';
  return invalid([{ field: 'Tags', message, reason: 'limited_to_tags' }]);
}

function wholeAccount(): Problem {
  return denied(
    'Your key is limited to the devices of some tags, and this belongs to the whole account.',
    'limited_to_tags',
  );
}
