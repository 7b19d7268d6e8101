// What only the controller needs: it validates settings with libraries that an agent loads for a check, or not at all.
export { syntaxProblem } from './methods/script/syntax.ts';
export { keyProblems } from './methods/ssh/key-problems.ts';
