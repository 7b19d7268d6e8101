/** SQLSTATE classes and codes after which the same request may work later: connection, login, missing database, resources, shutdown, locks. */
const passing = /^(08|28|3D|53|57|58|55P03|40001|40P01|25P03)/;
const networkCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EACCES',
  'EMFILE',
  'ENFILE',
]);
const texts =
  /connection terminated|timeout exceeded when trying to connect|not queryable|client was closed|query read timeout|cannot use a pool/i;

/** Does this error say that the database is away or too busy (and not that we asked for nonsense)? Looks along the causes. */
export function isStorageUnavailable(error: unknown): boolean {
  for (let depth = 0, each = error; each instanceof Error && depth < 8; depth += 1, each = each.cause) {
    const code = 'code' in each && typeof each.code === 'string' ? each.code : '';
    if (passing.test(code) || networkCodes.has(code) || texts.test(each.message)) return true;
    if (each instanceof AggregateError && each.errors.some((inner) => isStorageUnavailable(inner)))
      return true;
  }
  return false;
}
