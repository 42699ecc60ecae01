// The first code that runs in a program that imports Colloquy. It imports nothing, so that an old Node gets this far.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);

if (major < 22 || (major === 22 && minor < 13)) {
  const error = new Error(`Colloquy needs Node 22.13 or later; this is ${process.versions.node}. Install it: https://nodejs.org`);
  error.stack = error.message; // the stack helps nobody
  throw error;
}
