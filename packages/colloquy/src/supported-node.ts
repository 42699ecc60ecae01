// The first thing that a program runs which imports Colloquy. It imports nothing, so that an old Node gets as far as this line.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);

if (major < 22 || (major === 22 && minor < 13)) {
  const error = new Error(`Colloquy needs Node 22.13 or later; this is ${process.versions.node}. Install it: https://nodejs.org`);
  error.stack = error.message; // where it was thrown helps nobody
  throw error;
}
