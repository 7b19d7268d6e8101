// For the controller, which validates settings with libraries that an agent loads only for a check, or not at all.
export { syntaxProblem } from './methods/script/script-syntax.ts';
export { keyProblems } from './methods/ssh/key-problems.ts';
