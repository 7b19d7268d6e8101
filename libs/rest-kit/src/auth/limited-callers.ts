import type { ScopeRefusal } from '@vantage/storage';
import { conflict, denied, invalid, type Problem } from '../serve/problem.ts';
import type { Route } from '../serve/route.ts';

/** Whether a caller who is limited to tags may use the route. */
export function isOpenToScope({ method, limitedCallers }: Pick<Route, 'method' | 'limitedCallers'>): boolean {
  return limitedCallers === undefined ? method === 'GET' : limitedCallers === 'permitted';
}

/** Throws a Problem (1002) where a caller who is limited to tags may not use the route. */
export function requireOpenToScope(route: Pick<Route, 'method' | 'limitedCallers'>): void {
  if (!isOpenToScope(route)) throw wholeAccount();
}

/** The answer to a limited caller whose write the database refused. */
export function scopeProblem(reason: ScopeRefusal['reason']): Problem {
  if (reason === 'account') return wholeAccount();
  if (reason === 'taken')
    return conflict(
      'conflict',
      'Something outside the tags of your key prevents this: a name or e-mail address is taken there, or a device there refers to this one. A person without this limit can see it.',
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
