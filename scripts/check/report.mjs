/**
 * Ends a check: prints the problems, or one line of success.
 * @param {readonly string[]} problems
 * @param {string} good
 */
export function report(problems, good) {
  for (const problem of problems) console.error(problem);
  if (problems.length === 0) console.log(good);
  else process.exitCode = 1;
}
