/**
 * The end of a check: what is wrong, or one line that all is well.
 * @param {readonly string[]} problems
 * @param {string} good
 */
export function report(problems, good) {
  for (const problem of problems) console.error(problem);
  if (problems.length === 0) console.log(good);
  else process.exitCode = 1;
}
