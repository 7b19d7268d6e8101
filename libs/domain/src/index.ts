export { type CheckKey, checkId, parseCheckId } from './check-id.ts';
export { type Method, methods } from './method.ts';
export {
  isGood,
  isInconclusive,
  isResultCode,
  type ResultCode,
  resultCode,
  type Verdict,
  verdictOf,
  verdictSql,
} from './result-code.ts';
